/** Tool contracts for tests: one word in, one word out, with limits a test chooses. */
import { z } from 'zod';
import type { ToolContract, ToolLimits } from '../../src/core/tool.js';

/** The input of the echo tool. */
export const echoInput = z.object({ word: z.string().min(1), times: z.int().default(1) });
/** The output of the echo tool. */
export const echoOutput = z.object({ word: z.string() });

/** A tool that says a word again. */
export function echoContract(limits: Partial<ToolLimits> = {}): ToolContract {
  return {
    name: 'echo',
    title: 'Echo',
    description: 'Says a word again.',
    input: echoInput,
    output: echoOutput,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    limits: { timeoutMs: 60_000, attempts: 3, backoffMs: 10, ...limits },
    queue: 'analysis',
    render: (output) => JSON.stringify(output),
  };
}
