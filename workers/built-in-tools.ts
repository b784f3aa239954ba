/** The tools every worker can run: each contract of `src/tools` with its handler. */
import type { Config } from '../src/config.js';
import { defineTool, type Tool } from '../src/core/tool.js';
import { analyzeCodebase } from '../src/tools/analyze-codebase.js';
import { createAnalyzeCodebase } from './handlers/analyze-codebase.js';

/** Builds the table's rows; `config` gives the number of scan threads. */
export function builtInTools(config: Pick<Config, 'scanThreads'>): Tool[] {
  return [defineTool(analyzeCodebase, createAnalyzeCodebase({ threads: config.scanThreads }))];
}
