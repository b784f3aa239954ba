/** The tools of the chaos run: what they do to the world outside goes into a ledger, and what they return depends on their arguments only. */
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { AppError, defineTool, z } from 'longhaul-mcp-server/tool';

const contract = {
  title: 'Chaos tool',
  description: 'A scripted tool for the chaos run.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 120_000, attempts: 3, backoffMs: 200 },
  output: z.object({ text: z.string() }),
  render: (output) => output.text,
};
const common = { ledger: z.string(), idempotency_key: z.string() };
const tool = (name, queue, input, handler) =>
  defineTool({ ...contract, name, queue, input: z.object({ ...common, ...input }) }, handler);

/** One line of the ledger; short enough to be appended in one piece. */
const note = ({ ledger, idempotency_key: key }, ctx, what, more = {}) =>
  appendFileSync(
    ledger,
    `${JSON.stringify({ atMs: Date.now(), pid: process.pid, job: ctx.jobId, key, what, attempt: ctx.attempt, ...more })}\n`,
  );

const wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
const digest = (...parts) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Does an effect once a step, with its note in the ledger, then tells of it. */
async function doSteps(input, ctx, { from, to, of }) {
  const done = [];
  for (let step = from; step <= to; step++) {
    done.push(
      await ctx.step(`step ${step}`, async () => {
        await wait(input.step_ms, ctx.signal);
        note(input, ctx, 'effect', { step });
        return digest(input.salt, step);
      }),
    );
    ctx.log('info', { step });
    ctx.progress({ progress: step, total: of, message: `step ${step}` });
  }
  return done;
}

const stepped = { steps: z.int(), step_ms: z.int(), salt: z.string() };
const fields = z.object({ name: z.string(), age: z.int().min(0).max(150) });

/** The tools. */
export default [
  tool('chaos_noop', 'review', {}, async (input, ctx) => {
    note(input, ctx, 'run');
    return { text: 'nothing' };
  }),
  tool('chaos_effects', 'review', stepped, async (input, ctx) => {
    note(input, ctx, 'run');
    const done = await doSteps(input, ctx, { from: 1, to: input.steps, of: input.steps });
    note(input, ctx, 'end');
    return { text: digest(done) };
  }),
  tool('chaos_quiz', 'review', { ...stepped, rounds: z.int(), width: z.int() }, async (input, ctx) => {
    note(input, ctx, 'run');
    const of = input.rounds * input.steps;
    const replies = [];
    for (let round = 0; round < input.rounds; round++) {
      replies.push(await doSteps(input, ctx, { from: round * input.steps + 1, to: (round + 1) * input.steps, of }));
      const ask = async (_, question) => {
        const text = `[[${input.idempotency_key}]] question ${round} ${question}`;
        return ctx.sample(`q ${round} ${question}`, { messages: [{ role: 'user', text }], maxTokens: 100 });
      };
      const answers = await Promise.all(Array.from({ length: input.width }, ask));
      replies.push(answers.map(({ kind, value }) => [kind, value?.text]));
    }
    note(input, ctx, 'end');
    return { text: JSON.stringify(replies) };
  }),
  tool('chaos_form', 'review', stepped, async (input, ctx) => {
    note(input, ctx, 'run');
    const done = await doSteps(input, ctx, { from: 1, to: input.steps, of: input.steps });
    const message = `[[${input.idempotency_key}]] form ${input.salt}`;
    const { kind, value } = await ctx.elicit('form', { message, fields });
    ctx.log('notice', { kind });
    note(input, ctx, 'end');
    return { text: JSON.stringify([done, kind, value]) };
  }),
  tool('chaos_failing', 'review', { how: z.enum(['plain', 'told']), salt: z.string() }, async (input, ctx) => {
    note(input, ctx, 'run');
    ctx.progress({ progress: 1, total: 2, message: 'about to fail' });
    if (input.how === 'plain') throw new Error(`a fault ${input.salt}`);
    throw new AppError('handler_failed', `It cannot be done: ${input.salt}.`);
  }),
  tool('chaos_flaky', 'review', { fails: z.int() }, async (input, ctx) => {
    note(input, ctx, 'run');
    ctx.log('info', { attempt: ctx.attempt });
    if (ctx.attempt <= input.fails) throw new AppError('handler_failed', 'Not this time.', { retryable: true });
    return { text: `attempt ${ctx.attempt}` };
  }),
  tool('chaos_poison', 'review', {}, async (input, ctx) => {
    note(input, ctx, 'run');
    process.kill(process.pid, 'SIGKILL');
    return { text: 'never' };
  }),
];
