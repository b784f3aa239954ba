/** Every damage that a sweep repairs, done to a real queue; and what is in order, which it leaves alone. */
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createBullConsumer } from '../../src/bullmq/consumer.js';
import type { Question } from '../../src/core/input.js';
import { RECORD_VERSION } from '../../src/core/job.js';
import type { Delivery, Verdict } from '../../src/core/ports.js';
import { storeReply } from '../../src/jobs/answer.js';
import { sweep } from '../../src/jobs/sweep.js';
import { until } from '../support/gate.js';
import { completed, seedOf } from '../support/job-seeds.js';
import { type TestRedis, testRedis } from '../support/redis.js';
import { openSweep } from './sweep-setup.js';

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

const setup = (confirmMs = 1) => openSweep(server, confirmMs);
const question = (key: string, kind: Question['kind'] = 'elicitation'): Question => ({
  key,
  kind,
  request: {},
  fingerprint: key,
  deadlineMs: Date.now() + 600_000,
});
const REPLY = { kind: 'answered', value: 'x' } as const;

describe('a sweep repairs', () => {
  it('a job that was stored but never queued, and a part likewise', async () => {
    const at = setup();
    const { id } = await at.created();
    const partOf = { id, key: 'g/0', group: 'g', share: { from: 0, to: 1, total: 1, outOf: 1, before: '', after: '' } };
    const part = await at.created({ partOf });
    const repaired = await at.sweep();
    expect(new Set(repaired)).toEqual(
      new Set([
        { id, repair: 'queue' },
        { id: part.id, repair: 'queue' },
      ]),
    );
    expect(await at.place(id)).toBe('waiting');
    expect(await at.sweep()).toEqual([]);
  });

  it('a job that waits by its record, and that the queue has lost', async () => {
    const at = setup();
    const { id } = await at.queued();
    await at.loseFromQueue(id);
    expect(await at.sweep()).toEqual([{ id, repair: 'queue' }]);
    expect(await at.place(id)).toBe('waiting');
  });

  it('a running job that the queue has lost: it is run again, as after a crash, and its run writes nothing more', async () => {
    const at = setup();
    const { seed } = await at.running();
    await at.loseFromQueue(seed.id);
    expect(await at.sweep()).toEqual([{ id: seed.id, repair: 'requeue' }]);
    expect(await at.place(seed.id)).toBe('waiting');
    expect(await at.store.get(seed.id)).toMatchObject({ state: 'waiting', attempt: 1, crashes: 1 });
    expect(await at.store.end(seed.id, completed(), 'r1')).toEqual({ kind: 'superseded' });
  });

  it('a running job that the queue believes to be done', async () => {
    const at = setup();
    const { seed, job } = await at.running();
    await job?.moveToCompleted(null, 'token', false);
    expect(await at.place(seed.id)).toBe('ended');
    expect(await at.sweep()).toEqual([{ id: seed.id, repair: 'requeue' }]);
    expect(await at.place(seed.id)).toBe('waiting');
  });

  it('a parked job whose answer is stored but whose wake-up was lost', async () => {
    const at = setup();
    const { id } = await at.parked([question('a'), question('b')]);
    await at.mailbox.answer(id, 'a', REPLY);
    expect(await at.sweep()).toEqual([{ id, repair: 'wake' }]);
    expect(await at.place(id)).toBe('waiting');
  });

  it('a job whose last part is done but whose wake-up was lost, and not before', async () => {
    const at = setup();
    const { id } = await at.parked([question('g/0', 'part'), question('g/1', 'part')]);
    await at.mailbox.answer(id, 'g/0', REPLY);
    expect(await at.sweep()).toEqual([]);
    await at.mailbox.answer(id, 'g/1', REPLY);
    expect(await at.sweep()).toEqual([{ id, repair: 'wake' }]);
  });

  it('a parked job past its deadline', async () => {
    const at = setup();
    const { id } = await at.parked([question('a')], Date.now() - 60_000);
    expect(await at.sweep()).toEqual([{ id, repair: 'wake' }]);
    expect(await at.place(id)).toBe('waiting');
  });

  it('a parked job that the queue has lost', async () => {
    const at = setup();
    const { id } = await at.parked([question('a')]);
    await at.loseFromQueue(id);
    expect(await at.sweep()).toEqual([{ id, repair: 'queue' }]);
    expect(await at.place(id)).toBe('waiting');
  });

  it('a running job without a lock whose worker nobody knows', async () => {
    const at = setup();
    const { seed } = await at.running();
    await at.unlock(seed.id);
    expect(await at.sweep()).toEqual([{ id: seed.id, repair: 'recover' }]);
    expect(await at.place(seed.id)).toBe('waiting');
    expect(await at.store.get(seed.id)).toMatchObject({ state: 'waiting', crashes: 1 });
  });
});

