/** Looks at an installation for `longhaul status`: what it reads is bounded, however many jobs there are. */
import type { Backend } from './backend.js';
import type { Config } from './config.js';
import type { JobRow, Overview } from './core/overview.js';
import { RATE_MINUTES } from './core/overview.js';
import { withRunning } from './core/presence.js';
import type { InstallationStatus, QueueStatus } from './core/status.js';
import { QUEUE_NAMES } from './core/tool.js';
import type { TotalsView } from './core/totals.js';
import type { Complaint } from './core/trouble.js';
import { judgeUse } from './ops/doctor.js';
import type { RedisAddress } from './redis/address.js';
import { createKeys } from './redis/keys.js';
import { probeRedis } from './redis/probe.js';
import { translateRedisError } from './redis/translate.js';

const PROBE_LIMIT_MS = 2_000;
/** Of each kind of job so many are told. */
const JOBS_OF_A_KIND = 20;
const ENDED_JOBS = 5;
/** Parts that run are told as their job, so more of them are looked at. */
const RUNNING_LOOKED_AT = 500;

/** One look. Rejects with `queue_unavailable` while Redis is away, or says nothing. */
export async function lookAt(backend: Backend, config: Config, address: RedisAddress): Promise<InstallationStatus> {
  try {
    return await look(backend, config, address);
  } catch (error) {
    // The round trip is measured on the bare connection.
    throw translateRedisError(error);
  }
}

async function look(backend: Backend, config: Config, address: RedisAddress): Promise<InstallationStatus> {
  const { overview, presence, totals } = backend;
  const [roundTripMs, atMs, beating, running, view, minutes, complaints] = await Promise.all([
    backend.roundTripMs(),
    overview.nowMs(),
    presence.workers(),
    runningOf(overview),
    totals.read(),
    overview.minutes(RATE_MINUTES),
    complaintsAbout(config, address),
  ]);
  const { parked, sessions, processes } = view;
  const [queues, jobs, workers] = await Promise.all([
    queuesOf(backend, view),
    jobsOf(overview, running),
    withRunning(beating, running, overview.rows),
  ]);
  return { atMs, roundTripMs, queues, parked, workers, processes, sessions, jobs, minutes, complaints };
}

async function complaintsAbout(config: Config, address: RedisAddress): Promise<readonly Complaint[]> {
  const prefix = createKeys(config.namespace).queuePrefix;
  return judgeUse(await probeRedis(address, { prefix, limitMs: PROBE_LIMIT_MS }), config.redisUrl === undefined);
}

function queuesOf({ queue }: Backend, { waiting }: TotalsView): Promise<QueueStatus[]> {
  return Promise.all(
    QUEUE_NAMES.map(async (name) => {
      const oldestMs = waiting.get(name)?.oldestMs ?? 0;
      return { name, oldestMs, ...(await queue.counts(name)) };
    }),
  );
}

async function jobsOf(overview: Overview, taken: readonly JobRow[]): Promise<JobRow[]> {
  const [running, asking, handedOver, split, next, ended] = await Promise.all([
    wholeJobs(overview, taken),
    overview.parked('client', JOBS_OF_A_KIND),
    overview.parked('submit_review', JOBS_OF_A_KIND),
    overview.parked('parts', JOBS_OF_A_KIND),
    Promise.all(QUEUE_NAMES.map((name) => overview.nextIn(name, JOBS_OF_A_KIND))),
    overview.recent({ from: 0, limit: ENDED_JOBS, states: ['completed', 'failed', 'cancelled'] }),
  ]);
  const waiting = next.flat().filter(({ brief }) => !brief?.partOf);
  const all = [...running, ...split, ...asking, ...handedOver, ...waiting, ...ended.rows];
  return [...new Map(all.map((row) => [row.id, row])).values()];
}

async function runningOf(overview: Overview): Promise<readonly JobRow[]> {
  return (await Promise.all(QUEUE_NAMES.map((name) => overview.running(name, RUNNING_LOOKED_AT)))).flat();
}

/** Jobs for what runs: a part is told as the job it belongs to. */
async function wholeJobs(overview: Overview, running: readonly JobRow[]): Promise<readonly JobRow[]> {
  const owners = running.flatMap(({ brief }) => (brief?.partOf ? [brief.partOf] : []));
  const whole = running.filter(({ brief }) => !brief?.partOf);
  return [...whole, ...(await overview.rows([...new Set(owners)].slice(0, JOBS_OF_A_KIND)))];
}
