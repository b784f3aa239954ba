/** What an operator is told at a glance: well, needs a look or in trouble, and why, with what to do. */
import { expect, it } from 'vitest';
import { jobIdFrom } from '../../src/core/ids.js';
import type { MinuteRates, StandingRow } from '../../src/core/overview.js';
import type { WorkerView } from '../../src/core/presence.js';
import type { Glance, QueueGlance, Snapshot } from '../../src/dashboard/snapshot.js';
import { judge } from '../../src/dashboard/verdict.js';

const NOW = 1_000_000_000;
const LIMITS = { silenceMs: 10_000, standstillMs: 600_000 };

const worker = (more: Partial<WorkerView> = {}): WorkerView => ({
  ...{ id: 'w1', host: 'h', pid: 1, version: '1', recordVersion: 1, queues: ['analysis', 'review'], slots: 2 },
  ...{ startedAtMs: 0, jobs: [], blockedMs: 0, beatAtMs: NOW - 900, ...more },
});
const minute = (more: Partial<MinuteRates> = {}): MinuteRates => ({
  ...{ atMs: 0, submitted: 0, started: 0, completed: 0, failed: 0, cancelled: 0, failures: [], ...more },
});
const waiting = (sinceMs: number): StandingRow => ({
  ...{ id: jobIdFrom(new Uint8Array(26)), tool: 'echo', queue: 'review', state: 'waiting', attempt: 0, crashes: 0 },
  ...{ handedOver: false, asks: [], isAnswered: false, sinceMs },
});
const queue = (name: string, count = 0, longest?: StandingRow): QueueGlance => ({
  ...{ name, counts: { waiting: count, active: 0, delayed: 0 }, next: [], longest, delayed: [] },
});
const glance = (more: Partial<Glance> = {}): Glance => ({
  ...{
    nowMs: NOW,
    counts: { listed: 0, sessions: 0, parked: new Map() },
    queues: [queue('analysis'), queue('review')],
  },
  ...{
    running: [],
    runningCount: 0,
    parked: [],
    workers: [worker()],
    minutes: [minute()],
    sessions: [],
    processes: [],
  },
  ...{ recent: [], ...more },
});
const seen = (more: Partial<Glance> = {}): Snapshot => ({
  readiness: { ready: true, complaints: [] },
  glance: glance(more),
});

it('all is well while workers beat, nobody waits long and no more fails than completes', () => {
  const minutes = [minute({ completed: 3, failed: 3 })];
  expect(judge(seen({ minutes, queues: [queue('review', 2, waiting(NOW - 1_000))] }), LIMITS)).toEqual({
    level: 'ok',
    remarks: [],
  });
});

it.each<[string, Snapshot, string, RegExp]>([
  ['no worker runs', seen({ workers: [] }), 'fail', /^Workers: none runs/],
  ['a worker is silent', seen({ workers: [worker({ beatAtMs: NOW - 6_000 })] }), 'warn', /^Worker w1: silent for 6 s/],
  ['a worker stands still', seen({ workers: [worker({ blockedMs: 20_000 })] }), 'warn', /stood still for 20 s/],
  [
    'nobody serves a queue',
    seen({ workers: [worker({ queues: ['analysis'] })], queues: [queue('review', 2)] }),
    'fail',
    /^Queue review: no worker serves it, and 2 jobs wait/,
  ],
  [
    'a job waits long',
    seen({ queues: [queue('review', 1, waiting(NOW - 600_000))] }),
    'warn',
    /^Queue review: a job has waited for 10 min/,
  ],
  [
    'more fails than completes',
    seen({ minutes: [minute({ failed: 4, completed: 1 })] }),
    'warn',
    /^Jobs: 4 failed and 1 completed/,
  ],
  [
    'the queue is away',
    { readiness: { ready: false, complaints: [] }, away: 'Redis does not answer.' },
    'fail',
    /cannot be looked at: Redis does not answer/,
  ],
])('%s is told, and how bad it is', (_, snapshot, level, text) => {
  const verdict = judge(snapshot, LIMITS);
  expect(verdict.level).toBe(level);
  expect(verdict.remarks[0]?.text).toMatch(text);
});

it('what Redis suffers from comes with what to do, and the worst comes first', () => {
  const complaints = [
    { check: 'Latency', status: 'warn', seen: 'slow', mend: 'move' },
    { check: 'Persistence', status: 'fail', seen: 'none', mend: 'appendonly yes' },
  ] as const;
  const { level, remarks } = judge({ ...seen(), readiness: { ready: true, complaints } }, LIMITS);
  expect(level).toBe('fail');
  expect(remarks).toEqual([
    { level: 'fail', text: 'Persistence: none', mend: 'appendonly yes' },
    { level: 'warn', text: 'Latency: slow', mend: 'move' },
  ]);
});
