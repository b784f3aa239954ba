/** Scripted tools that ask: in rounds with journaled steps between them, and with work on the side; loaded beside the others. */
import { appendFileSync, existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defineTool, z } from 'longhaul-mcp-server/tool';

const note = (ledger, text) => ledger && appendFileSync(ledger, `${text}\n`);
/** Resolves when the file exists. */
const opened = (file) =>
  new Promise((resolve) => {
    const look = () => {
      if (!existsSync(file)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(file), look);
    look();
  });

const fields = z.object({ name: z.string(), age: z.int().min(0).max(150) });
const offered = [{ name: 'look_up', description: 'Looks a word up.', inputSchema: { type: 'object' } }];

const put = (ctx, { key, kind, tools }) => {
  if (kind === 'roots') return ctx.roots(key);
  if (kind === 'elicitation') return ctx.elicit(key, { message: `form ${key}`, fields });
  const request = { messages: [{ role: 'user', text: `question ${key}` }], maxTokens: 100 };
  return ctx.sample(key, tools ? { ...request, tools: offered } : request);
};

const question = z.object({
  key: z.string(),
  kind: z.enum(['sampling', 'elicitation', 'roots']).default('sampling'),
  tools: z.boolean().default(false),
});

const base = {
  title: 'Test tool',
  description: 'A scripted tool for tests.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 60_000, attempts: 3, backoffMs: 200 },
  queue: 'review',
  output: z.object({ text: z.string() }),
  render: (output) => output.text,
};

export default [
  defineTool(
    {
      ...base,
      name: 'quiz',
      input: z.object({
        rounds: z.array(z.array(question)),
        ledger: z.string().optional(),
        idempotency_key: z.string().optional(),
        /** A file that is waited for after the first round. */
        gate: z.string().optional(),
      }),
    },
    async ({ rounds, ledger, gate }, ctx) => {
      note(ledger, `run ${ctx.jobId}`);
      const replies = [];
      for (const [index, round] of rounds.entries()) {
        await ctx.step(`step ${index}`, async () => {
          note(ledger, `step ${index}`);
          return index;
        });
        replies.push(...(await Promise.all(round.map((one) => put(ctx, one)))));
        if (gate && index === 0) {
          note(ledger, `at the gate ${ctx.jobId}`);
          await opened(gate);
        }
        ctx.progress({ progress: index + 1, total: rounds.length, message: `round ${index}` });
        ctx.log('info', `round ${index}`);
      }
      note(ledger, `done ${ctx.jobId}`);
      return { text: JSON.stringify(replies) };
    },
  ),
  // Begins work that heeds its signal, or fails, and asks before it awaits that work, as handlers do to save time.
  defineTool(
    { ...base, name: 'sideline', input: z.object({ fails: z.boolean().default(false) }) },
    async (input, ctx) => {
      const work = input.fails
        ? Promise.reject(new Error('a loose end'))
        : pause(100, undefined, { signal: ctx.signal });
      const reply = await ctx.sample('a', { messages: [{ role: 'user', text: 'question a' }], maxTokens: 10 });
      const done = await work.then(
        () => 'worked',
        (error) => error.message,
      );
      return { text: JSON.stringify([reply, { kind: done }]) };
    },
  ),
];
