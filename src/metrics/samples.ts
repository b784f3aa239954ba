/** Turns what was read of an installation into samples of metrics, with bounded labels; knows no exposition format. */
import type { QueueCounts } from '../core/ports.js';
import type { WorkerView } from '../core/presence.js';
import {
  BUCKETS_MS,
  DROPPED,
  LONGER,
  PROCESS_ROLES,
  type ProcessReport,
  type Standing,
  TOTALS,
  type TotalKind,
  type TotalsView,
} from '../core/totals.js';
import { DROPPED_METRIC, exposedName, type GaugeName, LABEL_VALUES, METRICS } from './catalogue.js';

/** What was read of an installation at one moment. */
export interface Reading {
  readonly view: TotalsView;
  /** By queue. */
  readonly queues: ReadonlyMap<string, QueueCounts>;
  readonly workers: readonly WorkerView[];
  readonly roundTripMs: number;
}

/** What bounds the labels. */
export interface Known {
  readonly version: string;
  /** Tools that are served or run here, with the queue of each. */
  readonly tools: ReadonlyMap<string, string>;
  readonly queues: readonly string[];
}

/** One value of a metric. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Where it is not the metric's own: that of a bucket, a sum or a count. */
  readonly metricName?: string;
}

/** One metric with its samples. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: readonly Sample[];
}

/** What a label says of a tool or queue that is not known here. */
export const OTHER = 'other';

type Labels = Readonly<Record<string, string>>;

/** All metrics of an installation; without a reading, because Redis is away, only those that say so. */
export function familiesOf(reading: Reading | undefined, known: Known): Family[] {
  const always = [
    family('longhaul_info', per('version', [[known.version, 1]])),
    family('longhaul_redis_up', plain(reading ? 1 : 0)),
  ];
  return reading ? [...always, ...gaugesOf(reading, known), ...totalsOf(reading.view.totals, known)] : always;
}

function family(name: string, values: readonly Sample[]): Family {
  const { type, help } = METRICS[name] ?? { type: 'gauge', help: name };
  return { name, type, help, values };
}

const seconds = (ms: number) => ms / 1_000;
const plain = (value: number): Sample[] => [{ labels: {}, value }];
const per = (label: string, values: Iterable<readonly [of: string, value: number]>): Sample[] =>
  [...values].map(([of, value]) => ({ labels: { [label]: of }, value }));
const total = <T>(all: readonly T[], of: (one: T) => number) => all.reduce((sum, one) => sum + of(one), 0);
const highest = <T>(all: readonly T[], of: (one: T) => number) => Math.max(0, ...all.map(of));
const perRole = (processes: readonly ProcessReport[], value: (reports: readonly ProcessReport[]) => number) =>
  per(
    'role',
    PROCESS_ROLES.map((role) => [role, value(processes.filter((one) => one.role === role))]),
  );
const oldest = ([of, { oldestMs }]: readonly [string, Standing]) => [of, seconds(oldestMs)] as const;

type Measured = Exclude<GaugeName, 'longhaul_info' | 'longhaul_redis_up'>;

/** What each gauge shows of a reading. */
const GAUGE_SAMPLES: Readonly<Record<Measured, (reading: Reading, known: Known) => readonly Sample[]>> = {
  longhaul_redis_round_trip_seconds: ({ roundTripMs }) => plain(seconds(roundTripMs)),
  longhaul_queue_jobs: ({ queues }) => [...queues].flatMap(queueSamples),
  longhaul_queue_oldest_seconds: ({ view }) => per('queue', [...view.waiting].map(oldest)),
  longhaul_parked_jobs: ({ view }) =>
    per(
      'awaits',
      [...view.parked].map(([awaits, { jobs }]) => [awaits, jobs]),
    ),
  longhaul_parked_oldest_seconds: ({ view }) => per('awaits', [...view.parked].map(oldest)),
  longhaul_workers: ({ workers }, { queues }) =>
    per(
      'queue',
      queues.map((queue) => [queue, workers.filter((worker) => worker.queues.includes(queue)).length]),
    ),
  longhaul_worker_slots: ({ workers }) => plain(total(workers, ({ slots }) => slots)),
  longhaul_worker_jobs: ({ workers }) => plain(total(workers, ({ jobs }) => jobs.length)),
  longhaul_worker_blocked_seconds: ({ workers }) => plain(seconds(highest(workers, ({ blockedMs }) => blockedMs))),
  longhaul_sessions: ({ view }) => plain(view.sessions),
  longhaul_calls: ({ view }) => plain(total(view.processes, ({ calls }) => calls)),
  longhaul_streams: ({ view }) => plain(total(view.processes, ({ streams }) => streams)),
  longhaul_processes: ({ view }) => perRole(view.processes, (reports) => reports.length),
  longhaul_event_loop_lag_seconds: ({ view }) =>
    perRole(view.processes, (reports) => seconds(highest(reports, ({ loopLagMs }) => loopLagMs))),
  longhaul_process_round_trip_seconds: ({ view }) =>
    perRole(view.processes, (reports) => seconds(highest(reports, (report) => report.roundTripMs))),
  longhaul_resident_bytes: ({ view }) =>
    perRole(view.processes, (reports) => total(reports, ({ residentBytes }) => residentBytes)),
};

