/** Tools for measuring parked jobs: one that asks a single question, and one that does nothing, in the same queue. */
import { defineTool, z } from 'longhaul-mcp-server/tool';

const contract = {
  title: 'Benchmark tool',
  description: 'For benchmarks.',
  input: z.object({}),
  output: z.object({ answer: z.string() }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 60_000, attempts: 1, backoffMs: 1_000 },
  queue: 'review',
  render: (output) => output.answer,
};

/** The two tools. */
export default [
  defineTool({ ...contract, name: 'ask_once' }, async (_input, context) => {
    const request = { messages: [{ role: 'user', text: 'Is this code sound?' }], maxTokens: 100 };
    const reply = await context.sample('only', request);
    return { answer: reply.kind === 'answered' ? reply.value.text : reply.kind };
  }),
  defineTool({ ...contract, name: 'nothing' }, async () => ({ answer: '' })),
];
