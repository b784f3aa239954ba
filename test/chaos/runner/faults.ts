/** Disturbs an installation: kills and stops its processes at moments and for times that come from the seed. */
import { createBell } from '../../../src/core/bell.js';
import { pause } from '../../../src/core/lifecycle.js';
import type { Installation, Kept } from './installation.js';
import { type Probe, probeUntil } from './outage.js';
import { createRandom, type Random } from './random.js';

/** What can befall an installation. */
export const FAULTS = {
  'worker killed': 5,
  'worker stopped': 3,
  'lone worker killed': 2,
  'supervisor killed': 1,
  'supervisor stopped': 1,
  'supervisor and worker killed': 1,
  'worker asked to stop': 1,
  'front end killed': 4,
  'front end stopped': 2,
  'Redis killed': 3,
  'Redis stopped': 2,
} as const;

/** Comes at its own time, while whatever the seed brings goes on beside it. */
const LONG_OUTAGE = 'Redis killed for 30 s';
const LONG_OUTAGE_MS = 30_000;
/** One for so many jobs, in the middle of them; a run of fewer has none. */
const LONG_OUTAGE_JOBS = 250;

/** See `FAULTS`. */
export type FaultKind = keyof typeof FAULTS | typeof LONG_OUTAGE;

/** A fault as it happened; a process that is stopped goes on at `toMs`, one that is killed is started again about then. */
export interface Fault {
  readonly kind: FaultKind;
  readonly pids: readonly number[];
  readonly fromMs: number;
  toMs?: number;
  /** What calls were told meanwhile, of a long outage. */
  probes?: readonly Probe[];
}

/** A fault as it is planned. */
interface PlannedFault {
  readonly kind: keyof typeof FAULTS;
  /** Jobs that end between the last fault and this one. */
  readonly gapJobs: number;
  readonly holdMs: number;
  /** Which of several targets. */
  readonly which: number;
}

/** See `startFaults`. */
export interface Disturbance {
  readonly faults: readonly Fault[];
  /** Tells that another job has ended. */
  jobEnded(): void;
  /** Ends the disturbance; resolves when all that was stopped goes on. */
  end(): Promise<void>;
}

/**
 * Between two faults some jobs end, so that a slow machine is not disturbed more than a fast one; only where none ends, time
 * decides.
 */
const MOST_GAP_JOBS = 13;
const GAP_MS = { from: 300, to: 12_000 } as const;
/** How long a stop lasts, or what is dead stays away. */
const HOLD_MS = { from: 50, to: 5_000 } as const;

function planFault(random: Random, mostGapJobs: number): PlannedFault {
  const kind = random.weighted(FAULTS);
  const [gapJobs, which, share] = [random.int(1, mostGapJobs), random.int(0, 1_000), random.next()];
  // Short ones are more frequent, and find more.
  return { kind, gapJobs, which, holdMs: Math.round(HOLD_MS.from + (HOLD_MS.to - HOLD_MS.from) * share ** 2) };
}

/** What is disturbed. */
export interface DisturbedRun {
  readonly seed: number;
  readonly jobs: number;
  /** Jobs between two faults at most; 13 unless said. */
  readonly gapJobs?: number | undefined;
}

/** Starts the disturbance; several faults may be under way at once, but only one of Redis. */
export function startFaults({ seed, jobs, gapJobs }: DisturbedRun, installation: Installation): Disturbance {
  const random = createRandom(seed, 'faults');
  const ending = new AbortController();
  const faults: Fault[] = [];
  const underWay = new Set<Promise<void>>();
  const bell = createBell();
  let ended = 0;
  const untilDue = async (gapJobs: number): Promise<void> => {
    const [due, latestMs] = [ended + gapJobs, Date.now() + GAP_MS.to];
    await pause(GAP_MS.from, ending.signal);
    while (ended < due && Date.now() < latestMs && !ending.signal.aborted) {
      bell.reset();
      await bell.heard(latestMs - Date.now(), ending.signal);
    }
  };
  const begin = (act: Promise<void>): void => {
    underWay.add(act);
    act.finally(() => underWay.delete(act));
  };
  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const planned = planFault(random, gapJobs ?? MOST_GAP_JOBS);
      await untilDue(planned.gapJobs);
      if (ending.signal.aborted) return;
      begin(disturb(installation, planned, faults));
    }
  };
  const looping = loop();
  return {
    faults,
    jobEnded() {
      ended += 1;
      bell.ring();
      const isMiddle = ended % LONG_OUTAGE_JOBS === LONG_OUTAGE_JOBS / 2;
      if (isMiddle && jobs >= LONG_OUTAGE_JOBS) begin(takeRedisAway(installation, faults));
    },
    async end() {
      ending.abort();
      await looping;
      await Promise.all(underWay);
    },
  };
}

