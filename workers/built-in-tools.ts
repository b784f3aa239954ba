/** The tools every worker can run: each contract of `src/tools` with its handler. */
import type { Config } from '../src/config.js';
import type { JsonRedactor } from '../src/core/redaction.js';
import { defineTool, type Tool } from '../src/core/tool.js';
import { createNameGuard } from '../src/secrets/name-guard.js';
import { analyzeCodebase } from '../src/tools/analyze-codebase.js';
import { analyzeRepo } from '../src/tools/analyze-repo.js';
import { countPart } from '../src/tools/count-part.js';
import { generateTests } from '../src/tools/generate-tests.js';
import { measurePart } from '../src/tools/measure-part.js';
import { refactorDirectory } from '../src/tools/refactor-directory.js';
import { reviewCode } from '../src/tools/review-code.js';
import { smartReview } from '../src/tools/smart-review.js';
import { createSharedCrew } from './analysis/complexity/measure-complexity.js';
import { createSharedPool } from './analysis/scan.js';
import { createSyntax } from './analysis/syntax/syntax.js';
import { createAnalyzeCodebase } from './handlers/analyze-codebase.js';
import { createAnalyzeRepo } from './handlers/analyze-repo.js';
import { createCountPart } from './handlers/count-part.js';
import { runGenerateTests } from './handlers/generate-tests.js';
import { createMeasurePart } from './handlers/measure-part.js';
import { createRefactorDirectory } from './handlers/refactor-directory.js';
import { createReviewCode } from './handlers/review-code.js';
import { createSmartReview } from './handlers/smart-review.js';
import { createMetricCache, createScanCache } from './scan-cache.js';

/** Builds the table's rows; `config` gives the number of scan threads and the limits of sampling. */
export function builtInTools(
  config: Pick<Config, 'scanThreads' | 'partFiles' | 'sampling' | 'cacheDir' | 'scanCacheBytes'>,
  redactor: JsonRedactor,
): Tool[] {
  const { scanThreads: threads, partFiles } = config;
  const openCache = createScanCache(config);
  const scanning = { threads, pool: createSharedPool(threads), openCache, redactor, guard: createNameGuard() };
  const measuring = { crew: createSharedCrew(threads), openMetricCache: createMetricCache(config) };
  const syntax = createSyntax();
  const refactoring = {
    redactor,
    syntax,
    answerTokens: config.sampling.requestOutputTokens,
  };
  return [
    defineTool(analyzeCodebase, createAnalyzeCodebase({ ...scanning, ...measuring, partFiles })),
    defineTool(
      analyzeRepo,
      createAnalyzeRepo({ threads, redactor, crew: measuring.crew, complexity: { ...measuring, partFiles } }),
    ),
    defineTool(countPart, createCountPart(scanning)),
    defineTool(measurePart, createMeasurePart({ threads, ...measuring, redactor })),
    defineTool(generateTests, runGenerateTests),
    defineTool(refactorDirectory, createRefactorDirectory(refactoring)),
    defineTool(reviewCode, createReviewCode({ syntax })),
    defineTool(smartReview, createSmartReview({ syntax, redactor })),
  ];
}
