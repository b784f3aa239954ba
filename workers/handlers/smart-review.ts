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
  readonly notNamed: GatheredFiles['notNamed'];
  /** A fix needs the whole file, which a diff does not show. */
  readonly whole: boolean;
}

const NO_FIXES = 'Fixes are not asked for: a diff does not show the whole files they would have to fit.';

/** Builds the handler. Files are read once in the job's life: what they hold, without secrets, is journaled for every run. */
export function createSmartReview(options: SmartReviewOptions): Review {
  return async (input, context) => {
    const { sources, skipped, notNamed, whole } = await subjectOf(input, context, options);
    const plan: ReviewPlan = { ...DEPTH_PLANS[input.depth], ...(!whole && { fixes: false }) };
    const without = !whole && DEPTH_PLANS[input.depth].fixes;
    const tell = tellFor(input, notNamed, without ? [NO_FIXES] : []);
    const subject = { jobId: context.jobId, focus: 'all' as const };
    return doReview({ subject, plan, sources, skipped }, { context, options, tell });
  };
}

async function subjectOf(input: Input, context: HandlerContext, { redactor }: SmartReviewOptions): Promise<Subject> {
  const { code, language = '', path, paths, diff } = input;
  if (code !== undefined)
    return { sources: [sourceOf(UNNAMED, languageByName(language), code)], skipped: [], notNamed: [], whole: true };
  if (diff !== undefined) return { ...(await subjectOfDiff(diff, context, redactor)), notNamed: [], whole: false };
  const gathered = await context.step('files', async () => {
    const found = await gatherFiles({ paths: paths ?? (path === undefined ? [] : [path]), context, redactor });
    return found as unknown as JsonValue;
  });
  // The journal holds what an earlier run of this same step returned.
  const { files, ...others } = gathered as unknown as GatheredFiles;
  return { sources: files.map((file) => sourceOf(file.path, file.language, file.text)), ...others, whole: true };
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

function tellFor(
  { depth }: Input,
  notNamed: GatheredFiles['notNamed'],
  more: readonly string[],
): (done: ReviewDone) => Output {
  return ({ output, scores, verdict }) => ({
    ...output,
    notes: [...output.notes, ...more],
    depth,
    files_not_named: [...notNamed],
    ...(scores && { scores: { ...scores } }),
    ...(verdict !== undefined && { verdict }),
  });
}