async function disturb(installation: Installation, planned: PlannedFault, faults: Fault[]): Promise<void> {
  const { kind, holdMs, which } = planned;
  const { supervisors, loneWorkers, frontEnds, redis } = installation;
  const one = <T>(items: readonly T[]): T | undefined => items[which % Math.max(1, items.length)];
  const began = (...pids: readonly number[]): Fault => {
    const fault: Fault = { kind, pids, fromMs: Date.now() };
    faults.push(fault);
    return fault;
  };
  const kill = (signal: NodeJS.Signals, kept: Kept | undefined, ...more: readonly number[]): void => {
    const pid = kept?.pid();
    if (pid === undefined) return;
    kept?.restartAfter(holdMs);
    const fault = began(pid, ...more);
    for (const dead of fault.pids) sendSignal(dead, signal);
    fault.toMs = fault.fromMs + holdMs;
  };
  const stop = async (pid: number | undefined): Promise<void> => {
    if (pid === undefined) return;
    const fault = began(pid);
    sendSignal(pid, 'SIGSTOP');
    await pause(holdMs);
    sendSignal(pid, 'SIGCONT');
    fault.toMs = Date.now();
  };
  switch (kind) {
    case 'worker killed': {
      const pid = one(await installation.supervisedWorkers());
      if (pid !== undefined) began(pid).toMs = Date.now();
      return sendSignal(pid, 'SIGKILL');
    }
    case 'worker stopped':
      return stop(one([...(await installation.supervisedWorkers()), ...loneWorkers.flatMap(({ pid }) => pid() ?? [])]));
    case 'lone worker killed':
      return kill('SIGKILL', one(loneWorkers));
    case 'supervisor killed':
      return kill('SIGKILL', one(supervisors));
    case 'supervisor stopped':
      return stop(one(supervisors.flatMap(({ pid }) => pid() ?? [])));
    case 'supervisor and worker killed': {
      const at = which % supervisors.length;
      return kill('SIGKILL', supervisors[at], ...(await installation.childrenOf(supervisors[at]?.pid())));
    }
    case 'worker asked to stop':
      return kill('SIGTERM', one([...supervisors, ...loneWorkers]));
    case 'front end killed':
      return kill('SIGKILL', one(frontEnds));
    case 'front end stopped':
      return stop(one(frontEnds.flatMap(({ pid }) => pid() ?? [])));
    case 'Redis killed':
      return killRedis(redis, holdMs, began);
    case 'Redis stopped':
      return redis.pid() === undefined ? undefined : stop(redis.pid());
    default:
      return kind satisfies never;
  }
}

async function killRedis(
  redis: Installation['redis'],
  holdMs: number,
  began: (...pids: readonly number[]) => Fault,
): Promise<void> {
  const pid = redis.pid();
  // It is dead already, and comes back by itself.
  if (pid === undefined) return;
  const fault = began(pid);
  await redis.killFor(holdMs);
  fault.toMs = Date.now();
}

/** Kills Redis for longer than any lock or patience within the product lasts by default, and keeps calling meanwhile. */
async function takeRedisAway(installation: Installation, faults: Fault[]): Promise<void> {
  const { redis } = installation;
  // One that is dead just now comes back first.
  while (redis.pid() === undefined) await pause(GAP_MS.from);
  const fault: Fault = { kind: LONG_OUTAGE, pids: [redis.pid() ?? 0], fromMs: Date.now() };
  faults.push(fault);
  const over = new AbortController();
  const probing = probeUntil(over.signal, installation);
  await redis.killFor(LONG_OUTAGE_MS, () => over.abort());
  fault.toMs = Date.now();
  fault.probes = await probing;
}

/** The process may have ended in the meantime. */
function sendSignal(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has.
  }
}
