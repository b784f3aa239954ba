/** Jobs that ask more than their budgets hold, on the fakes and on the real queue: in waves, in order, and never twice. */
import { describe, expect, it } from 'vitest';
import type { JobId } from '../../src/core/ids.js';
import type { ClientAbilities } from '../../src/core/input.js';
import type { SamplingLimits } from '../../src/core/sampling-limits.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import { createJobs } from '../../src/jobs/jobs.js';
import { createLogger } from '../../src/logger.js';
import { createExecutor } from '../../workers/executor.js';
import { ALONE } from '../support/alone.js';
import { until } from '../support/gate.js';
import { type Core, PLACES, useCore } from '../support/places.js';
import { policyOver } from '../support/policy.js';
import { testRedactor } from '../support/redactor.js';
import { echoContract } from '../support/tools.js';

const CLIENT: ClientAbilities = { sampling: true, samplingTools: false, elicitation: false, roots: false };
const TOKENS = 100;
const says = (text: string) => ({ kind: 'answered' as const, value: { content: { type: 'text', text } } });

interface WorkerOptions {
  readonly limits: Partial<SamplingLimits>;
  work(context: HandlerContext): Promise<string>;
  readonly slots?: number;
}

function startBench(core: Core) {
  const { store, log, journal, mailbox, ledger, queue, folders, tables } = core;
  const redactor = testRedactor();
  const jobs = createJobs({ store, log, queue, mailbox, ledger, tables, redactor, now: Date.now });
  const open = async (id: JobId) =>
    (await mailbox.read(id)).flatMap(({ question, reply }) => (reply ? [] : [question.key])).sort();
  const look = async (id: JobId) => ({ state: (await store.get(id))?.state, open: await open(id) });
  return {
    jobs,
    async worker({ limits, work, slots = 1 }: WorkerOptions) {
      const handler: Handler = async (_input, context) => ({ word: await work(context) });
      const shutdown = new AbortController();
      const run = createExecutor({
        ...ALONE,
        ...{ store, log, journal, mailbox, folders, tables, queue, redactor },
        policy: policyOver(core, limits),
        tools: new Map([['echo', { contract: echoContract(), handler }]]),
        workerId: 'w1',
        inputTimeoutMs: 600_000,
        submissionTimeoutMs: 600_000,
        logger: createLogger('test', 'silent'),
        shutdown: shutdown.signal,
      });
      const consumer = core.consumer({ queue: 'analysis', concurrency: slots, workerId: 'w1', run });
      await consumer.start();
      return consumer;
    },
    async submit(session?: string): Promise<JobId> {
      const asked = { principal: 'alice', args: { word: 'x' }, allowedFolders: [], client: CLIENT };
      return (await jobs.submit(echoContract(), { ...asked, ...(session !== undefined && { session }) })).id;
    },
    /** Waits until exactly these questions are open and the job is parked. */
    parkedOn: (id: JobId, ...keys: readonly string[]) =>
      until(
        () => look(id),
        (seen) => JSON.stringify(seen) === JSON.stringify({ state: 'parked', open: keys }),
        { what: `the job to be parked on ${keys}` },
      ),
    async word(id: JobId): Promise<unknown> {
      const outcome = await until(
        async () => (await jobs.inspect(id, undefined)).outcome,
        (seen) => seen !== undefined,
        { what: `job ${id} to end` },
      );
      return outcome?.state === 'completed' ? outcome.result.word : outcome;
    },
  };
}

/** Asks all at once; a word a question. */
const askAll = async (context: HandlerContext, keys: readonly string[], maxTokens = TOKENS): Promise<string> => {
  const replies = await Promise.all(
    keys.map(async (key) => {
      const reply = await context.sample(key, { messages: [{ role: 'user', text: `about ${key}` }], maxTokens });
      if (reply.kind === 'answered') return reply.value.text;
      return reply.kind === 'exhausted' ? `${reply.kind}:${reply.scope}` : reply.kind;
    }),
  );
  return replies.join(' ');
};

