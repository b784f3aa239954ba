/** What the reviewing handlers do alike: ask the client's model, or hand the review over where there is none to ask. */
import type { HandlerContext } from '../../src/core/tool.js';
import { samplingOf } from '../../src/tools/model-work.js';
import { type Chunk, chunksOf } from '../review/chunks.js';
import { type CountSyntaxErrors, PLACEHOLDER } from '../review/fixes.js';
import { PACKET_CHUNKS, type ReviewPacket, reviewPacket } from '../review/packet.js';
import { type Review, review } from '../review/review.js';
import type { ReviewPlan } from '../review/review-plan.js';
import type { ReviewSubject } from '../review/review-questions.js';
import { filesOf, type ReportParts, type ReviewReport, reportOf, type SkippedFile } from '../review/review-report.js';
import type { Scores } from '../review/scores.js';
import type { Source } from '../review/source.js';
import { readSubmission } from '../review/submission.js';
import { reportSubmission } from '../review/submission-report.js';

/** What the handlers stand on. */
export interface ReviewOptions {
  readonly syntax: {
    countSyntaxErrors(
      ...asked: [...Parameters<CountSyntaxErrors>, { signal: AbortSignal }]
    ): ReturnType<CountSyntaxErrors>;
  };
}

/** What is reviewed, and how. */
export interface ReviewWork {
  readonly subject: ReviewSubject;
  readonly plan: ReviewPlan;
  readonly sources: readonly Source[];
  readonly skipped: readonly SkippedFile[];
}

/** What both handlers tell. */
export interface ReviewOutput extends Omit<ReviewReport, 'unread' | 'findings'> {
  readonly job_id: string;
  readonly complete: boolean;
  readonly sampling: ReturnType<typeof samplingOf>;
  readonly findings: ReviewReport['findings'][number][];
  readonly raw_answer?: string;
  readonly packet?: ReviewPacket;
}

/** The output, and what only one of the handlers tells. */
export interface ReviewDone {
  readonly output: ReviewOutput;
  readonly scores?: Scores;
  readonly verdict?: string;
  /** The text of each file with its fixes, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Chunks of one review at most: what the token budget of a job can answer for. */
const MOST_CHUNKS = 48;
const OVER = 'this is more code than one review takes; ask for it in parts';

/**
 * Reviews. `tell` builds the tool's own output: where the client has no model to ask, the review is handed over with it,
 * and what is submitted is judged like an answer.
 */
export async function doReview<Output extends object>(
  work: ReviewWork,
  {
    context,
    options,
    tell,
  }: { readonly context: HandlerContext; readonly options: ReviewOptions; readonly tell: (done: ReviewDone) => Output },
): Promise<Output> {
  const all = chunksOf(work.sources);
  const chunks = all.slice(0, MOST_CHUNKS);
  const unasked = all.slice(MOST_CHUNKS).map((chunk) => ({ chunk, reason: OVER }));
  const parts: ReportParts = { sources: work.sources, skipped: work.skipped, unasked };
  const { signal } = context;
  const reviewed = await review(context, {
    subject: work.subject,
    plan: work.plan,
    sources: work.sources,
    chunks,
    countSyntaxErrors: (language, text) => options.syntax.countSyntaxErrors(language, text, { signal }),
    onProgress: (share, message) => context.progress({ progress: Math.round(share * 99), total: 100, message }),
  });
  const report = reportOf(reviewed, parts);
  if (report.status === 'unavailable') return handOver(work, { context, tell, chunks, parts, report });
  context.progress({ progress: 100, total: 100, message: 'Reviewed' });
  return tell(doneOf(work, report, reviewed));
}

function doneOf(work: ReviewWork, { unread, ...report }: ReviewReport, reviewed: Review): ReviewDone {
  const heard = reviewed.chunks.some((chunk) => chunk.heard);
  const raw = heard ? undefined : unread?.rawAnswer;
  return {
    output: {
      job_id: work.subject.jobId,
      ...report,
      complete: report.status === 'complete',
      notes: [...report.notes, ...notesOn(work)],
      findings: [...report.findings],
      sampling: samplingIn(reviewed, unread),
      ...(raw !== undefined && { raw_answer: raw }),
    },
    ...(reviewed.scores && { scores: reviewed.scores }),
    ...(reviewed.verdict !== undefined && { verdict: reviewed.verdict }),
    texts: reviewed.fixed?.texts ?? new Map(),
  };
}

/** An empty folder, or a diff that only deletes, leaves nothing to ask about. */
function samplingIn({ chunks }: Review, unread: ReviewReport['unread']): ReviewOutput['sampling'] {
  if (chunks.length === 0) return 'not_asked';
  return chunks.some((chunk) => chunk.heard) || !unread ? 'used' : samplingOf(unread);
}

/** What the reader must know of quotes that hold placeholders. */
function notesOn({ sources }: ReviewWork): string[] {
  const redacted = sources.some(({ lines }) => lines.some(({ text }) => PLACEHOLDER.test(text)));
  return redacted ? ['Secrets were taken out before the code was read; [REDACTED:…] stands where they were.'] : [];
}

const HANDED_OVER =
  'The client does not offer sampling, so its model could not be asked; nothing was sent to it. Use a client that offers ' +
  'sampling, or do the review yourself with the packet in this result.';

const NOT_IN_PACKET = 'not in the packet';

/** What of each file waits for its review, and what will not get one. */
function awaiting(chunks: readonly Chunk[]): ReportParts['unasked'] {
  return chunks.map((chunk, index) => ({
    chunk,
    reason: index < PACKET_CHUNKS ? 'not yet; in the packet' : NOT_IN_PACKET,
  }));
}

function leftOf(chunks: readonly Chunk[]): string[] {
  const left = chunks.length - PACKET_CHUNKS;
  return left > 0
    ? [`The packet holds the first ${PACKET_CHUNKS} of ${chunks.length} chunks; ask for the rest in parts.`]
    : [];
}

interface HandingOver<Output> {
  readonly context: HandlerContext;
  readonly tell: (done: ReviewDone) => Output;
  readonly chunks: readonly Chunk[];
  readonly parts: ReportParts;
  readonly report: ReviewReport;
}

async function handOver<Output extends object>(work: ReviewWork, handing: HandingOver<Output>): Promise<Output> {
  const { context, tell, chunks, parts, report } = handing;
  const { unread: _unread, ...told } = report;
  const output = {
    job_id: work.subject.jobId,
    ...told,
    complete: false,
    findings: [],
    sampling: 'unavailable' as const,
    files: filesOf([], { ...parts, unasked: [...awaiting(chunks), ...parts.unasked] }),
    notes: [HANDED_OVER, ...leftOf(chunks), ...notesOn(work)],
    packet: reviewPacket(work.subject, chunks),
  };
  const preliminary = tell({ output, texts: new Map() });
  const reply = await context.handOff('packet', { output: preliminary });
  if (reply.kind !== 'answered') return preliminary;
  const submitted = readSubmission(reply.value, work.sources);
  const left = chunks.slice(PACKET_CHUNKS).map((chunk) => ({ chunk, reason: NOT_IN_PACKET }));
  const final = reportSubmission(submitted, { ...parts, unasked: [...left, ...parts.unasked] });
  return tell({
    output: {
      job_id: work.subject.jobId,
      ...final,
      complete: final.status === 'complete',
      findings: [...final.findings],
      sampling: 'unavailable',
    },
    scores: submitted.scores,
    ...(submitted.verdict !== undefined && { verdict: submitted.verdict }),
    texts: new Map(),
  });
}
