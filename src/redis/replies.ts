/** Reads the replies of our own scripts; anything unexpected is a fault of ours and throws `internal`. */
import { AppError } from '../core/errors.js';
import type { FencedWrite } from '../core/ports.js';

/** The reply as one of the words the script can answer with. */
export function oneOf<const Word extends string>(words: readonly Word[], reply: unknown): Word {
  const found = words.find((word) => word === reply);
  if (found === undefined) throw unexpected(reply, `one of ${words.join(', ')}`);
  return found;
}

/** Whether a write of a run took effect, as every fenced script answers. */
export function fencedWrite(reply: unknown): FencedWrite {
  return oneOf(['written', 'ended', 'superseded'], reply);
}

/** The parts of a reply that is a list, as text. */
export function texts(reply: unknown): string[] {
  if (!Array.isArray(reply)) throw unexpected(reply, 'a list');
  return reply.map(String);
}

/** Told apart from an absent Redis, for which a caller would wait and try again. */
function unexpected(reply: unknown, expected: string): AppError {
  const cause = new Error(`a script answered ${JSON.stringify(reply)}; expected ${expected}`);
  return new AppError('internal', 'The queue answered in a way that this version does not know; see the server log.', {
    cause,
  });
}
