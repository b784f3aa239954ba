/** Parking and answering race: every order is forced, on the fakes and on the real queue, and none strands a job. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JobId } from '../../src/core/ids.js';
import type { ClientAbilities } from '../../src/core/input.js';
import type { Answering, Delivery, InputMailbox, JobStore, Verdict } from '../../src/core/ports.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import { createJobs, type Jobs } from '../../src/jobs/jobs.js';
import { createLogger } from '../../src/logger.js';
import { createExecutor } from '../../workers/executor.js';
import { createLostDeliveries } from '../../workers/lost-deliveries.js';
import { ALONE } from '../support/alone.js';
import { createGate, until } from '../support/gate.js';
import { type Core, openRedis, PLACES, useCore } from '../support/places.js';
import { policyOver } from '../support/policy.js';
import { testRedactor } from '../support/redactor.js';
import { type TestRedis, testRedis } from '../support/redis.js';
import { echoContract } from '../support/tools.js';

const CLIENT: ClientAbilities = { sampling: true, samplingTools: false, elicitation: false, roots: false };
/** No job of these tests may live on its deadline: one that is stranded must be seen. */
const DEADLINE_MS = 600_000;
const request = (text: string) => ({ messages: [{ role: 'user' as const, text }], maxTokens: 10 });
const says = (text: string) => ({ kind: 'answered' as const, value: { content: { type: 'text', text } } });

/** The moments of a park, in order; each hook is awaited before the worker goes on. */
interface Moments {
  beforeAsk?(id: JobId): Promise<void>;
  afterAsk?(id: JobId): Promise<void>;
  beforeLeave?(id: JobId): Promise<void>;
  afterLeave?(id: JobId): Promise<void>;
  /** The job lies in the queue as delayed; the worker has not looked for answers again yet. */
  afterMove?(id: JobId): Promise<void>;
  /** The worker has looked and found nothing, or found something and has not promoted yet. */
  afterLook?(id: JobId): Promise<void>;
}

interface Race {
  readonly jobs: Jobs;
  /** Submits a job that asks as `work` says and runs on `slots` slots. */
  submit(): Promise<JobId>;
  /** Waits for the end and answers with the handler's word. */
  word(id: JobId, limitMs?: number): Promise<unknown>;
}

/** Starts a worker over `core` that stops at the given moments, and looks for lost deliveries as the product's does. */
async function startRace(
  core: Core,
  {
    moments,
    work,
    slots = 1,
  }: { moments: Moments; work: (context: HandlerContext) => Promise<string>; slots?: number },
): Promise<Race> {
  const { log, journal, queue } = core;
  const mailbox: InputMailbox = {
    ...core.mailbox,
    async ask(id, run, questions) {
      await moments.beforeAsk?.(id);
      const asked = await core.mailbox.ask(id, run, questions);
      await moments.afterAsk?.(id);
      return asked;
    },
  };
  const store: JobStore = {
    ...core.store,
    async leave(id, ...rest) {
      await moments.beforeLeave?.(id);
      return core.store.leave(id, ...rest);
    },
  };
  const logger = createLogger('test', 'silent');
  const handler: Handler = async (_input, context) => ({ word: await work(context) });
  const execute = createExecutor({
    ...ALONE,
    policy: policyOver(core),
    ...{
      store,
      log,
      journal,
      mailbox,
      folders: core.folders,
      tables: core.tables,
      queue: core.queue,
      redactor: testRedactor(),
    },
    tools: new Map([['echo', { contract: echoContract(), handler }]]),
    workerId: 'w1',
    inputTimeoutMs: DEADLINE_MS,
    submissionTimeoutMs: DEADLINE_MS,
    logger,
    shutdown: new AbortController().signal,
  });
  const run = async (delivery: Delivery): Promise<Verdict> => {
    const verdict = await execute(delivery);
    if (verdict.kind !== 'park') return verdict;
    const id = delivery.id as JobId;
    await moments.afterLeave?.(id);
    return {
      ...verdict,
      async isReady() {
        await moments.afterMove?.(id);
        const ready = await verdict.isReady();
        await moments.afterLook?.(id);
        return ready;
      },
    };
  };
  const lost = createLostDeliveries({ queue: core.queue, workerId: 'w1', logger });
  const consumer = core.consumer({ queue: 'analysis', concurrency: slots, workerId: 'w1', run: lost.watching(run) });
  await consumer.start();
  lost.start();
  core.beforeClose(() => lost.stop());
  const jobs = createJobs({
    store: core.store,
    log,
    queue,
    mailbox: core.mailbox,
    ledger: core.ledger,
    tables: core.tables,
    redactor: testRedactor(),
    now: Date.now,
  });
  return {
    jobs,
    submit: async () => {
      const asked = { principal: 'alice', args: { word: 'x' }, allowedFolders: [], client: CLIENT };
      return (await jobs.submit(echoContract(), asked)).id;
    },
    async word(id, limitMs) {
      const look = async () => (await jobs.inspect(id, undefined)).outcome;
      const wait = { what: `job ${id} to end`, ...(limitMs !== undefined && { limitMs }) };
      const outcome = await until(look, (seen) => seen !== undefined, wait);
      return outcome?.state === 'completed' ? outcome.result.word : outcome;
    },
  };
}

