/** Tools of an operator's own, as the pictures show them: long, with phases, and one that fails on demand. */
import { AppError, defineTool, z } from 'longhaul-mcp-server/tool';

const base = {
  title: 'Scene tool',
  description: 'Plays a long job for the pictures of the dashboard.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 3_600_000, attempts: 3, backoffMs: 240_000 },
  queue: 'analysis',
  output: z.object({ text: z.string() }),
  render: (output) => output.text,
};
const input = z.object({ from: z.number().default(0), phase: z.string(), what: z.string().default('rows') });

const hold = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const playing = (name) =>
  defineTool({ ...base, name, input }, async ({ from, phase, what }, ctx) => {
    const total = 2_400_000;
    ctx.progress({
      progress: from * total,
      total,
      message: `${phase}: ${Math.round(from * total).toLocaleString('en-US')} of 2,400,000 ${what}`,
    });
    await hold(ctx.signal);
    return { text: 'done' };
  });

export default [
  playing('import_catalogue'),
  playing('nightly_report'),
  playing('reindex_search'),
  defineTool(
    { ...base, name: 'sync_mirror', input: z.object({ retryable: z.boolean(), why: z.string() }) },
    async ({ retryable, why }) => {
      throw new AppError('handler_failed', why, { retryable });
    },
  ),
];
