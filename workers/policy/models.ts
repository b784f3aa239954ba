/** Which models may answer: names are compared as MCP's hints are, by parts, whatever their case. */
import type { Input, StoredReply } from '../../src/core/input.js';

/** Hints for a client: those of the request that are allowed, then all that is allowed. */
export function hintsFor(wanted: readonly string[], allowed: readonly string[]): string[] {
  return [...new Set([...wanted.filter((hint) => isAllowed(hint, allowed)), ...allowed])];
}

/** The reply to a question, a failure if a model gave it that was not allowed when the question was asked. */
export function heedModels({ question, reply }: Required<Input>): StoredReply {
  const allowed = question.models ?? [];
  if (reply.kind !== 'answered' || allowed.length === 0) return reply;
  const { model } = Object(reply.value);
  if (typeof model === 'string' && isAllowed(model, allowed)) return reply;
  const came = typeof model === 'string' ? `from the model ${JSON.stringify(model.slice(0, 100))}` : 'without a model';
  return {
    kind: 'failed',
    message: `its answer came ${came}, and only ${allowed.join(', ')} may answer here (LONGHAUL_ALLOWED_MODELS)`,
  };
}

function isAllowed(model: string, allowed: readonly string[]): boolean {
  return allowed.some((part) => model.toLowerCase().includes(part.toLowerCase()));
}
