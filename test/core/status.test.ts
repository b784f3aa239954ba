import { describe, expect, it } from 'vitest';
import type { WorkerView } from '../../src/core/presence.js';
import { complaintsOf, type InstallationStatus, isFailure } from '../../src/core/status.js';

const NOW = 1_000_000;
const LIMITS = { silenceMs: 10_000, standstillMs: 30_000 };
const worker = (more: Partial<WorkerView> = {}): WorkerView => ({
  id: 'w1',
  host: 'h',
  pid: 7,
  version: '1',
  recordVersion: 1,
  queues: ['analysis', 'review'],
  slots: 4,
  startedAtMs: 0,
  jobs: [],
  blockedMs: 0,
  beatAtMs: NOW - 500,
  ...more,
});
const queue = (name: string, waiting = 0) => ({ name, waiting, oldestMs: 0, active: 0, delayed: 0 });
const look = (more: Partial<InstallationStatus> = {}): InstallationStatus => ({
  atMs: NOW,
  roundTripMs: 1,
  queues: [queue('analysis'), queue('review')],
  parked: new Map(),
  workers: [worker()],
  processes: [],
  sessions: 0,
  jobs: [],
  minutes: [],
  complaints: [],
  ...more,
});
const told = (more: Partial<InstallationStatus>) =>
  complaintsOf(look(more), LIMITS).map(({ check, status, seen }) => `${status} ${check}: ${seen}`);

describe('the health of an installation', () => {
  it('is fine while workers beat and every queue has one', () => {
    expect(told({})).toEqual([]);
  });

  it('fails without a worker, with or without jobs that wait', () => {
    expect(told({ workers: [] })).toEqual(['fail Workers: none runs']);
    expect(told({ workers: [], queues: [queue('analysis', 2)] })).toEqual(['fail Workers: none runs, and 2 jobs wait']);
  });

  it('takes a worker that has been silent too long for none', () => {
    const silent = worker({ beatAtMs: NOW - 12_000 });
    expect(told({ workers: [silent] })).toEqual([
      'fail Workers: none runs',
      'fail Worker w1: silent for 12 s (process 7 on h)',
    ]);
  });

  it('fails where jobs wait in a queue that no worker serves, and only warns where none do', () => {
    const workers = [worker({ queues: ['analysis'] })];
    expect(told({ workers })).toEqual(['warn Queue review: no worker serves it']);
    expect(told({ workers, queues: [queue('analysis'), queue('review', 1)] })).toEqual([
      'fail Queue review: no worker serves it, and 1 job waits',
    ]);
  });

  it('fails for a worker that stands still', () => {
    expect(told({ workers: [worker({ blockedMs: 31_000 })] })).toEqual([
      'fail Worker w1: its event loop has stood still for 31 s (process 7 on h)',
    ]);
  });

  it('warns of what may be as it should: a silence or standstill that is short, a long wait, many failures', () => {
    expect(told({ workers: [worker({ beatAtMs: NOW - 6_000 })] })).toEqual([
      'warn Worker w1: silent for 6 s (process 7 on h)',
    ]);
    expect(told({ workers: [worker({ blockedMs: 6_000 })] })).toEqual([
      'warn Worker w1: its event loop has stood still for 6 s (process 7 on h)',
    ]);
    expect(told({ queues: [{ ...queue('analysis', 1), oldestMs: 600_000 }] })).toEqual([
      'warn Queue analysis: a job has waited for 10 min',
    ]);
    const minute = { atMs: 0, submitted: 4, started: 4, completed: 1, failed: 4, cancelled: 0, failures: [] };
    expect(told({ minutes: [minute] })).toEqual(['warn Jobs: 4 failed and 1 completed in the last 10 minutes']);
    expect(told({ minutes: [{ ...minute, completed: 4 }] })).toEqual([]);
  });

  it('tells failures before warnings, and a warning of Redis makes nothing unhealthy', () => {
    const slow = { check: 'Latency', status: 'warn', seen: '80 ms', mend: 'nearer' } as const;
    const full = { check: 'Memory', status: 'fail', seen: 'full', mend: 'more' } as const;
    const all = complaintsOf(look({ complaints: [slow, full] }), LIMITS);
    expect(all.map(({ check }) => check)).toEqual(['Memory', 'Latency']);
    expect(all.filter(isFailure)).toHaveLength(1);
  });
});
