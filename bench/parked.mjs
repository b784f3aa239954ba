/** What jobs cost that wait for an answer: many of them parked on one worker with two slots, and another job beside them. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { leaseRedis, openBackend } from '../dist/src/backend.js';
import { createLogger } from '../dist/src/logger.js';
import { connectRedis } from '../dist/src/redis/connection.js';
import tools from './asking-tool.mjs';
import { freshSettings, ms, printMachine, printTable, quantile } from './measure.mjs';

const JOBS = Number(process.argv[2] ?? 10_000);
const BESIDE = 200;
/** Requests to Redis under way at once while jobs are submitted or answered. */
const LANES = 50;
const LIMIT_MS = 150_000;
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const [asking, nothing] = tools.map(({ contract }) => contract);
const request = {
  principal: 'bench',
  args: {},
  allowedFolders: [],
  client: { sampling: true, samplingTools: false, elicitation: false, roots: false },
};

/** Does `task` for each item, `LANES` at a time; answers with the results. */
async function inLanes(items, task) {
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await task(items[at]);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

async function timed(work) {
  const fromMs = performance.now();
  const result = await work();
  return { result, tookMs: performance.now() - fromMs };
}

async function untilCounts(jobs, fits) {
  const giveUpAtMs = performance.now() + LIMIT_MS;
  for (;;) {
    const counts = await jobs.counts('review');
    if (fits(counts)) return;
    if (performance.now() > giveUpAtMs) throw new Error(`it took too long; the queue holds ${JSON.stringify(counts)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Milliseconds of a job that does nothing, from submit to outcome, one at a time. */
async function beside(jobs) {
  const times = [];
  for (let count = 0; count < BESIDE; count++) {
    const { tookMs } = await timed(async () => {
      const { id } = await jobs.submit(nothing, request);
      for await (const _ of jobs.watch(id, { signal: new AbortController().signal })) void _;
    });
    times.push(tookMs);
  }
  return times;
}

function startWorker(env) {
  const child = spawn(process.execPath, [path('../bundle/workers/main.js'), '--worker-id', 'bench'], {
    env: { ...env, LONGHAUL_TOOLS: path('asking-tool.mjs'), LONGHAUL_CONCURRENCY: '2' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  return {
    /** Resident megabytes, as Linux tells them. */
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    stop() {
      child.kill('SIGTERM');
      return gone;
    },
  };
}

async function measure({ jobs }, redis, env) {
  const megabytes = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]) / 2 ** 20;
  const worker = startWorker(env);
  try {
    const alone = await beside(jobs);
    const before = { worker: worker.memory(), redis: await megabytes() };
    const submitting = inLanes(Array(JOBS).fill(asking), (contract) => jobs.submit(contract, request));
    const parking = await timed(async () => {
      const submitted = await submitting;
      await untilCounts(jobs, ({ delayed }) => delayed === JOBS);
      return submitted.map(({ id }) => id);
    });
    const parked = { worker: worker.memory(), redis: await megabytes() };
    const among = await beside(jobs);
    const reply = { kind: 'answered', value: { content: { type: 'text', text: 'yes' } } };
    const waking = await timed(async () => {
      await inLanes(parking.result, (id) => jobs.answer(id, 'only', reply));
      await untilCounts(jobs, ({ delayed, waiting, active }) => delayed + waiting + active === 0);
    });
    const ends = await inLanes(
      parking.result,
      async (id) => (await jobs.inspect(id, undefined)).outcome?.result?.answer,
    );
    if (ends.some((answer) => answer !== 'yes')) throw new Error('a job ended without its answer');
    return { alone, among, before, parked, parking, waking };
  } finally {
    await worker.stop();
  }
}

const { env, config, dispose } = freshSettings();
const logger = createLogger('bench', 'error');
const lease = await leaseRedis(config, logger);
const backend = openBackend(config, logger, { address: lease.address, role: 'work' });
const redis = connectRedis(lease.address, 'work');
try {
  const seen = await measure(backend, redis, env);
  printMachine();
  const perSecond = ({ tookMs }) => `${Math.round((JOBS * 1_000) / tookMs)} a second`;
  const grown = (part) => `${Math.round(seen.before[part])} → ${Math.round(seen.parked[part])} MiB`;
  const times = (values) => `${ms(quantile(values, 0.5))} / ${ms(quantile(values, 0.99))}`;
  printTable(
    [`${JOBS} jobs parked on one worker with two slots`, ''],
    [
      ['submitted, run and parked', perSecond(seen.parking)],
      ['answered, run again and ended', perSecond(seen.waking)],
      ['memory of the worker, before → with all parked', grown('worker')],
      ['memory of Redis, before → with all parked', grown('redis')],
      ['another job, nothing parked (median / p99)', times(seen.alone)],
      ['another job, all parked (median / p99)', times(seen.among)],
    ],
  );
} finally {
  redis.disconnect();
  await backend.close();
  await lease.release();
  dispose();
}
