/** Tells the log of tokens that were refused, seldom enough that whoever guesses them fills no disk. */
import type { ProcessLog } from '../core/process-log.js';

/** The first is told at once, further ones in sum, by this time at the latest. */
const EVERY_MS = 10_000;

/** Notes that somebody at this address sent a token that is not known. */
export type RefusalNote = (from: string | undefined) => void;

/** Builds the note; no token and no path comes into the log. */
export function createRefusalNote(log: ProcessLog, everyMs = EVERY_MS): RefusalNote {
  let pending: NodeJS.Timeout | undefined;
  let untold = 0;
  const rest = () => {
    pending = setTimeout(tellRest, everyMs);
    pending.unref();
  };
  const tellRest = () => {
    pending = undefined;
    if (untold === 0) return;
    log.warn({ refused: untold }, 'further unknown tokens of operators were refused');
    untold = 0;
    rest();
  };
  return (from) => {
    if (pending) {
      untold++;
      return;
    }
    log.warn({ from }, 'an unknown token of an operator was refused');
    rest();
  };
}