function gaugesOf(reading: Reading, known: Known): Family[] {
  return Object.entries(GAUGE_SAMPLES).map(([name, samples]) => family(name, samples(reading, known)));
}

function queueSamples([queue, { waiting, active, delayed }]: readonly [string, QueueCounts]): Sample[] {
  return Object.entries({ waiting, active, sleeping: delayed }).map(([state, value]) => ({
    labels: { queue, state },
    value,
  }));
}

/** A total's values by its labels, as JSON: what was counted, and zeros for what may be. */
type Series = Map<string, Map<string, number>>;

function totalsOf(totals: ReadonlyMap<string, number>, known: Known): Family[] {
  const series: Series = new Map();
  const add = (name: string, labels: Labels, part: string, value: number) => {
    const key = `${name} ${JSON.stringify(labels)}`;
    const parts = series.get(key) ?? new Map<string, number>();
    parts.set(part, (parts.get(part) ?? 0) + value);
    series.set(key, parts);
  };
  for (const [name, { labels }] of Object.entries<TotalKind>(TOTALS))
    for (const zero of combinations(labels, known)) add(name, zero, '', 0);
  for (const [field, value] of totals) {
    const [head = '', ...values] = field.split(' ');
    const [name = '', part = ''] = head.split(':');
    const kind: TotalKind | undefined = Object.hasOwn(TOTALS, name) ? TOTALS[name as keyof typeof TOTALS] : undefined;
    // What a newer version counts is its own to show.
    if (kind?.labels.length === values.length) add(name, boundedLabels(kind, values, known), part, value);
  }
  const found = Object.entries<TotalKind>(TOTALS).map(([name, kind]) => totalFamily(series, name, kind));
  return [...found, family(DROPPED_METRIC, plain(totals.get(DROPPED) ?? 0))];
}

function boundedLabels({ labels }: TotalKind, values: readonly string[], known: Known): Labels {
  return Object.fromEntries(
    labels.map((label, at) => {
      const value = values[at] ?? '';
      return [label, isKnown(label, value, known) ? value : OTHER];
    }),
  );
}

/** The other labels come from tables of the program, if perhaps of another version. */
function isKnown(label: string, value: string, { tools, queues }: Known): boolean {
  if (label === 'tool') return tools.has(value);
  return label !== 'queue' || queues.includes(value);
}

/** All labels that a total may have; none where one of them has too many values to be told beforehand. */
function combinations(labels: readonly string[], known: Known): Labels[] {
  if (labels.includes('tool') && labels.includes('queue')) {
    const rest = labels.filter((label) => label !== 'tool' && label !== 'queue');
    const pairs = [...known.tools].map(([tool, queue]) => ({ tool, queue }));
    return pairs.flatMap((pair) => combinations(rest, known).map((more) => inOrder(labels, { ...pair, ...more })));
  }
  return labels.reduce<Labels[]>(
    (sets, label) => {
      const values = label === 'tool' ? [...known.tools.keys()] : (LABEL_VALUES[label] ?? []);
      return sets.flatMap((set) => values.map((value) => ({ ...set, [label]: value })));
    },
    [{}],
  );
}

/** Labels are told apart by their text, so they must always be in the same order. */
function inOrder(labels: readonly string[], values: Labels): Labels {
  return Object.fromEntries(labels.map((label) => [label, values[label] ?? '']));
}

function totalFamily(series: Series, name: string, kind: TotalKind): Family {
  const exposed = exposedName(name, kind);
  const values = [...series].flatMap(([key, parts]) => {
    if (!key.startsWith(`${name} `)) return [];
    const labels: Labels = JSON.parse(key.slice(name.length + 1));
    return kind.type === 'counter' ? [{ labels, value: parts.get('') ?? 0 }] : buckets(exposed, labels, parts);
  });
  return family(exposed, values);
}

/** Buckets are stored each for itself, and exposed with all below (Prometheus exposition format, Histograms). */
function buckets(name: string, labels: Labels, parts: ReadonlyMap<string, number>): Sample[] {
  let below = 0;
  const bounded = BUCKETS_MS.map((bound): Sample => {
    below += parts.get(String(bound)) ?? 0;
    return { labels: { ...labels, le: seconds(bound) }, value: below, metricName: `${name}_bucket` };
  });
  const all = below + (parts.get(LONGER) ?? 0);
  return [
    ...bounded,
    { labels: { ...labels, le: '+Inf' }, value: all, metricName: `${name}_bucket` },
    { labels, value: seconds(parts.get('sum') ?? 0), metricName: `${name}_sum` },
    { labels, value: all, metricName: `${name}_count` },
  ];
}
