/** What an installation looks like at one moment, and whether that is healthy: pure, so that every verdict can be tested. */
import { count, counted, duration } from './figures.js';
import type { JobRow, MinuteRates } from './overview.js';
import type { WorkerView } from './presence.js';
import type { ProcessReport, Standing } from './totals.js';
import type { Complaint } from './trouble.js';

/** A queue: jobs and parts of jobs in it. */
export interface QueueStatus {
  readonly name: string;
  readonly waiting: number;
  /** For how long the one that waits longest has, in milliseconds; 0 for none. */
  readonly oldestMs: number;
  readonly active: number;
  /** Sleeping until the next attempt, or parked. */
  readonly delayed: number;
}

/** One look at an installation; all times are told by the clock of Redis. */
export interface InstallationStatus {
  readonly atMs: number;
  readonly roundTripMs: number;
  readonly queues: readonly QueueStatus[];
  /** By what they wait for, see `WAITS_FOR`. */
  readonly parked: ReadonlyMap<string, Standing>;
  readonly workers: readonly WorkerView[];
  readonly processes: readonly ProcessReport[];
  readonly sessions: number;
  /** What runs, then what is parked, then what is next, then what ended last; of each some. */
  readonly jobs: readonly JobRow[];
  /** The last hour, oldest minute first. */
  readonly minutes: readonly MinuteRates[];
  /** What is amiss with Redis. */
  readonly complaints: readonly Complaint[];
}

/** From when on what a worker does not tell is a complaint, in milliseconds. */
export interface Tolerances {
  /** Without a beat. */
  readonly silenceMs: number;
  /** With an event loop that stands still. */
  readonly standstillMs: number;
}

/** What health is judged by, for whoever looks: `status` and the dashboard say the same. */
export type Observed = Pick<InstallationStatus, 'atMs' | 'workers' | 'minutes' | 'complaints'> & {
  readonly queues: readonly Pick<QueueStatus, 'name' | 'waiting' | 'oldestMs'>[];
};

/** From when on a wait is told; how long is too long differs between installations, so it is no failure. */
const LONG_WAIT_MS = 5 * 60_000;
/** From when on a tool that blocks its worker is told. */
const BLOCKED_MS = 5_000;
const RECENT_MINUTES = 10;
const MANY_FAILURES = 3;

/** Everything that is amiss, failures first; an installation is healthy while none of it is a failure. */
export function complaintsOf(seen: Observed, tolerances: Tolerances): readonly Complaint[] {
  const all = [
    ...seen.complaints,
    ...unserved(seen, tolerances),
    ...seen.workers.flatMap((worker) => aboutWorker(worker, seen.atMs, tolerances)),
    ...seen.queues.flatMap((queue) => longWait(queue, seen, tolerances)),
    ...failures(seen),
  ];
  return [...all.filter(isFailure), ...all.filter((complaint) => !isFailure(complaint))];
}

/** Whether a complaint makes an installation unhealthy. */
export function isFailure({ status }: Complaint): boolean {
  return status === 'fail';
}

const START_WORKERS = 'Start some: longhaul worker, or longhaul http with --workers 1 or more';

function aliveOf({ workers, atMs }: Observed, { silenceMs }: Tolerances): readonly WorkerView[] {
  return workers.filter(({ beatAtMs }) => atMs - beatAtMs <= silenceMs);
}

function unserved(observed: Observed, tolerances: Tolerances): Complaint[] {
  const { queues } = observed;
  const alive = aliveOf(observed, tolerances);
  if (alive.length === 0) {
    const jobs = queues.reduce((sum, { waiting }) => sum + waiting, 0);
    const seen = jobs === 0 ? 'none runs' : `none runs, and ${counted(jobs, 'job')} ${jobs === 1 ? 'waits' : 'wait'}`;
    return [{ check: 'Workers', status: 'fail', seen, mend: START_WORKERS }];
  }
  return queues
    .filter(({ name }) => !alive.some((worker) => worker.queues.includes(name)))
    .map(({ name, waiting }) => ({
      check: `Queue ${name}`,
      status: waiting > 0 ? 'fail' : 'warn',
      seen: `no worker serves it${waiting > 0 ? `, and ${counted(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'}` : ''}`,
      mend: `Start one: longhaul worker --queue ${name}`,
    }));
}

function aboutWorker(
  { id, host, pid, beatAtMs, blockedMs }: WorkerView,
  atMs: number,
  limits: Tolerances,
): Complaint[] {
  const check = `Worker ${id}`;
  const silentMs = atMs - beatAtMs;
  const where = `(process ${pid} on ${host})`;
  if (silentMs > limits.silenceMs / 2) {
    const status = silentMs > limits.silenceMs ? 'fail' : 'warn';
    const mend = `After ${duration(limits.silenceMs)} its jobs go to other workers; see its log for why`;
    return [{ check, status, seen: `silent for ${duration(silentMs)} ${where}`, mend }];
  }
  if (blockedMs < Math.min(BLOCKED_MS, limits.standstillMs)) return [];
  const seen = `its event loop has stood still for ${duration(blockedMs)} ${where}`;
  if (blockedMs < limits.standstillMs)
    return [{ check, status: 'warn', seen, mend: 'A tool blocks it; its jobs go on when that is done' }];
  return [{ check, status: 'fail', seen, mend: 'Look at that process; restarting it hands its jobs to others' }];
}

function longWait(
  { name, waiting, oldestMs }: Observed['queues'][number],
  observed: Observed,
  tolerances: Tolerances,
): Complaint[] {
  const isServed = aliveOf(observed, tolerances).some(({ queues }) => queues.includes(name));
  if (!isServed || waiting === 0 || oldestMs < LONG_WAIT_MS) return [];
  const mend = `Start more workers, or give them more slots: --concurrency ${name}=N`;
  return [{ check: `Queue ${name}`, status: 'warn', seen: `a job has waited for ${duration(oldestMs)}`, mend }];
}

function failures({ minutes }: Observed): Complaint[] {
  const recent = minutes.slice(-RECENT_MINUTES);
  const failed = recent.reduce((sum, minute) => sum + minute.failed, 0);
  const completed = recent.reduce((sum, minute) => sum + minute.completed, 0);
  if (failed < MANY_FAILURES || failed <= completed) return [];
  const seen = `${count(failed)} failed and ${count(completed)} completed in the last ${RECENT_MINUTES} minutes`;
  return [{ check: 'Jobs', status: 'warn', seen, mend: 'See why: longhaul jobs list --state failed' }];
}
