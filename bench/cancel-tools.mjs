/** Tools for measuring cancels: each brings its job into one state and keeps it there; what is aborted says when. */
import { appendFileSync } from 'node:fs';
import { AppError, defineTool, z } from 'longhaul-mcp-server/tool';

const contract = {
  title: 'Benchmark tool',
  description: 'For benchmarks.',
  output: z.object({ text: z.string() }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 600_000, attempts: 2, backoffMs: 600_000 },
  queue: 'review',
  render: (output) => output.text,
};
const tool = (name, handler, more = {}) =>
  defineTool({ ...contract, name, input: z.object({ ledger: z.string(), name: z.string() }), ...more }, handler);

/** Works until it is aborted; the ledger gets the moment, by the clock that all processes of a machine share. */
async function hold({ ledger, name }, { signal, progress }) {
  progress({ progress: 1, total: 2 });
  await new Promise((resolve) => {
    const stop = () => {
      appendFileSync(ledger, `${name} ${process.hrtime.bigint()}\n`);
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  signal.throwIfAborted();
  return { text: '' };
}

/** The tools. */
export default [
  tool('hold', hold),
  tool('hold_part', hold, { queue: 'analysis' }),
  tool('ask', async (_input, context) => {
    await context.sample('only', { messages: [{ role: 'user', text: 'Is it?' }], maxTokens: 10 });
    return { text: '' };
  }),
  tool('fail_once', async () => {
    throw new AppError('handler_failed', 'Not this time.', { retryable: true });
  }),
  tool('spread', async (input, context) => {
    const share = { from: 0, to: 100, outOf: 100, total: 2, before: '', after: '' };
    const parts = [input, { ...input, name: `${input.name}+` }];
    await context.fanOut('parts', { tool: 'hold_part', queue: 'analysis', parts, share });
    return { text: '' };
  }),
];
