/** The form of findings as JSON Schema, for models that call tools and for whoever submits them. */
import { z } from 'zod';
import { findingsAnswerSchema } from '../../src/core/finding.js';
import type { SamplingTool } from '../../src/core/sampling.js';

/** JSON Schema of `{"findings": [...]}`. */
export function findingsJsonSchema(): SamplingTool['inputSchema'] {
  return { ...z.toJSONSchema(findingsAnswerSchema), type: 'object' };
}

/** Offered to clients whose model can call tools; the answer may also come as text. */
export function submitFindingsTool(): SamplingTool {
  return {
    name: 'submit_findings',
    description: 'Gives the findings of the review, all at once, instead of an answer in JSON.',
    inputSchema: findingsJsonSchema(),
  };
}
