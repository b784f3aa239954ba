/** Does the work of `smart_review`: one snapshot of what is reviewed, then the phases that the depth asks for. */
import type { JsonValue } from '../../src/core/json.js';
import type { Redactor } from '../../src/core/redaction.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import type { smartReview } from '../../src/tools/smart-review.js';
import { languageByName } from '../analysis/language-by-name.js';
import { sourcesOfDiff } from '../review/diff-source.js';
import { DEPTH_PLANS, type ReviewPlan } from '../review/review-plan.js';
import type { SkippedFile } from '../review/review-report.js';
import { type Source, sourceOf, UNNAMED } from '../review/source.js';
import { type GatheredFiles, gatherFiles } from './review-files.js';
import { doReview, type ReviewDone, type ReviewOptions } from './review-work.js';

type Review = Handler<typeof smartReview>;
type Input = Parameters<Review>[0];
type Output = Awaited<ReturnType<Review>>;

/** What the handler stands on. */
export interface SmartReviewOptions extends ReviewOptions {
  readonly redactor: Redactor;
}

interface Subject {
  readonly sources: readonly Source[];
  readonly skipped: readonly SkippedFile[];
  /** A fix needs the whole file, which a diff does not show. */
  readonly whole: boolean;
}

/** Skipped files that are named one by one. */
const NAMED = 500;
const NO_FIXES = 'Fixes are not asked for: a diff does not show the whole files they would have to fit.';

/** Builds the handler. Files are read once in the job's life: what they hold, without secrets, is journaled for every run. */
export function createSmartReview(options: SmartReviewOptions): Review {
  return async (input, context) => {
    const { sources, skipped, whole } = await subjectOf(input, context, options);
    const plan: ReviewPlan = { ...DEPTH_PLANS[input.depth], ...(!whole && { fixes: false }) };
    const without = !whole && DEPTH_PLANS[input.depth].fixes;
    const tell = tellFor(input, skipped, without ? [NO_FIXES] : []);
    const subject = { jobId: context.jobId, focus: 'all' as const };
    return doReview({ subject, plan, sources, skipped: named(skipped) }, { context, options, tell });
  };
}

async function subjectOf(input: Input, context: HandlerContext, { redactor }: SmartReviewOptions): Promise<Subject> {
  const { code, language = '', path, paths, diff } = input;
  if (code !== undefined)
    return { sources: [sourceOf(UNNAMED, languageByName(language), code)], skipped: [], whole: true };
  if (diff !== undefined) return { ...(await subjectOfDiff(diff, context, redactor)), whole: false };
  const gathered = await context.step('files', async () => {
    const found = await gatherFiles({ paths: paths ?? (path === undefined ? [] : [path]), context, redactor });
    return found as unknown as JsonValue;
  });
  // The journal holds what an earlier run of this same step returned.
  const { files, skipped } = gathered as unknown as GatheredFiles;
  return { sources: files.map((file) => sourceOf(file.path, file.language, file.text)), skipped, whole: true };
}

/** The diff itself was redacted before the job was stored; the names of its files may still block some. */
async function subjectOfDiff(
  diff: string,
  context: HandlerContext,
  redactor: Redactor,
): Promise<Pick<Subject, 'sources' | 'skipped'>> {
  const { sources, skipped } = sourcesOfDiff(diff);
  const reasons = await context.step('blocked names', () =>
    Promise.all(sources.map(async ({ path }) => (await redactor.redact('', { path })).blocked ?? null)),
  );
  const blocked = sources.flatMap(({ path }, index) => {
    const reason = reasons[index] ?? null;
    return reason === null ? [] : [{ path, reason, expected: true }];
  });
  return {
    sources: sources.filter((_source, index) => (reasons[index] ?? null) === null),
    skipped: [...skipped.map((file) => ({ ...file, expected: false })), ...blocked],
  };
}

/** The first to be named are those that somebody may miss. */
function named(skipped: readonly SkippedFile[]): readonly SkippedFile[] {
  return byWeight(skipped).slice(0, NAMED);
}

function byWeight(skipped: readonly SkippedFile[]): SkippedFile[] {
  return [...skipped].sort((a, b) => Number(b.expected) - Number(a.expected));
}

function tellFor(
  { depth }: Input,
  skipped: readonly SkippedFile[],
  more: readonly string[],
): (done: ReviewDone) => Output {
  const rest = new Map<string, number>();
  for (const { reason } of byWeight(skipped).slice(NAMED)) rest.set(reason, (rest.get(reason) ?? 0) + 1);
  return ({ output, scores, verdict }) => ({
    ...output,
    notes: [...output.notes, ...more],
    depth,
    files_not_named: [...rest].map(([reason, files]) => ({ reason, files })),
    ...(scores && { scores: { ...scores } }),
    ...(verdict !== undefined && { verdict }),
  });
}
