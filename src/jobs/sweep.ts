/**
 * Repairs what deaths and outages leave behind between a job's record and the queue: a job that is stored but was never
 * queued, or that the queue has lost, one whose wake-up was lost, one that a worker nobody knows has left.
 */
import { AppError } from '../core/errors.js';
import type { JobId } from '../core/ids.js';
import { pause } from '../core/lifecycle.js';
import type { InputMailbox, JobQueue, JobStore } from '../core/ports.js';
import type { Presence } from '../core/presence.js';
import type { Place, UnfinishedJob, UnfinishedJobs } from '../core/sweep.js';
import { recoverWorker } from './recover.js';

/** What a sweep stands on. */
export interface SweepPorts {
  readonly unfinished: UnfinishedJobs;
  readonly store: Pick<JobStore, 'get' | 'revoke'>;
  readonly queue: Pick<JobQueue, 'add' | 'remove' | 'promote' | 'places' | 'handBack'>;
  readonly mailbox: Pick<InputMailbox, 'openKeys'>;
  readonly presence: Pick<Presence, 'isKnown' | 'leave'>;
}

/** Timing of a sweep. */
export interface SweepOptions {
  /** Milliseconds between the look that makes a suspect and the one that confirms it. */
  readonly confirmMs?: number;
  readonly signal?: AbortSignal;
}

/** What is done about a job that is not in order. */
export type Repair = 'queue' | 'requeue' | 'wake' | 'recover';

/** A job that was repaired. */
export interface Repaired {
  readonly id: JobId;
  readonly repair: Repair;
}

interface Suspect {
  readonly job: UnfinishedJob;
  readonly place: Place;
  readonly repair: Repair;
}

/** Jobs a sweep looks at, so that it is short however many there are. */
const BATCH = 500;
/** A job in order is looked at again after this long. */
const RECHECK_MS = 60_000;
const CONFIRM_MS = 1_000;
/** A job that is due may still be under way to a worker. */
const OVERDUE_MS = 10_000;

/**
 * Looks at the jobs that are due for it, twice, since the record and the queue are never changed in one: only who is out of
 * order in the same way both times is repaired, and each repair does nothing to a job that went on in between.
 */
export async function sweep(ports: SweepPorts, options: SweepOptions = {}): Promise<readonly Repaired[]> {
  const ids = await ports.unfinished.due(BATCH);
  const suspects = await lookAt(ports, ids);
  await ports.unfinished.putOff(ids, RECHECK_MS);
  if (suspects.length === 0) return [];
  await pause(options.confirmMs ?? CONFIRM_MS, options.signal);
  const again = await lookAt(
    ports,
    suspects.map(({ job }) => job.id),
  );
  const repaired: Repaired[] = [];
  for (const suspect of again) {
    const before = suspects.find(({ job }) => job.id === suspect.job.id);
    if (options.signal?.aborted || !before || !isSame(before, suspect)) continue;
    if (await REPAIRS[suspect.repair](ports, suspect)) repaired.push({ id: suspect.job.id, repair: suspect.repair });
  }
  return repaired;
}

/** What must be done about a job in such a place; undefined if it is in order. */
export function repairFor(job: UnfinishedJob, place: Place, nowMs: number): Repair | undefined {
  switch (place.kind) {
    case 'waiting':
      return undefined;
    case 'active':
      return place.isLocked || place.holder === undefined ? undefined : 'recover';
    case 'delayed':
      return job.state === 'parked' || job.state === 'delayed' ? repairSleeper(job, nowMs) : undefined;
    case 'ended':
    case 'missing':
      return job.state === 'active' ? 'requeue' : 'queue';
    default:
      return place satisfies never;
  }
}

function repairSleeper({ isAnswered, state, untilMs }: UnfinishedJob, nowMs: number): Repair | undefined {
  if (state === 'parked' && isAnswered) return 'wake';
  return untilMs !== undefined && nowMs - untilMs > OVERDUE_MS ? 'wake' : undefined;
}

async function lookAt(ports: SweepPorts, ids: readonly JobId[]): Promise<Suspect[]> {
  const jobs = await ports.unfinished.look(ids);
  const queues = [...new Set(jobs.map(({ queue }) => queue))];
  const places = await Promise.all(
    queues.map((queue) =>
      ports.queue.places(
        jobs.filter((job) => job.queue === queue).map(({ id }) => id),
        queue,
      ),
    ),
  );
  const nowMs = Date.now();
  return jobs.flatMap((job) => {
    const place = places.map((found) => found.get(job.id)).find((found) => found !== undefined);
    const repair = place && repairFor(job, place, nowMs);
    return place && repair ? [{ job, place, repair }] : [];
  });
}

function isSame(one: Suspect, other: Suspect): boolean {
  return one.repair === other.repair && one.job.state === other.job.state && one.job.run === other.job.run;
}

/** Each says whether it did something. */
const REPAIRS: Readonly<Record<Repair, (ports: SweepPorts, suspect: Suspect) => Promise<boolean>>> = {
  queue: (ports, { job }) => queueAgain(ports, job),

  // Its run, if there is one, is refused from here on: it may go on beside the next.
  async requeue(ports, { job }) {
    if (job.workerId === undefined || !(await ports.store.revoke(job.id, job.workerId, job.run))) return false;
    return queueAgain(ports, job);
  },

  async wake({ queue, mailbox }, { job }) {
    // Of its parts only the last one's outcome is something to go on with.
    const overdue = repairSleeper({ ...job, isAnswered: false }, Date.now()) === 'wake';
    if (job.awaits === 'parts' && !overdue && (await mailbox.openKeys(job.id)).length > 0) return false;
    return queue.promote(job.id, job.queue);
  },

  async recover(ports, { place }) {
    if (place.kind !== 'active' || place.holder === undefined) return false;
    // One that beats takes the lock again, or finds by itself that the job never reached it.
    if (await ports.presence.isKnown(place.holder)) return false;
    return (await recoverWorker(ports, place.holder)).length > 0;
  },
};

/** Reads the record anew: what ended, or is of a newer version, is left alone. What remains of the job in the queue is in the way. */
async function queueAgain({ store, queue }: SweepPorts, { id, queue: name }: UnfinishedJob): Promise<boolean> {
  const record = await store.get(id).catch(unreadable);
  if (!record || record.endedAtMs !== undefined) return false;
  await queue.remove(id, name);
  await queue.add(record.seed);
  return true;
}

function unreadable(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'unsupported_record') return undefined;
  throw error;
}
