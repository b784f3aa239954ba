/** The tools every worker can run: each contract of `src/tools` with its handler. */
import type { Config } from '../src/config.js';
import { defineTool, type Tool } from '../src/core/tool.js';
import { analyzeCodebase } from '../src/tools/analyze-codebase.js';
import { generateTests } from '../src/tools/generate-tests.js';
import { reviewCode } from '../src/tools/review-code.js';
import { createAnalyzeCodebase } from './handlers/analyze-codebase.js';
import { runGenerateTests } from './handlers/generate-tests.js';
import { runReviewCode } from './handlers/review-code.js';

/** Builds the table's rows; `config` gives the number of scan threads. */
export function builtInTools(config: Pick<Config, 'scanThreads'>): Tool[] {
  return [
    defineTool(analyzeCodebase, createAnalyzeCodebase({ threads: config.scanThreads })),
    defineTool(generateTests, runGenerateTests),
    defineTool(reviewCode, runReviewCode),
  ];
}
