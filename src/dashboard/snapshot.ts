/** What the overview shows, gathered once for all who look within a second; bounded whatever runs. */
import { WAITS_FOR } from '../core/job.js';
import {
  type JobRow,
  type MinuteRates,
  type OverviewCounts,
  RATE_MINUTES,
  type SessionRow,
  type StandingRow,
  type WaitsFor,
} from '../core/overview.js';
import type { QueueCounts } from '../core/ports.js';
import { type WorkerView, withRunning } from '../core/presence.js';
import type { ProcessReport } from '../core/totals.js';
import type { Readiness } from '../core/trouble.js';
import { cleanRows } from './clean.js';
import type { DashboardCore, DashboardParts } from './parts.js';

/** A queue at a glance. */
export interface QueueGlance {
  readonly name: string;
  readonly counts: QueueCounts;
  readonly next: readonly JobRow[];
  /** The job that has waited longest. */
  readonly longest: StandingRow | undefined;
  /** Those that are tried again next. */
  readonly delayed: readonly JobRow[];
}

/** Jobs that are parked for one thing. */
export interface ParkedGlance {
  readonly awaited: WaitsFor;
  readonly count: number;
  readonly longest: readonly StandingRow[];
}

/** An installation at a glance. */
export interface Glance {
  readonly nowMs: number;
  readonly counts: OverviewCounts;
  readonly queues: readonly QueueGlance[];
  readonly running: readonly JobRow[];
  /** Runs under way, those not among `running` as well. */
  readonly runningCount: number;
  readonly parked: readonly ParkedGlance[];
  readonly workers: readonly WorkerView[];
  readonly minutes: readonly MinuteRates[];
  readonly sessions: readonly SessionRow[];
  /** Front ends and workers that told of themselves of late. */
  readonly processes: readonly ProcessReport[];
  readonly recent: readonly JobRow[];
}

/** The glance, or why there is none, and what Redis suffers from. */
export interface Snapshot {
  readonly readiness: Readiness;
  readonly glance?: Glance;
  /** Why the queue cannot be looked at. */
  readonly away?: string;
}

/** How much of each list is shown. */
export const SHOWN = {
  running: 12,
  parked: 6,
  next: 5,
  delayed: 3,
  workers: 24,
  sessions: 8,
  sessionsKnown: 50,
  recent: 10,
} as const;

const SHARED_MS = 1_000;

/** Builds what gathers snapshots: who asks while one is gathered, or within a second of it, shares it. */
export function createSnapshots(parts: DashboardParts): () => Promise<Snapshot> {
  let latest: { readonly atMs: number; readonly snapshot: Promise<Snapshot> } | undefined;
  return () => {
    if (!latest || Date.now() - latest.atMs > SHARED_MS) latest = { atMs: Date.now(), snapshot: gather(parts) };
    return latest.snapshot;
  };
}

async function gather(parts: DashboardParts): Promise<Snapshot> {
  const [readiness, glanced] = await Promise.all([
    parts.readiness(),
    parts
      .core()
      .then((core) => glanceOf(core, parts))
      .catch((error: unknown) => sentenceOf(error)),
  ]);
  return typeof glanced === 'string' ? { readiness, away: glanced } : { readiness, glance: glanced };
}

async function glanceOf(core: DashboardCore, { queues: names }: DashboardParts): Promise<Glance> {
  const { overview } = core;
  const [nowMs, counts, queues, parked, taken, beating, minutes, sessions, processes, recent] = await Promise.all([
    overview.nowMs(),
    overview.counts(),
    Promise.all(names.map((name) => queueGlance(core, name))),
    Promise.all(WAITS_FOR.map((awaited) => parkedRows(core, awaited))),
    Promise.all(names.map((name) => overview.running(name, 8 * SHOWN.running))),
    core.workers(),
    overview.minutes(RATE_MINUTES),
    overview.sessions(SHOWN.sessionsKnown),
    core.processes(),
    overview.recent({ from: 0, limit: SHOWN.recent }),
  ]);
  const running = await cleanRows(core.redactor, firstOf(taken.flat()));
  const workers = await withRunning(beating, taken.flat(), overview.rows);
  return {
    ...{ nowMs, counts, queues, running, workers, minutes, sessions, processes },
    runningCount: queues.reduce((sum, queue) => sum + queue.counts.active, 0),
    parked: parked.map(({ awaited, longest }) => ({ awaited, longest, count: counts.parked.get(awaited) ?? 0 })),
    recent: await cleanRows(core.redactor, recent.rows),
  };
}

async function parkedRows({ overview, redactor }: DashboardCore, awaited: WaitsFor) {
  return { awaited, longest: await cleanRows(redactor, await overview.parked(awaited, SHOWN.parked)) };
}

async function queueGlance({ overview, counts }: DashboardCore, name: string): Promise<QueueGlance> {
  const [figures, next, [longest], delayed] = await Promise.all([
    counts(name),
    overview.nextIn(name, SHOWN.next),
    overview.waiting(name, 1),
    overview.delayed(name, SHOWN.delayed),
  ]);
  return { name, counts: figures, next, longest, delayed };
}

/** Jobs before their parts, and of each the longest running first, so that a line stays where it is while others come. */
function firstOf(rows: readonly JobRow[]): readonly JobRow[] {
  const sorted = rows.toSorted(
    (a, b) => Number(a.brief?.partOf !== undefined) - Number(b.brief?.partOf !== undefined) || startOf(a) - startOf(b),
  );
  return sorted.slice(0, SHOWN.running);
}

function startOf({ startedAtMs = Number.POSITIVE_INFINITY }: JobRow): number {
  return startedAtMs;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