describe('a sweep leaves alone', () => {
  it('jobs in order, whatever they do', async () => {
    const at = setup();
    const waiting = await at.queued({ queue: 'review' });
    const parked = await at.parked([question('a')]);
    const { seed } = await at.running();
    expect(await at.sweep()).toEqual([]);
    expect(await at.place(parked.id)).toBe('delayed');
    expect(await at.place(seed.id)).toBe('active');
    expect(await at.queue.position(waiting.id, 'review')).toBe(1);
  });

  it('a job without a lock whose worker is known, since that one takes it again', async () => {
    const at = setup();
    const { seed } = await at.running();
    await at.unlock(seed.id);
    const report = { host: 'h', pid: 1, version: '0', recordVersion: 1, queues: [], slots: 1, startedAtMs: 1 };
    await at.presence.beat({ ...report, id: 'w1', jobs: [], blockedMs: 0 });
    expect(await at.sweep()).toEqual([]);
    expect(await at.place(seed.id)).toBe('active');
  });

  it('a job that ended, and it is not looked at any more', async () => {
    const at = setup();
    const { id } = await at.created();
    await at.store.end(id, completed());
    expect(await at.redis.zcard(at.keys.unfinished())).toBe(0);
    expect(await at.sweep()).toEqual([]);
  });

  it('a job of a newer version', async () => {
    const at = setup();
    const { id } = await at.created({ v: RECORD_VERSION + 1 });
    expect(await at.sweep()).toEqual([]);
    expect(await at.place(id)).toBe('missing');
  });

  it('a record that is gone, and forgets it', async () => {
    const at = setup();
    const { id } = await at.created();
    await at.redis.del(at.keys.record(id));
    expect(await at.sweep()).toEqual([]);
    expect(await at.redis.zcard(at.keys.unfinished())).toBe(0);
  });
});

describe('a sweep', () => {
  it('is short however many jobs there are, and goes on with the others the next time', async () => {
    const at = setup();
    await Promise.all(Array.from({ length: 700 }, () => at.created()));
    await at.makeDue();
    expect(await sweep(at.ports, { confirmMs: 1 })).toHaveLength(500);
    expect(await sweep(at.ports, { confirmMs: 1 })).toHaveLength(200);
  });

  it('is made by one process at a time', async () => {
    const at = setup();
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) => at.unfinished.claim(`p${index}`, 60_000)),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('beside jobs that are queued, run, parked, answered and ended all the time changes nothing', async () => {
    const at = setup(300);
    const seeds = Array.from({ length: 300 }, () => seedOf());
    const runs = new Map<string, number>();
    const run = async ({ id, hold }: Delivery): Promise<Verdict> => {
      const seed = seeds.find((one) => one.id === id) ?? seedOf();
      const name = `${id} ${runs.get(id) ?? 0}`;
      runs.set(id, (runs.get(id) ?? 0) + 1);
      await at.store.begin(seed, { workerId: 'w1', run: name, ...(hold && { hold }) });
      if ((runs.get(id) ?? 0) > 1) {
        await at.store.end(seed.id, completed(), name);
        return { kind: 'done' };
      }
      const untilMs = Date.now() + 600_000;
      await at.mailbox.ask(seed.id, name, [question('a')]);
      await at.store.leave(seed.id, name, 'parked', { untilMs });
      setTimeout(() => void storeReply(at.ports, { id: seed.id, key: 'a', reply: REPLY }), randomInt(20));
      const isReady = async () => (await at.mailbox.openKeys(seed.id)).length === 0;
      return { kind: 'park', untilMs, isReady };
    };
    const consumer = createBullConsumer(at.bull, { queue: 'analysis', concurrency: 10, workerId: 'w1', run });
    onTestFinished(() => consumer.stop(1_000));
    await consumer.start();
    const repaired: unknown[] = [];
    const adding = (async () => {
      for (const seed of seeds) {
        await at.store.create(seed);
        await at.queue.add(seed);
      }
    })();
    const isOver = async () => (await at.redis.zcard(at.keys.unfinished())) === 0;
    await until(
      async () => {
        repaired.push(...(await at.sweep()));
        return isOver();
      },
      (over) => over,
      { what: 'all jobs to end', limitMs: 20_000, seen: () => runs.size },
    );
    await adding;
    expect(repaired).toEqual([]);
    expect([...runs.values()]).toEqual(Array(seeds.length).fill(2));
  });
});
