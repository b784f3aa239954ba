/** A job that a newer version stored, beside a worker and a front end of this one, on a real Redis. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { RECORD_VERSION } from '../../src/core/job.js';
import { listJobs } from '../../src/tools/list-jobs.js';
import { until } from '../support/gate.js';
import { seedOf } from '../support/job-seeds.js';
import { type Core, openRedis } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';
import { setup } from './setup.js';

let server: TestRedis;
let core: Core;
beforeAll(async () => {
  server = await testRedis();
  core = await openRedis(server);
});
afterAll(async () => {
  await core.close();
  await server.stop();
});

it('is passed on with nothing spent, and its place goes to jobs that can be run', async () => {
  const newer = { ...seedOf({ v: RECORD_VERSION + 1 }), shape: 'of another kind' };
  const known = seedOf();
  for (const seed of [newer, known]) {
    await core.store.create(seed);
    await core.queue.add(seed);
  }
  const { execute } = setup({ handler: async () => ({ word: 'done' }) });
  const taken: string[] = [];
  const consumer = core.consumer({
    queue: 'analysis',
    concurrency: 1,
    workerId: 'w1',
    async run(delivery) {
      taken.push(delivery.id);
      return execute(delivery);
    },
  });
  await consumer.start();
  onTestFinished(() => consumer.stop(1_000));
  const counts = () => core.queue.counts('analysis');
  await until(counts, ({ delayed, active, waiting }) => delayed === 1 && active + waiting === 0, {
    what: 'the newer job to be put aside, and the other to be done',
  });
  expect(taken).toEqual([newer.id, known.id]);

  // Whoever asks a front end of this version is told why it cannot be shown, and that it goes on.
  await expect(core.store.get(newer.id)).rejects.toMatchObject({
    code: 'unsupported_record',
    message: expect.stringMatching(/newer version.*version 2; this server reads up to 1.*goes on/s),
  });
  const page = await core.store.list({ limit: 10 });
  expect(page.jobs.map(({ seed }) => seed.id)).toEqual([known.id]);
  expect(page).toMatchObject({ totalCount: 1, unreadable: 1 });
  expect(listJobs.render({ jobs: [], total_count: 0, has_more: false, unreadable: 1 }, { limit: 10 })).toContain(
    '1 more stored by a newer version of Longhaul cannot be shown here',
  );

  // A worker of that version finds it as it was stored.
  await consumer.stop(1_000);
  await core.queue.promote(newer.id, 'analysis');
  const seen: unknown[] = [];
  const next = core.consumer({
    queue: 'analysis',
    concurrency: 1,
    workerId: 'w2',
    async run({ seed, hold }) {
      seen.push(seed, await core.store.begin(newer, { workerId: 'w2', run: 'r', ...(hold && { hold }) }));
      await core.store.end(newer.id, { state: 'completed', result: {} }, 'r');
      return { kind: 'done' };
    },
  });
  await next.start();
  await until(counts, ({ delayed, active, waiting }) => delayed + active + waiting === 0, { what: 'it to be done' });
  expect(seen).toEqual([newer, { kind: 'run', attempt: 1, crashes: 0 }]);
});
