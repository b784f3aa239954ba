/** Tells what a submitted review came to, in the form of one that was asked for. */
import type { ModelWorkStatus } from '../../src/core/model-work.js';
import { filesOf, isWhole, type ReportParts, type ReviewReport, summaryOf, toldFinding } from './review-report.js';
import type { Submitted } from './submission.js';

/** Reports a submission; what the packet showed counts as reviewed, since all of it was there to be read. */
export function reportSubmission(submitted: Submitted, parts: ReportParts): Omit<ReviewReport, 'unread'> {
  const { findings, leftOut, lacks, notes } = submitted;
  const files = filesOf([], parts).map((file) =>
    isShown(file.path, parts) ? { ...file, status: 'partial' as const } : file,
  );
  const status = statusOf(submitted, lacks.length === 0 && files.every(isWhole(parts.skipped)));
  return {
    status,
    summary: summaryOf(status, submitted, true),
    findings: findings.map((finding) => toldFinding(finding)),
    left_out: [...leftOut],
    files,
    notes: [...lacks, ...notes],
  };
}

/** Whether a file that lacks something was in the packet with some of its lines. */
function isShown(path: string, { sources, unasked }: ReportParts): boolean {
  const source = sources.find((one) => one.path === path);
  const parts = unasked.flatMap(({ chunk }) => chunk.parts.filter((part) => part.source === source));
  const lines = parts.reduce((sum, part) => sum + part.lines.length, 0);
  return source !== undefined && lines > 0 && lines < source.lines.length;
}

function statusOf({ read }: Submitted, whole: boolean): ModelWorkStatus {
  if (!read) return 'unparseable';
  return whole ? 'complete' : 'partial';
}