describe.each(PLACES)('a job’s budget on $name', (place) => {
  const core = useCore(place);

  it('has many questions asked in waves, as many as fit, in the order they were asked', async () => {
    const bench = startBench(core());
    const keys = Array.from({ length: 7 }, (_, index) => `q${index}`);
    await bench.worker({ limits: { jobOutputTokens: 3 * TOKENS }, work: (context) => askAll(context, keys) });
    const id = await bench.submit();
    await bench.parkedOn(id, 'q0', 'q1', 'q2');
    await bench.jobs.answer(id, 'q1', says('one'));
    // Another that fits is not there yet: two are reserved whole, and the answer took a token.
    await bench.parkedOn(id, 'q0', 'q2');
    await bench.jobs.answer(id, 'q0', says('zero'));
    await bench.parkedOn(id, 'q2', 'q3');
    for (const key of ['q2', 'q3', 'q4', 'q5', 'q6']) {
      await until(
        () => bench.jobs.answer(id, key, says(key)),
        (answering) => answering !== 'unknown',
        { what: `${key} to be asked` },
      );
    }
    expect(await bench.word(id)).toBe('zero one q2 q3 q4 q5 q6');
    const asked = (await core().log.read(id, '0', 1_000)).flatMap(({ event }) =>
      event.type === 'question' ? [event.key] : [],
    );
    expect(asked).toEqual(keys);
  });

  it('that is spent ends what is left without asking, and the job gives what it has', async () => {
    const bench = startBench(core());
    await bench.worker({ limits: { jobOutputTokens: TOKENS }, work: (context) => askAll(context, ['a', 'b']) });
    const id = await bench.submit();
    await bench.parkedOn(id, 'a');
    await bench.jobs.answer(id, 'a', says('so long an answer'));
    expect(await bench.word(id)).toBe('so long an answer exhausted:job');
  });

  it('decides once: neither a spent budget nor other settings change what a handler was told', async () => {
    const bench = startBench(core());
    const work = async (context: HandlerContext) => {
      const first = await askAll(context, ['a', 'b']);
      return `${first} ${await askAll(context, ['c'], 10)}`;
    };
    const first = await bench.worker({ limits: { jobOutputTokens: TOKENS, requestOutputTokens: 80 }, work });
    const id = await bench.submit();
    await bench.parkedOn(id, 'a');
    await bench.jobs.answer(id, 'a', says('x'.repeat(200)));
    await bench.parkedOn(id, 'c');
    const [before] = (await core().mailbox.read(id)).filter(({ question }) => question.key === 'c');
    await first.stop(5_000);
    await bench.worker({ limits: { jobOutputTokens: 9_999, requestOutputTokens: 5, allowedModels: ['m'] }, work });
    await bench.jobs.answer(id, 'c', says('last'));
    expect(await bench.word(id)).toBe(`${'x'.repeat(200)} exhausted:job last`);
    expect(before?.question.request).toMatchObject({ maxTokens: 10 });
  });

  it('has a question whose worker died between the decision and its question asked once', async () => {
    const bench = startBench(core());
    const id = await bench.submit('s');
    const seed = (await core().store.get(id))?.seed;
    if (!seed) throw new Error('the job is there');
    await core().store.begin(seed, { workerId: 'dead', run: 'r0' });
    const wish = { session: 's', id, run: 'r0', key: 'a', tokens: TOKENS, limit: TOKENS };
    expect(await core().ledger.reserve(wish)).toMatchObject({ kind: 'reserved' });
    await bench.worker({ limits: { sessionOutputTokens: TOKENS }, work: (context) => askAll(context, ['a']) });
    await bench.parkedOn(id, 'a');
    await bench.jobs.answer(id, 'a', says('one'));
    expect(await bench.word(id)).toBe('one');
    // One token is used, and nothing of the run that died is held any more.
    expect(await bench.word(await bench.submit('s'))).toBe('exhausted:session');
  });
});

describe.each(PLACES)('a session’s budget on $name', (place) => {
  const core = useCore(place);
  const work = (context: HandlerContext) => askAll(context, ['a']);

  it('spent by one job leaves nothing for the next, and does not touch another session', async () => {
    const bench = startBench(core());
    await bench.worker({ limits: { sessionOutputTokens: TOKENS }, work });
    const first = await bench.submit('s');
    await bench.parkedOn(first, 'a');
    await bench.jobs.answer(first, 'a', says('x'.repeat(40)));
    expect(await bench.word(first)).toBe('x'.repeat(40));
    expect(await bench.word(await bench.submit('s'))).toBe('exhausted:session');
    const other = await bench.submit('s2');
    await bench.parkedOn(other, 'a');
    const sessionless = await bench.submit();
    await bench.parkedOn(sessionless, 'a');
  });

  it('held by one job has the next wait without a slot, and a cancel lets it go on', async () => {
    const bench = startBench(core());
    await bench.worker({ limits: { sessionOutputTokens: TOKENS }, work });
    const first = await bench.submit('s');
    await bench.parkedOn(first, 'a');
    const second = await bench.submit('s');
    await bench.parkedOn(second);
    // The record says that it is parked a moment before it lies in the queue.
    await until(
      () => core().queue.counts('analysis'),
      ({ active }) => active === 0,
      { what: 'no slot to be held' },
    );
    await bench.jobs.cancel(first, undefined, 'no longer wanted');
    await bench.parkedOn(second, 'a');
  });

  it('that comes free by answers is handed on in the order of the line, without a pause', async () => {
    const bench = startBench(core());
    await bench.worker({ limits: { sessionOutputTokens: TOKENS + 10 }, work, slots: 4 });
    const ids: JobId[] = [];
    const startedMs = Date.now();
    for (let count = 0; count < 5; count++) {
      const id = await bench.submit('s');
      ids.push(id);
      await bench.parkedOn(id, ...(count === 0 ? ['a'] : []));
    }
    for (const id of ids) {
      await bench.parkedOn(id, 'a');
      await bench.jobs.answer(id, 'a', says('ok'));
      expect(await bench.word(id)).toBe('ok');
    }
    // Had one of them only looked for itself, it would have waited half a minute.
    expect(Date.now() - startedMs).toBeLessThan(29_000);
  });
});
