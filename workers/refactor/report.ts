/** Tells what a refactoring came to, in the words of its contract's result. */
import type { ModelWorkStatus } from '../../src/core/model-work.js';
import type { Choice } from './choose-files.js';
import type { Judged } from './judge-answers.js';
import type { WriteEnd } from './write-files.js';

/** What became of a file, as the contract names it. */
export interface FileReport {
  readonly path: string;
  readonly language: string;
  readonly status: 'planned' | 'written' | 'unchanged' | 'refused' | 'unanswered' | 'changed_meanwhile' | 'failed';
  readonly reason?: string;
  readonly summary?: string;
  readonly lines_added?: number;
  readonly lines_removed?: number;
  readonly diff?: string;
  readonly diff_cut?: boolean;
}

/** The report of one file: of its judgement, and of its writing if it was to be written. */
export function reportFile(file: { path: string; language: string }, judged: Judged, end?: WriteEnd): FileReport {
  const { path, language } = file;
  if (judged.kind !== 'fit') {
    const { kind: status, reason, summary } = judged;
    return {
      path,
      language,
      status,
      ...(reason !== undefined && { reason }),
      ...(summary !== undefined && { summary }),
    };
  }
  const { summary, diff, diffCut, added, removed } = judged;
  return {
    path,
    language,
    status: end?.kind ?? 'planned',
    ...(end && 'reason' in end && { reason: end.reason }),
    ...(summary !== '' && { summary }),
    lines_added: added,
    lines_removed: removed,
    diff,
    ...(diffCut && { diff_cut: true }),
  };
}

/** Reasons to pass over files that somebody would miss. */
const MISSED = [
  ...['too large for one answer', 'could not be searched for secrets', 'unreadable', 'read-only'],
  ...['not UTF-8', 'mixed line ends'],
];
const GOOD = ['planned', 'written', 'unchanged'];

/**
 * `complete` if nothing is missing, the fate of the questions if all had the same, else `partial`: also if there was no
 * question at all, but source files that were passed over.
 */
export function statusOf(
  files: readonly FileReport[],
  judged: readonly Judged[],
  { skippedFiles }: Pick<Choice, 'skippedFiles'>,
): ModelWorkStatus {
  if (files.length === 0 && skippedFiles.some(({ reason }) => MISSED.includes(reason))) return 'partial';
  if (files.every(({ status }) => GOOD.includes(status))) return 'complete';
  const fates = new Set(judged.map((one) => (one.kind === 'unanswered' ? one.status : undefined)));
  const [fate] = fates;
  return fates.size === 1 && fate !== undefined ? fate : 'partial';
}

/** In a line, how many files would be, or were, rewritten. */
export function summaryOf(files: readonly FileReport[], status: ModelWorkStatus, dryRun: boolean): string {
  const done = files.filter(({ status: one }) => one === (dryRun ? 'planned' : 'written')).length;
  const number = `${done} of ${files.length} ${files.length === 1 ? 'file' : 'files'}`;
  const what =
    files.length === 0
      ? 'no source file that can be refactored'
      : `${number} ${dryRun ? 'would be' : 'were'} rewritten`;
  return `${dryRun ? 'DRY RUN, ' : ''}${what}${status === 'complete' ? '' : `, INCOMPLETE (${status})`}`;
}

/** What a result says of the files that were not put to the model. */
export function reportRest({ skipped, skippedFiles, notReached }: Choice) {
  return { skipped: [...skipped], skipped_files: [...skippedFiles], not_reached: notReached };
}
