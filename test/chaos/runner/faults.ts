/** Disturbs an installation: kills and stops its processes at moments and for times that come from the seed. */
import { createBell } from '../../../src/core/bell.js';
import { pause } from '../../../src/core/lifecycle.js';
import type { Installation, Kept } from './installation.js';
import { createRandom, type Random } from './random.js';

/** What can befall an installation. */
export const FAULTS = {
  'worker killed': 5,
  'worker stopped': 3,
  'lone worker killed': 2,
  'supervisor killed': 1,
  'supervisor and worker killed': 1,
  'worker asked to stop': 1,
  'front end killed': 4,
  'front end stopped': 2,
  'Redis killed': 3,
  'Redis stopped': 2,
} as const;

/** See `FAULTS`. */
export type FaultKind = keyof typeof FAULTS;

/** A fault as it happened; a process that is stopped goes on at `toMs`, one that is killed is started again about then. */
export interface Fault {
  readonly kind: FaultKind;
  readonly pids: readonly number[];
  readonly fromMs: number;
  toMs?: number;
}

/** A fault as it is planned. */
interface PlannedFault {
  readonly kind: FaultKind;
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
const GAP_JOBS = { from: 1, to: 13 } as const;
const GAP_MS = { from: 300, to: 12_000 } as const;
/** How long a stop lasts, or what is dead stays away. */
const HOLD_MS = { from: 50, to: 5_000 } as const;

function planFault(random: Random): PlannedFault {
  const kind = random.weighted(FAULTS);
  const [gapJobs, which, share] = [random.int(GAP_JOBS.from, GAP_JOBS.to), random.int(0, 1_000), random.next()];
  // Short ones are more frequent, and find more.
  return { kind, gapJobs, which, holdMs: Math.round(HOLD_MS.from + (HOLD_MS.to - HOLD_MS.from) * share ** 2) };
}

/** Starts the disturbance; several faults may be under way at once, but only one of Redis. */
export function startFaults(seed: number, installation: Installation): Disturbance {
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
  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const planned = planFault(random);
      await untilDue(planned.gapJobs);
      if (ending.signal.aborted) return;
      const act = disturb(installation, planned, faults);
      underWay.add(act);
      act.finally(() => underWay.delete(act));
    }
  };
  const looping = loop();
  return {
    faults,
    jobEnded() {
      ended += 1;
      bell.ring();
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

/** The process may have ended in the meantime. */
function sendSignal(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has.
  }
}
