/** The contract of a part of a big scan: a job of its own that no client sees or calls. */
import { z } from 'zod';
import type { ToolContract } from '../core/tool.js';

const input = z.object({
  root: z.string(),
  /** The paths as JSON, deflated, in base64: thousands of paths of one tree are much alike. */
  files: z.string(),
  handwritten: z.array(z.string()),
  max_file_bytes: z.int(),
  use_cache: z.boolean().default(true),
  /** False where nothing was known of the tree when it was shared out, so that nothing need be looked up. */
  recall: z.boolean().default(true),
});

// The tables are the worker's own, written and read by the same code.
const output = z.object({ counts: z.record(z.string(), z.unknown()), from_cache: z.int().default(0) });

/** Counts some files of a tree. */
export const countPart: ToolContract<typeof input, typeof output> = {
  name: 'count_part',
  title: 'Count a part of a scan',
  description: 'A part of analyze_codebase.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 6 * 3_600_000, attempts: 3, backoffMs: 1_000 },
  queue: 'analysis',
  pathArgument: 'root',
  render: () => '',
};
