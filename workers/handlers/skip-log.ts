/** Tells the client of skipped files: the first of each reason one by one, the rest as a number. */
import type { HandlerContext } from '../../src/core/tool.js';
import type { Skip, SkippedFiles } from '../analysis/scan.js';

/** See `createSkipLog`. */
export interface SkipLog {
  /** Notes a skipped file. */
  note(skip: Skip): void;
  /** Notes what others skipped, of whom only the number and some examples are known. */
  noteTable(skipped: readonly SkippedFiles[]): void;
  /** Says how many files of each reason were not named. */
  summarise(): void;
}

/** Files named one by one for each reason; a large tree skips thousands. */
const NAMED = 10;

/** Builds the log of one scan; each message is a `warning` with path or number, and the reason. */
export function createSkipLog(context: Pick<HandlerContext, 'log'>): SkipLog {
  const seen = new Map<string, number>();
  const named = new Map<string, number>();
  const note = ({ path, reason }: Skip): void => {
    seen.set(reason, (seen.get(reason) ?? 0) + 1);
    const before = named.get(reason) ?? 0;
    if (before >= NAMED) return;
    named.set(reason, before + 1);
    context.log('warning', { message: `skipped ${path}: ${reason}`, path, reason });
  };
  return {
    note,
    noteTable(skipped) {
      for (const { reason, files, examples } of skipped) {
        for (const path of examples) note({ path, reason });
        seen.set(reason, (seen.get(reason) ?? 0) + files - examples.length);
      }
    },
    summarise() {
      for (const [reason, count] of seen) {
        const more = count - (named.get(reason) ?? 0);
        if (more > 0) context.log('warning', { message: `skipped ${more} more files: ${reason}`, reason, files: more });
      }
    },
  };
}
