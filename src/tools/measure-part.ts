/** The contract of a part of a big measurement of complexity: a job of its own that no client sees or calls. */
import { z } from 'zod';
import type { ToolContract } from '../core/tool.js';

const input = z.object({
  root: z.string(),
  /** The paths as JSON, deflated, in base64. */
  files: z.string(),
  handwritten: z.array(z.string()),
  /** Whether functions are wanted, too; only decision points otherwise, and no table is written. */
  functions: z.boolean(),
  max_file_bytes: z.int().optional(),
  use_cache: z.boolean(),
});

// Both are the worker's own, packed like the files, and read by the code that wrote them.
const output = z.object({
  /** Decision points by file. */
  decisions: z.string(),
  /** What the functions came to; absent where they were not wanted. */
  part: z.string().optional(),
});

/** Measures the complexity of some files of a tree. */
export const measurePart: ToolContract<typeof input, typeof output> = {
  name: 'measure_part',
  title: 'Measure a part of a tree',
  description: 'A part of analyze_codebase.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 6 * 3_600_000, attempts: 3, backoffMs: 1_000 },
  queue: 'analysis',
  render: () => '',
};
