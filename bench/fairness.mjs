/** What taking turns costs and brings: the queue with and without it, in turns within one run, and one job of B behind a thousand of A. */
import { randomUUID } from 'node:crypto';
import { leaseRedis } from '../dist/src/backend.js';
import { createBullConsumer } from '../dist/src/bullmq/consumer.js';
import { createBullQueue } from '../dist/src/bullmq/queue.js';
import { newJobId } from '../dist/src/core/ids.js';
import { createLogger } from '../dist/src/logger.js';
import { connectRedis } from '../dist/src/redis/connection.js';
import { DEFAULT_RETENTION } from '../dist/src/redis/context.js';
import { createJobStore } from '../dist/src/redis/job-store.js';
import { createKeys } from '../dist/src/redis/keys.js';
import { createTurns } from '../dist/src/redis/turns.js';
import { freshSettings, ms, printMachine, printTable, quantile } from './measure.mjs';

const JOBS = Number(process.argv[2] ?? 3_000);
const ROUNDS = 5;
const BACKLOG = 1_000;
const LANES = 50;

/** First come, first served, as the queue was before. */
const NO_TURNS = {
  priority: 0,
  place: async () => undefined,
  giveBack: async () => undefined,
  setFirst: async () => undefined,
  positions: async () => new Map(),
};

function open(redis, { fair, concurrency, run }) {
  const keys = createKeys(`bench-${randomUUID()}`);
  const context = { redis, keys, retention: DEFAULT_RETENTION };
  const turns = fair ? createTurns(context) : NO_TURNS;
  const bull = {
    connection: redis,
    prefix: keys.queuePrefix,
    turns,
    onError: (error) => process.stderr.write(`${error}\n`),
  };
  const queue = createBullQueue(bull, ['review']);
  const store = createJobStore(context);
  const consumer = createBullConsumer(bull, { queue: 'review', concurrency, workerId: 'w1', run });
  return {
    consumer,
    async add(principal) {
      const common = { v: 1, tool: 'noop', queue: 'review', args: {}, allowedFolders: [], createdAtMs: Date.now() };
      const seed = { ...common, id: newJobId(), principal };
      await store.create(seed);
      await queue.add(seed);
      return seed;
    },
    async close() {
      await consumer.stop(5_000);
      await queue.close();
    },
  };
}

/** Jobs a second through the queue, from add to finish, of five principals, and the processor time of this process for each. */
async function throughput(redis, fair) {
  let left = JOBS;
  let finish;
  const done = new Promise((resolve) => {
    finish = resolve;
  });
  let ran = 0;
  const run = async () => {
    ran += 1;
    if (ran === JOBS) finish();
    return { kind: 'done' };
  };
  const site = open(redis, { fair, concurrency: 50, run });
  await site.consumer.start();
  const fromMs = performance.now();
  const before = process.cpuUsage();
  const lane = async (_, index) => {
    while (left-- > 0) await site.add(`principal ${index % 5}`);
  };
  await Promise.all([...Array.from({ length: LANES }, lane), done]);
  const { user, system } = process.cpuUsage(before);
  const perSecond = (JOBS * 1_000) / (performance.now() - fromMs);
  await site.close();
  return { perSecond, cpuMs: (user + system) / 1_000 / JOBS };
}

/** How many jobs start before B's only one, behind A's backlog on one slot, and what it waits. */
async function wait(redis, fair) {
  let started = 0;
  let addedAt;
  let tell;
  const told = new Promise((resolve) => {
    tell = resolve;
  });
  const run = async ({ seed }) => {
    started += 1;
    if (seed.principal === 'B')
      tell({ before: started - 1 - addedAt.started, waitedMs: performance.now() - addedAt.atMs });
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { kind: 'done' };
  };
  const site = open(redis, { fair, concurrency: 1, run });
  for (let at = 0; at < BACKLOG; at++) await site.add('A');
  await site.consumer.start();
  addedAt = { atMs: performance.now(), started };
  await site.add('B');
  const seen = await told;
  await site.close();
  return seen;
}

const { config, dispose } = freshSettings();
const lease = await leaseRedis(config, createLogger('bench', 'error'));
const redis = connectRedis(lease.address, 'work');
try {
  printMachine();
  await throughput(redis, true);
  await throughput(redis, false);
  const rounds = { true: [], false: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const fair of round % 2 === 0 ? [true, false] : [false, true])
      rounds[fair].push(await throughput(redis, fair));
  const median = (fair, what) =>
    quantile(
      rounds[fair].map((round) => round[what]),
      0.5,
    );
  const row = (name, what, show) => [
    name,
    show(median(false, what)),
    show(median(true, what)),
    (median(true, what) / median(false, what)).toFixed(2),
  ];
  printTable(
    [`${JOBS} jobs through store and queue, median of ${ROUNDS} rounds`, 'first come', 'by turns', 'ratio'],
    [row('jobs a second', 'perSecond', (value) => Math.round(value)), row('processor time a job', 'cpuMs', ms)],
  );
  const [fifo, fair] = [await wait(redis, false), await wait(redis, true)];
  printTable(
    [`one job of B behind ${BACKLOG} of A, one slot, 5 ms each`, 'first come', 'by turns'],
    [
      ['jobs started before it', fifo.before, fair.before],
      ['it waited', ms(fifo.waitedMs), ms(fair.waitedMs)],
    ],
  );
} finally {
  redis.disconnect();
  await lease.release();
  dispose();
}
