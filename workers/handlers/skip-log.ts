/** Tells the client of skipped files: the first of each reason one by one, the rest as a number. */
import type { HandlerContext } from '../../src/core/tool.js';
import type { Skip } from '../analysis/scan.js';

/** See `createSkipLog`. */
export interface SkipLog {
  /** Notes a skipped file. */
  note(skip: Skip): void;
  /** Says how many files of each reason were not named. */
  summarise(): void;
}

/** Files named one by one for each reason; a large tree skips thousands. */
const NAMED = 10;

/** Builds the log of one scan; each message is a `warning` with path or number, and the reason. */
export function createSkipLog(context: Pick<HandlerContext, 'log'>): SkipLog {
  const seen = new Map<string, number>();
  return {
    note({ path, reason }) {
      const count = (seen.get(reason) ?? 0) + 1;
      seen.set(reason, count);
      if (count <= NAMED) context.log('warning', { message: `skipped ${path}: ${reason}`, path, reason });
    },
    summarise() {
      for (const [reason, count] of seen) {
        const more = count - NAMED;
        if (more > 0) context.log('warning', { message: `skipped ${more} more files: ${reason}`, reason, files: more });
      }
    },
  };
}
