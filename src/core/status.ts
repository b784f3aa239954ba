/** What an installation looks like at one moment, and whether that is healthy: pure, so that every verdict can be tested. */
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

/** Everything that is amiss, failures first; an installation is healthy while none of it is a failure. */
export function complaintsOf(status: InstallationStatus, tolerances: Tolerances): readonly Complaint[] {
  const all = [
    ...status.complaints,
    ...unserved(status, tolerances),
    ...status.workers.flatMap((worker) => aboutWorker(worker, status.atMs, tolerances)),
  ];
  return [...all.filter(isFailure), ...all.filter((complaint) => !isFailure(complaint))];
}

/** Whether a complaint makes an installation unhealthy. */
export function isFailure({ status }: Complaint): boolean {
  return status === 'fail';
}

const START_WORKERS = 'Start some: longhaul worker, or longhaul http with --workers 1 or more';

function unserved({ queues, workers, atMs }: InstallationStatus, { silenceMs }: Tolerances): Complaint[] {
  const alive = workers.filter(({ beatAtMs }) => atMs - beatAtMs <= silenceMs);
  if (alive.length === 0) {
    const jobs = queues.reduce((sum, { waiting }) => sum + waiting, 0);
    const seen = jobs === 0 ? 'none runs' : `none runs, and ${countOf(jobs, 'job')} ${jobs === 1 ? 'waits' : 'wait'}`;
    return [{ check: 'Workers', status: 'fail', seen, mend: START_WORKERS }];
  }
  return queues
    .filter(({ name }) => !alive.some((worker) => worker.queues.includes(name)))
    .map(({ name, waiting }) => ({
      check: `Queue ${name}`,
      status: waiting > 0 ? 'fail' : 'warn',
      seen: `no worker serves it${waiting > 0 ? `, and ${countOf(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'}` : ''}`,
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
  if (silentMs > limits.silenceMs) {
    const seen = `silent for ${Math.round(silentMs / 1_000)} s (process ${pid} on ${host})`;
    return [{ check, status: 'fail', seen, mend: 'Its jobs go to other workers; see its log for why it ended' }];
  }
  if (blockedMs < limits.standstillMs) return [];
  const seen = `its event loop has stood still for ${Math.round(blockedMs / 1_000)} s (process ${pid} on ${host})`;
  return [{ check, status: 'fail', seen, mend: 'Look at that process; restarting it hands its jobs to others' }];
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
