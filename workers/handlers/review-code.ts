/** Does the work of `review_code`: asks the client's model for findings, then for fixes of those that stand in the code. */
import type { Handler } from '../../src/core/tool.js';
import type { reviewCode } from '../../src/tools/review-code.js';
import { languageByName } from '../analysis/language-by-name.js';
import { PLACEHOLDER } from '../review/fixes.js';
import { CODE_PLAN } from '../review/review-plan.js';
import { sourceOf, UNNAMED } from '../review/source.js';
import { doReview, type ReviewOptions } from './review-work.js';

type Review = Handler<typeof reviewCode>;

/** Builds the handler. It asks the same on every run for the same job, as parked handlers must. */
export function createReviewCode(options: ReviewOptions): Review {
  return async ({ code, language, focus }, context) => {
    const source = sourceOf(UNNAMED, languageByName(language), code);
    const work = { subject: { jobId: context.jobId, focus }, plan: CODE_PLAN, sources: [source], skipped: [] };
    return doReview(work, {
      context,
      options,
      tell: ({ output, texts }) => {
        const revised = revisedCode(code, texts.get(UNNAMED));
        return { ...output, language, focus, ...(revised !== undefined && { revised_code: revised }) };
      },
    });
  };
}

/** Code that secrets were taken out of would lose them, so it is not given back. */
function revisedCode(code: string, fixed: string | undefined): string | undefined {
  if (fixed === undefined || PLACEHOLDER.test(code)) return undefined;
  const lineEnd = code.includes('\r\n') ? '\r\n' : '\n';
  return fixed + (code.endsWith('\n') ? lineEnd : '');
}
