/** Every metric of the product by its exposed name: the totals, and what is measured at the moment of a scrape. */
import { JOB_STATES } from '../core/job.js';
import { TOTALS, type TotalKind } from '../core/totals.js';

/** One metric. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
}

const gauge = <const L extends readonly string[]>(labels: L, help: string) =>
  ({ type: 'gauge', labels, help }) as const;

/** What is measured when it is asked for. All but the first two are absent while Redis is away. */
export const GAUGES = {
  longhaul_info: gauge(['version'], 'Always 1; names the version of the front end.'),
  longhaul_redis_up: gauge([], 'Whether Redis answered in time: 1 or 0.'),
  longhaul_redis_round_trip_seconds: gauge([], 'What Redis took to answer the front end.'),
  longhaul_queue_jobs: gauge(
    ['queue', 'state'],
    'Jobs and parts in a queue: waiting for a slot, active, or sleeping until an answer or the next attempt.',
  ),
  longhaul_queue_oldest_seconds: gauge(
    ['queue'],
    'For how long the job that waits longest for a slot has; 0 for none.',
  ),
  longhaul_parked_jobs: gauge(['awaits'], 'Parked jobs, by what they wait for.'),
  longhaul_parked_oldest_seconds: gauge(
    ['awaits'],
    'For how long the job that is parked longest has been; 0 for none.',
  ),
  longhaul_workers: gauge(['queue'], 'Workers that serve a queue and were heard of lately.'),
  longhaul_worker_slots: gauge([], 'Jobs that all workers together can run side by side.'),
  longhaul_worker_jobs: gauge([], 'Jobs that they run now.'),
  longhaul_worker_blocked_seconds: gauge(
    [],
    'For how long the event loop of the worker has stood still that stands longest.',
  ),
  longhaul_sessions: gauge([], 'Sessions of 2025-era clients, of all front ends.'),
  longhaul_processes: gauge(['role'], 'Processes that were heard of lately.'),
  longhaul_calls: gauge([], 'Calls of tools that front ends have not answered yet.'),
  longhaul_streams: gauge([], 'Event streams that clients hold open.'),
  longhaul_event_loop_lag_seconds: gauge(['role'], 'The most that the event loop of any process was late by of late.'),
  longhaul_process_round_trip_seconds: gauge(['role'], 'What Redis took to answer the process that waited longest.'),
  longhaul_resident_bytes: gauge(['role'], 'Memory of all processes of a kind.'),
} as const satisfies Record<string, Metric>;

/** The name of a gauge. */
export type GaugeName = keyof typeof GAUGES;

/** The name under which a total is exposed. */
export function exposedName(name: string, { type }: TotalKind): string {
  return `longhaul_${name}${type === 'counter' ? '_total' : '_seconds'}`;
}

/** What found no room in the totals; something else than 0 is a fault. */
export const DROPPED_METRIC = 'longhaul_totals_dropped_total';

/** Every metric by its exposed name; the README's table is tested against it. */
export const METRICS: Readonly<Record<string, Metric>> = {
  ...Object.fromEntries(Object.entries(TOTALS).map(([name, kind]) => [exposedName(name, kind), kind])),
  [DROPPED_METRIC]: { type: 'counter', labels: [], help: 'Counts that found no room; more than 0 is a fault.' },
  ...GAUGES,
};

/**
 * The values of labels that are known beforehand: series of these are there from the start, at 0, since a rate does not see the
 * first rise of a series that was not there. Error codes are left out, which would be hundreds.
 */
export const LABEL_VALUES: Readonly<Record<string, readonly string[]>> = {
  outcome: ['completed', 'failed', 'cancelled'],
  state: JOB_STATES.slice(0, 4),
  limit: ['queue', 'caller'],
  found: ['recovery', 'redelivery'],
  by: ['exit', 'silence'],
  repair: ['queue', 'requeue', 'wake', 'recover'],
  kind: ['sampling', 'elicitation', 'roots', 'submission'],
  reply: [
    'answered',
    'declined',
    'cancelled',
    'refused',
    'failed',
    'timed_out',
    'client_gone',
    'unsupported',
    'exhausted',
  ],
  from: ['read', 'cache'],
  result: ['delivered', 'retry', 'given_up', 'dropped'],
};
