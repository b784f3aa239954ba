/** Tells what a review came to: its findings, every file with what was reviewed of it, and how far the whole is complete. */
import { type Finding, SEVERITIES } from '../../src/core/finding.js';
import type { ModelWorkStatus } from '../../src/core/model-work.js';
import type { Unread } from './ask-model.js';
import type { Chunk } from './chunks.js';
import type { ChunkFindings } from './find-phase.js';
import type { Fixed } from './fix-phase.js';
import type { LeftOut } from './place-findings.js';
import type { Review } from './review.js';
import type { Source } from './source.js';

/** A file and what was reviewed of it. */
export interface FileReport {
  readonly path: string;
  readonly status: 'reviewed' | 'partial' | 'skipped';
  readonly reason?: string;
}

/** A file that was never to be put to a model; `expected` if the caller could think that it would be. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
  readonly expected: boolean;
}

/** What a report is made of. */
export interface ReportParts {
  readonly sources: readonly Source[];
  readonly skipped: readonly SkippedFile[];
  /** Chunks that were not asked about, and why. */
  readonly unasked: readonly { readonly chunk: Chunk; readonly reason: string }[];
}

/** Fields that both reviewing tools tell; `unread` is the end of the first question if none was read. */
export interface ReviewReport {
  readonly status: ModelWorkStatus;
  readonly summary: string;
  readonly findings: readonly ToldFinding[];
  readonly left_out: LeftOut[];
  readonly files: FileReport[];
  readonly notes: string[];
  readonly model?: string;
  readonly unread?: Unread;
}

/** A finding as it is told. */
export interface ToldFinding extends Omit<Finding, 'endLine'> {
  readonly end_line: number;
  readonly fix?: { readonly find: string; readonly replace: string };
  readonly no_fix?: string;
}

/** Reports a review that was asked for. */
export function reportOf(review: Review, parts: ReportParts): ReviewReport {
  const files = filesOf(review.chunks, parts);
  const heard = review.chunks.some((chunk) => chunk.heard);
  const unread = review.chunks.find((chunk) => chunk.unread)?.unread;
  const empty = parts.sources.length === 0;
  const lacks = [...notesOfChunks(review.chunks), ...review.lacks];
  const whole = lacks.length === 0 && files.every(isWhole(parts.skipped));
  const status = !heard && unread ? unread.status : statusOf({ whole: whole && !empty, cut: cutOff(review.chunks) });
  const model = review.chunks.find((chunk) => chunk.model !== undefined)?.model;
  return {
    status,
    summary: summaryOf(status, review, heard),
    findings: review.findings.map((finding) => toldFinding(finding, review.fixed)),
    left_out: [...review.leftOut],
    files,
    notes: [...(empty ? ['There was nothing that could be reviewed.'] : []), ...lacks, ...review.notes],
    ...(model !== undefined && { model }),
    ...(unread && { unread }),
  };
}

/** A finding with its fix, or why one that was proposed is not offered. */
export function toldFinding({ endLine, ...finding }: Finding, fixed?: Fixed): ToldFinding {
  const fix = fixed?.offered.find(({ findingId }) => findingId === finding.id);
  const refused = fixed?.refused.get(finding.id);
  return {
    ...finding,
    end_line: endLine,
    ...(fix && { fix: { find: fix.find, replace: fix.replace } }),
    ...(!fix && refused !== undefined && { no_fix: refused }),
  };
}

/** In a few words, what was found; nothing found is said only of what was reviewed whole, and only if nothing was reported. */
export function summaryOf(
  status: ModelWorkStatus,
  { findings, leftOut }: { readonly findings: readonly Finding[]; readonly leftOut: readonly LeftOut[] },
  heard: boolean,
): string {
  const incomplete = status === 'complete' ? '' : `, INCOMPLETE (${status})`;
  if (heard && findings.length === 0 && leftOut.length > 0)
    return `${status === 'complete' ? '' : `INCOMPLETE (${status}): `}no issue stands, ${leftOut.length} left out`;
  if (findings.length === 0 && status === 'complete') return 'no issues were found';
  if (findings.length === 0)
    return heard && status === 'partial'
      ? 'INCOMPLETE (partial): nothing found in what was reviewed'
      : `NOT REVIEWED (${status})`;
  const counts = SEVERITIES.map((severity) => [severity, findings.filter((one) => one.severity === severity).length]);
  const parts = counts.filter(([, count]) => count !== 0).map(([severity, count]) => `${count} ${severity}`);
  const number = findings.length === 1 ? '1 issue' : `${findings.length} issues`;
  return `${number} (${parts.join(', ')})${incomplete}`;
}

/** Every file with its status, by path. */
export function filesOf(chunks: readonly ChunkFindings[], { sources, skipped, unasked }: ReportParts): FileReport[] {
  const reviewed = sources.map((source) => fileOf(source, chunks, unasked));
  const others = skipped.map(({ path, reason }) => ({ path, status: 'skipped' as const, reason }));
  return [...reviewed, ...others].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function fileOf(source: Source, chunks: readonly ChunkFindings[], unasked: ReportParts['unasked']): FileReport {
  const of = ({ parts }: Chunk) => parts.some((part) => part.source === source);
  const own = chunks.filter(({ chunk }) => of(chunk));
  const reasons = [
    ...own.flatMap(({ chunk, lacks }) => (lacks.length === 0 ? [] : [`${rangeOf(source, chunk)}${lacks.join('; ')}`])),
    ...unasked.filter(({ chunk }) => of(chunk)).map(({ chunk, reason }) => `${rangeOf(source, chunk)}${reason}`),
  ];
  if (reasons.length === 0) return { path: source.path, status: 'reviewed' };
  const heard = own.some((chunk) => chunk.heard);
  return { path: source.path, status: heard ? 'partial' : 'skipped', reason: reasons.join(' ') };
}

/** Which lines a reason is about; of a file in one chunk there is nothing to tell apart. */
function rangeOf(source: Source, { parts }: Chunk): string {
  const lines = parts.find((part) => part.source === source)?.lines ?? [];
  if (lines.length === source.lines.length) return '';
  return `lines ${lines[0]?.number ?? 1}–${lines.at(-1)?.number ?? 1}: `;
}

function notesOfChunks(chunks: readonly ChunkFindings[]): string[] {
  const several = chunks.length > 1;
  const notes = chunks.flatMap(({ chunk, lacks }) =>
    lacks.map((lack) =>
      several ? `Chunk ${chunk.number} of ${chunks.length}: ${lack}` : `${lack[0]?.toUpperCase()}${lack.slice(1)}`,
    ),
  );
  return notes.map((note) => (note.endsWith('.') ? note : `${note}.`));
}

/** Tells files that lack nothing, or nothing that anybody expects. */
export function isWhole(skipped: readonly SkippedFile[]): (file: FileReport) => boolean {
  const unexpected = new Set(skipped.filter(({ expected }) => !expected).map(({ path }) => path));
  return ({ path, status }) => status === 'reviewed' || unexpected.has(path);
}

/** Whether the only thing that is wrong is that the one answer there is was cut off. */
function cutOff(chunks: readonly ChunkFindings[]): boolean {
  return chunks.length === 1 && chunks[0]?.cut === true;
}

function statusOf({ whole, cut }: { readonly whole: boolean; readonly cut: boolean }): ModelWorkStatus {
  if (whole) return 'complete';
  return cut ? 'truncated' : 'partial';
}
