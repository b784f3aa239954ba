/** The contracts of the tools that come with the product. */
import type { ToolContract } from '../core/tool.js';
import { analyzeCodebase } from './analyze-codebase.js';
import { analyzeRepo } from './analyze-repo.js';
import { generateTests } from './generate-tests.js';
import { refactorDirectory } from './refactor-directory.js';
import { reviewCode } from './review-code.js';
import { smartReview } from './smart-review.js';

/** Every built-in contract, in no particular order. */
export const BUILT_IN_CONTRACTS: readonly ToolContract[] = [
  analyzeCodebase as unknown as ToolContract,
  analyzeRepo as unknown as ToolContract,
  generateTests as unknown as ToolContract,
  refactorDirectory as unknown as ToolContract,
  reviewCode as unknown as ToolContract,
  smartReview as unknown as ToolContract,
];