const textOf = async (context: HandlerContext, key: string): Promise<string> => {
  const reply = await context.sample(key, request(`about ${key}`));
  return reply.kind === 'answered' ? reply.value.text : reply.kind;
};

/** A hook that acts the first time its moment comes. */
function once(act: (id: JobId) => Promise<unknown>): (id: JobId) => Promise<void> {
  let done = false;
  return async (id) => {
    if (done) return;
    done = true;
    await act(id);
  };
}

describe.each(PLACES)('on $name', (place) => {
  const core = useCore(place);

  it.each<keyof Moments>(['afterAsk', 'beforeLeave', 'afterLeave', 'afterMove', 'afterLook'])(
    'an answer that comes %s wakes its job',
    async (moment) => {
      const race: { jobs?: Jobs } = {};
      let answering: Answering | undefined;
      const answer = once(async (id) => {
        answering = await race.jobs?.answer(id, 'a', says('now'));
      });
      const started = await startRace(core(), {
        moments: { [moment]: answer },
        work: (context) => textOf(context, 'a'),
      });
      race.jobs = started.jobs;
      const id = await started.submit();
      expect(await started.word(id)).toBe('now');
      expect(answering).toBe('stored');
      expect((await core().store.get(id))?.attempt).toBe(1);
    },
  );

  it('an answer that comes before its question is stored changes nothing, and the question is still asked', async () => {
    const race: { jobs?: Jobs } = {};
    const answerings: unknown[] = [];
    const early = once(async (id) => {
      answerings.push(await race.jobs?.answer(id, 'a', says('early')));
    });
    const started = await startRace(core(), { moments: { beforeAsk: early }, work: (context) => textOf(context, 'a') });
    race.jobs = started.jobs;
    const id = await started.submit();
    await until(
      () => core().store.get(id),
      (record) => record?.state === 'parked',
      { what: 'the job to be parked' },
    );
    answerings.push(await started.jobs.answer(id, 'a', says('in time')));
    expect(await started.word(id)).toBe('in time');
    expect(answerings).toEqual(['unknown', 'stored']);
  });

  it.each<keyof Moments>(['afterAsk', 'beforeLeave', 'afterLeave', 'afterMove', 'afterLook'])(
    'of two answers, one at rest and one that comes %s of the re-run, none is missed',
    async (moment) => {
      const race: { jobs?: Jobs } = {};
      let parks = 0;
      const second = async (id: JobId) => {
        parks += 1;
        if (parks === 2) await race.jobs?.answer(id, 'b', says('two'));
      };
      const started = await startRace(core(), {
        moments: { [moment]: second },
        work: async (context) => (await Promise.all(['a', 'b'].map((key) => textOf(context, key)))).join(' '),
      });
      race.jobs = started.jobs;
      const id = await started.submit();
      await until(
        () => core().queue.counts('analysis'),
        (counts) => counts.delayed === 1,
        { what: 'the job to lie in the queue' },
      );
      await started.jobs.answer(id, 'a', says('one'));
      expect(await started.word(id)).toBe('one two');
    },
  );

  it('an answer that comes while the job runs again is found by that run or the next', async () => {
    const [running, gate] = [createGate(), createGate()];
    let runs = 0;
    const started = await startRace(core(), {
      moments: {},
      work: async (context) => {
        runs += 1;
        if (runs === 2) {
          running.open();
          await gate.opened;
        }
        return (await Promise.all(['a', 'b'].map((key) => textOf(context, key)))).join(' ');
      },
    });
    const id = await started.submit();
    await until(
      () => core().queue.counts('analysis'),
      (counts) => counts.delayed === 1,
      { what: 'the job to lie in the queue' },
    );
    await started.jobs.answer(id, 'a', says('one'));
    await running.opened;
    expect(await started.jobs.answer(id, 'b', says('two'))).toBe('stored');
    gate.open();
    expect(await started.word(id)).toBe('one two');
    expect(runs).toBe(3);
  });

  it('an answer whose job was not woken, since its front end died, is found when the job is woken by anybody', async () => {
    const started = await startRace(core(), { moments: {}, work: (context) => textOf(context, 'a') });
    const asked = { principal: 'alice', args: { word: 'x' }, allowedFolders: [], client: CLIENT, idempotencyKey: 'k' };
    const { id } = await started.jobs.submit(echoContract(), asked);
    const atRest = () =>
      until(
        () => core().queue.counts('analysis'),
        (counts) => counts.delayed === 1,
        { what: 'the job to lie in the queue' },
      );
    await atRest();
    await core().mailbox.answer(id, 'a', says('stored only'));
    expect(await started.jobs.submit(echoContract(), asked)).toEqual({ id, existing: true });
    expect(await started.word(id)).toBe('stored only');
    const other = await started.submit();
    await atRest();
    await core().mailbox.answer(other, 'a', says('stored first'));
    expect(await started.jobs.answer(other, 'a', says('too late'))).toBe('late');
    expect(await started.word(other)).toBe('stored first');
  });
});

