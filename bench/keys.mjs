/** Whether jobs leave anything behind: many that do nothing, in two halves, and the keys of Redis after each, once results have expired. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { leaseRedis, openBackend } from '../dist/src/backend.js';
import { createLogger } from '../dist/src/logger.js';
import { connectRedis } from '../dist/src/redis/connection.js';
import { freshSettings, printMachine, printTable } from './measure.mjs';
import noop from './noop-tool.mjs';

const JOBS = Number(process.argv[2] ?? 10_000);
/** Ended jobs that the queue keeps for the dashboard, by their number, not for ever growing; see `KEEP_COMPLETED`. */
const KEPT = 500;
/** Keys that are there with any job, such as the settings of the queues. */
const SLACK = 20;
const LANES = 50;
const LIMIT_MS = 300_000;
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const request = (principal) => ({ principal, args: {}, allowedFolders: [] });

async function until(what, fits) {
  const giveUpAtMs = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await what();
    if (fits(seen)) return seen;
    if (performance.now() > giveUpAtMs) throw new Error(`it took too long; seen last: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Submits jobs of several principals, and waits until all have ended. */
async function run(backend, count) {
  let left = count;
  const lane = async (_, index) => {
    while (left-- > 0) await backend.jobs.submit(noop.contract, request(`principal ${index % 5}`));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await until(
    () => backend.queue.counts('review'),
    ({ waiting, active, delayed }) => waiting + active + delayed === 0,
  );
}

/** Keys by the part of their name that tells their kind. */
async function census(redis) {
  const kinds = new Map();
  let cursor = '0';
  do {
    const [next, names] = await redis.scan(cursor, 'COUNT', 1_000);
    cursor = next;
    const lives = await redis.pipeline(names.map((name) => ['pttl', name])).exec();
    for (const [at, name] of names.entries()) {
      // What has expired and was not yet noticed is gone.
      if (lives?.[at]?.[1] === -2) continue;
      const kind = name.replace(/job_\w{26}/, 'ID').replace(/:[0-9a-f]{32}$/, ':PRINCIPAL');
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  } while (cursor !== '0');
  return kinds;
}

const sum = (kinds) => [...kinds.values()].reduce((total, count) => total + count, 0);

/** Waits until no result of a job is left. */
const settled = (redis) =>
  until(
    () => census(redis),
    (kinds) => ![...kinds.keys()].some((kind) => kind.endsWith(':job:ID') || kind.includes(':outcome:')),
  );

const { env, config, dispose } = freshSettings({
  LONGHAUL_RESULT_TTL_SECONDS: '1',
  LONGHAUL_CONCURRENCY: '50',
  LONGHAUL_GRACE_SECONDS: '1',
});
const logger = createLogger('bench', 'error');
const lease = await leaseRedis(config, logger);
const backend = openBackend(config, logger, { address: lease.address, role: 'call' });
const redis = connectRedis(lease.address, 'work');
const worker = spawn(process.execPath, [path('../bundle/src/main.js'), 'worker', '--tools', path('noop-tool.mjs')], {
  env,
  stdio: ['ignore', 'ignore', 'inherit'],
});
const gone = new Promise((resolve) => worker.once('exit', resolve));
try {
  await backend.ready(10_000);
  printMachine();
  await run(backend, JOBS);
  const first = await settled(redis);
  await run(backend, JOBS);
  const second = await settled(redis);
  const kinds = [...new Set([...first.keys(), ...second.keys()])].sort();
  const rows = kinds.map((kind) => [`\`${kind}\``, first.get(kind) ?? 0, second.get(kind) ?? 0]);
  printTable(['keys', `after ${JOBS} jobs`, `after ${2 * JOBS} jobs`], [...rows, ['all', sum(first), sum(second)]]);
  const most = Math.min(JOBS, KEPT) + SLACK + rows.length;
  const flat = sum(second) <= Math.max(sum(first), most) && sum(first) <= most;
  process.stdout.write(
    `${flat ? 'flat' : 'NOT FLAT'}: ${sum(first)}, then ${sum(second)} keys; at most ${most} may stay\n`,
  );
  process.exitCode = flat ? 0 : 1;
} finally {
  worker.kill('SIGTERM');
  await gone;
  redis.disconnect();
  await backend.close();
  await lease.release();
  dispose();
}
