/** Scripted tools for tests, loaded like any tool of a user's own: slow, bursting, failing, stubborn, gated. */
import { appendFileSync, existsSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { AppError, defineTool, z } from 'longhaul-mcp-server/tool';

const base = {
  title: 'Test tool',
  description: 'A scripted tool for tests.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 60_000, attempts: 3, backoffMs: 200 },
  queue: 'analysis',
  output: z.object({ text: z.string() }),
  render: (output) => output.text,
};
const tool = (name, input, handler, more = {}) =>
  defineTool({ ...base, name, input: z.object(input), ...more }, handler);

/** Resolves after `ms`, rejects with the signal's reason. */
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

/** Resolves when the file exists. */
const gate = (file, signal) =>
  new Promise((resolve, reject) => {
    const watcher = watch(dirname(file), () => existsSync(file) && done(resolve));
    const done = (settle, value) => {
      watcher.close();
      settle(value);
    };
    signal.addEventListener('abort', () => done(reject, signal.reason), { once: true });
    if (existsSync(file)) done(resolve);
    if (signal.aborted) done(reject, signal.reason);
  });

/** Writes one line about what really happened, for tests to count. */
const note = (ledger, text) => ledger && appendFileSync(ledger, `${text}\n`);

const ledger = z.string().optional();

export default [
  tool(
    'slow',
    { steps: z.int().default(30), step_ms: z.int().default(100), ledger, name: z.string().default('') },
    async (input, ctx) => {
      note(input.ledger, `start ${ctx.jobId} attempt ${ctx.attempt}`);
      ctx.signal.addEventListener('abort', () => note(input.ledger, `abort ${ctx.jobId} ${ctx.signal.reason.kind}`), {
        once: true,
      });
      for (let step = 1; step <= input.steps; step++) {
        await wait(input.step_ms, ctx.signal);
        ctx.progress({ progress: step, total: input.steps, message: `step ${step}` });
      }
      note(input.ledger, `end ${ctx.jobId}`);
      return { text: `slow ${input.name} done` };
    },
  ),
  tool(
    'gated',
    { gate: z.string(), ledger, progress: z.array(z.number()).default([]), after: z.array(z.number()).default([]) },
    async (input, ctx) => {
      note(input.ledger, `start ${ctx.jobId} attempt ${ctx.attempt}`);
      for (const progress of input.progress) ctx.progress({ progress, total: 100 });
      ctx.log('info', 'at the gate');
      await gate(input.gate, ctx.signal).catch((reason) => {
        note(input.ledger, `abort ${ctx.jobId} ${ctx.signal.reason.kind}`);
        throw reason;
      });
      for (const progress of input.after) ctx.progress({ progress, total: 100 });
      note(input.ledger, `end ${ctx.jobId}`);
      return { text: `${basename(input.gate)} opened` };
    },
  ),
  tool(
    'burst',
    {
      count: z.int().default(50),
      spread_ms: z.int().default(0),
      /** Goes on until this file exists, and not to the count. */
      gate: z.string().optional(),
    },
    async ({ count, spread_ms, gate: file }, ctx) => {
      let last = 0;
      while (file ? last % 100 !== 0 || !existsSync(file) : last < count) {
        last += 1;
        ctx.progress({ progress: last, ...(!file && { total: count }) });
        if (spread_ms > 0 && last % 100 === 0) await wait(spread_ms / (count / 100), ctx.signal);
      }
      return { text: `burst done at ${last}` };
    },
  ),
  tool('jitter', { values: z.array(z.number()), step_ms: z.int().default(150) }, async ({ values, step_ms }, ctx) => {
    for (const progress of values) {
      ctx.progress({ progress });
      await wait(step_ms, ctx.signal);
    }
    return { text: 'jitter done' };
  }),
  tool(
    'failing',
    {
      message: z.string(),
      kind: z.enum(['plain', 'retryable', 'app']).default('plain'),
      progress: z.number().optional(),
      ledger,
    },
    async (input, ctx) => {
      note(input.ledger, `start ${ctx.jobId} attempt ${ctx.attempt}`);
      if (input.progress !== undefined) ctx.progress({ progress: input.progress, total: 100 });
      if (input.kind === 'plain') throw new Error(input.message);
      throw new AppError('handler_failed', input.message, { retryable: input.kind === 'retryable' });
    },
  ),
  tool(
    'stubborn',
    { ms: z.int().default(0), gate: z.string().optional(), ledger },
    async ({ ms, gate: opens, ledger: file }, ctx) => {
      note(file, `start ${ctx.jobId}`);
      const never = new AbortController().signal;
      await wait(ms, never);
      if (opens) await gate(opens, never);
      note(file, `end ${ctx.jobId}`);
      return { text: 'stubborn done' };
    },
  ),
  tool('blocking', { gate: z.string(), ledger }, async ({ gate: file, ledger: path }, ctx) => {
    note(path, `start ${ctx.jobId}`);
    // As a handler does that computes without ever letting go of the event loop.
    while (!existsSync(file)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    note(path, `end ${ctx.jobId}`);
    return { text: 'blocking done' };
  }),
  tool(
    'chatty',
    { lines: z.array(z.object({ level: z.string(), text: z.string() })), gap_ms: z.int().default(0) },
    async ({ lines, gap_ms }, ctx) => {
      for (const line of lines) {
        ctx.log(line.level, line.text);
        await wait(gap_ms, ctx.signal);
      }
      return { text: 'chatty done' };
    },
  ),
  tool(
    'flaky',
    { ledger: z.string() },
    async (input, ctx) => {
      note(input.ledger, `start ${ctx.jobId} attempt ${ctx.attempt}`);
      throw new AppError('handler_failed', 'not this time', { retryable: true });
    },
    // Long enough between attempts for anything to happen there.
    { limits: { timeoutMs: 60_000, attempts: 3, backoffMs: 30_000 } },
  ),
  tool(
    'asking',
    {
      questions: z.array(z.object({ key: z.string(), kind: z.enum(['sampling', 'elicitation', 'roots']) })),
      together: z.boolean().default(true),
      ledger,
    },
    async (input, ctx) => {
      note(input.ledger, `run ${ctx.jobId}`);
      ctx.progress({ progress: 1, total: 10, message: 'before the questions' });
      ctx.log('info', 'before the questions');
      const put = ({ key, kind }) => {
        if (kind === 'sampling')
          return ctx.sample(key, { messages: [{ role: 'user', text: `question ${key}` }], maxTokens: 100 });
        if (kind === 'roots') return ctx.roots(key);
        const fields = z.object({ name: z.string(), age: z.int().min(0).max(150) });
        return ctx.elicit(key, { message: `form ${key}`, fields });
      };
      const replies = [];
      if (input.together) replies.push(...(await Promise.all(input.questions.map(put))));
      else for (const question of input.questions) replies.push(await put(question));
      ctx.log('info', 'after the questions');
      ctx.progress({ progress: 9, total: 10, message: 'after the questions' });
      note(input.ledger, `done ${ctx.jobId}`);
      return { text: JSON.stringify(replies) };
    },
    { queue: 'review' },
  ),
  tool('fickle', { ledger: z.string() }, async (input, ctx) => {
    note(input.ledger, `run ${ctx.jobId}`);
    // Asks another thing on every run, as no handler may.
    await ctx.sample(`question ${Date.now()}`, { messages: [{ role: 'user', text: 'again' }], maxTokens: 10 });
    return { text: 'never' };
  }),
  tool('big', { bytes: z.int() }, async ({ bytes }) => ({ text: 'x'.repeat(bytes) })),
  tool('echo', { text: z.string() }, async ({ text }) => ({ text })),
  tool('printing', { text: z.string() }, async ({ text }) => {
    process.stdout.write(`${text}\n`);
    // biome-ignore lint/suspicious/noConsole: what a careless dependency does
    console.log(text);
    return { text };
  }),
];
