/** Says in a word whether an installation is healthy, and in sentences what is not; pure, so that each can be tested. */
import { counted } from '../core/figures.js';
import type { WorkerView } from '../core/presence.js';
import type { Glance, QueueGlance, Snapshot } from './snapshot.js';
import { duration, short } from './words.js';

/** How bad something is. */
export type Level = 'ok' | 'warn' | 'fail';

/** One thing an operator should look at. */
export interface Remark {
  readonly level: Exclude<Level, 'ok'>;
  readonly text: string;
  /** What to do. */
  readonly mend?: string;
}

/** The worst of all remarks, and the remarks, the worst first. */
export interface Verdict {
  readonly level: Level;
  readonly remarks: readonly Remark[];
}

const LONG_WAIT_MS = 5 * 60_000;
const BLOCKED_MS = 5_000;
const RECENT_MINUTES = 10;
const MANY_FAILURES = 3;

/** Judges a snapshot; `silenceMs` is after what a worker is given up. */
export function judge({ readiness, glance, away }: Snapshot, silenceMs: number): Verdict {
  const remarks: Remark[] = [
    ...(away === undefined ? [] : [{ level: 'fail', text: `The queue cannot be looked at: ${away}` } as const]),
    ...readiness.complaints.map(({ check, status, seen, mend }) => ({
      level: status,
      text: `${check}: ${seen}`,
      mend,
    })),
    ...(glance ? [...ofWorkers(glance, silenceMs), ...ofQueues(glance), ...ofFailures(glance)] : []),
  ];
  const worst = remarks.some(({ level }) => level === 'fail') ? 'fail' : 'warn';
  return {
    level: remarks.length === 0 ? 'ok' : worst,
    remarks: remarks.toSorted((a, b) => Number(a.level === 'warn') - Number(b.level === 'warn')),
  };
}

function ofWorkers({ workers, nowMs }: Glance, silenceMs: number): Remark[] {
  if (workers.length === 0) {
    return [{ level: 'warn', text: 'No worker is running: jobs are accepted, and wait.', mend: 'longhaul worker' }];
  }
  return workers.flatMap((worker) => workerRemark(worker, nowMs - worker.beatAtMs, silenceMs));
}

function workerRemark({ id, blockedMs }: WorkerView, silentMs: number, silenceMs: number): Remark[] {
  if (silentMs > silenceMs / 2) {
    const text = `Worker ${id} has not been heard of for ${duration(silentMs)}; after ${duration(silenceMs)} its jobs go to others.`;
    return [{ level: 'warn', text }];
  }
  if (blockedMs < BLOCKED_MS) return [];
  return [
    { level: 'warn', text: `Worker ${id} has been standing still for ${duration(blockedMs)}: a tool blocks it.` },
  ];
}

function ofQueues({ queues, workers, nowMs }: Glance): Remark[] {
  return queues.flatMap((queue) => queueRemark(queue, workers, nowMs));
}

function queueRemark({ name, counts, longest }: QueueGlance, workers: readonly WorkerView[], nowMs: number): Remark[] {
  const waiting = counts.waiting > 0;
  if (waiting && workers.length > 0 && !workers.some(({ queues }) => queues.includes(name))) {
    const text = `${counted(counts.waiting, 'job')} in the queue ${name}, which no worker serves.`;
    return [{ level: 'fail', text, mend: `longhaul worker --queue ${name}` }];
  }
  if (!waiting || !longest || nowMs - longest.sinceMs < LONG_WAIT_MS) return [];
  const text = `A job has waited in the queue ${name} for ${duration(nowMs - longest.sinceMs)}: ${short(longest.tool, 40)}, ${longest.id}.`;
  return [{ level: 'warn', text, mend: `Start more workers, or more slots: --concurrency ${name}=N` }];
}

function ofFailures({ minutes }: Glance): Remark[] {
  const recent = minutes.slice(-RECENT_MINUTES);
  const failed = recent.reduce((sum, minute) => sum + minute.failed, 0);
  const completed = recent.reduce((sum, minute) => sum + minute.completed, 0);
  if (failed < MANY_FAILURES || failed <= completed) return [];
  const text = `More jobs failed (${failed}) than completed (${completed}) in the last ${RECENT_MINUTES} minutes.`;
  return [{ level: 'warn', text, mend: 'See the failures by code below' }];
}
