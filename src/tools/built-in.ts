/** The contracts of the tools that come with the product. */
import type { ToolContract } from '../core/tool.js';
import { analyzeCodebase } from './analyze-codebase.js';

/** Every built-in contract, in no particular order. */
export const BUILT_IN_CONTRACTS: readonly ToolContract[] = [analyzeCodebase as unknown as ToolContract];
