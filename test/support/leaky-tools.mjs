/** A tool of a user's own that is careless with what it reads: it tells secrets to the log, the progress, the model, the user and its caller. */
import { readFileSync } from 'node:fs';
import { AppError, defineTool, z } from 'longhaul-mcp-server/tool';

const contract = {
  name: 'leaky',
  title: 'Test tool',
  description: 'A scripted tool for tests.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 60_000, attempts: 2, backoffMs: 100 },
  queue: 'review',
  input: z.object({
    file: z.string(),
    note: z.string(),
    idempotency_key: z.string().optional(),
    code: z.string().optional(),
    fails: z.enum(['kindly', 'badly', 'later']),
  }),
  output: z.object({ text: z.string() }),
  modelText: ['code'],
  render: (output) => output.text,
};

export default defineTool(contract, async ({ file, fails }, ctx) => {
  const text = readFileSync(file, 'utf8');
  ctx.progress({ progress: 1, total: 2, message: `read ${text}` });
  ctx.log('info', { text, lines: text.split('\n') });
  await ctx.sample('model', { messages: [{ role: 'user', text }], systemPrompt: text, maxTokens: 100 });
  await ctx.elicit('user', { message: `Go on?\n${text}`, fields: z.object({ yes: z.boolean().describe(text) }) });
  if (fails === 'badly') throw new Error(`cannot go on with ${text}`);
  if (fails === 'later') throw new AppError('queue_unavailable', `try again with ${text}`, { cause: new Error(text) });
  if (ctx.attempt > 0) throw new AppError('invalid_arguments', `not with ${text}`);
  return { text };
});