describe('a storm', () => {
  const JOBS = 300;
  const KEYS = ['a', 'b', 'c'];
  /** Less than a lost delivery takes to come back by its lock alone, a minute and the check after it. */
  const LIMIT_MS = 60_000;
  let server: TestRedis;
  beforeAll(async () => {
    server = await testRedis();
  });
  afterAll(() => server.stop());

  it.for([
    ['alone', 0],
    ['in which Redis is killed five times', 5],
  ] as const)(
    `of ${JOBS} jobs that ask three times and are answered at once, %s, strands none and mixes nothing up`,
    async ([, kills], { skip }) => {
      if (kills > 0 && !server.killable) skip('REDIS_URL names a server this test does not own');
      const core = await openRedis(server);
      onTestFinished(() => core.close());
      const race: { jobs?: Jobs } = {};
      const answerings: Promise<unknown>[] = [];
      // Not awaited: the answer races with all that the worker does to park the job, now early, now late.
      const afterAsk = async (id: JobId) => {
        const answer = async () => {
          for (const { question, reply } of (await race.jobs?.inputs(id)) ?? []) {
            if (!reply) await race.jobs?.answer(id, question.key, says(`${id} ${question.key}`));
          }
        };
        const delayMs = Math.random() * 6;
        answerings.push(
          delayMs < 2
            ? answer()
            : new Promise((resolve, reject) => setTimeout(() => answer().then(resolve, reject), delayMs)),
        );
      };
      const started = await startRace(core, {
        moments: { afterAsk },
        slots: 2,
        async work(context) {
          const texts: string[] = [];
          for (const key of KEYS) texts.push(await textOf(context, key));
          return texts.join();
        },
      });
      race.jobs = started.jobs;
      const ids = await Promise.all(Array.from({ length: JOBS }, () => started.submit()));
      for (let kill = 0; kill < kills; kill += 1) {
        const before = answerings.length;
        await until(
          () => answerings.length,
          (count) => count > before + JOBS / 10,
          { what: 'some more questions', limitMs: LIMIT_MS },
        );
        await server.kill9();
        await server.restart();
      }
      // One after the other: three hundred lookers would be the load that is measured.
      const words: unknown[] = [];
      for (const id of ids) words.push(await started.word(id, LIMIT_MS));
      expect(words).toEqual(ids.map((id) => KEYS.map((key) => `${id} ${key}`).join()));
      await Promise.all(answerings);
      if (kills === 0) expect(answerings).toHaveLength(JOBS * KEYS.length);
      // The last outcome is stored a moment before the queue hears of it.
      await until(
        () => core.queue.counts('analysis'),
        ({ waiting, active, delayed }) => waiting + active + delayed === 0,
        { what: 'an empty queue' },
      );
    },
  );
});
