/** Counts what only this process sees, and tells the installation every few seconds: with how this process does, and in one go. */
import { randomUUID } from 'node:crypto';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { type Service, settlesWithin } from '../core/lifecycle.js';
import {
  counterField,
  durationFields,
  type LabelsOf,
  type ProcessReport,
  type Publication,
  type TotalName,
  type Totals,
} from '../core/totals.js';

/** What counting stands on. */
export interface MeterOptions {
  /** Unique to this process. */
  readonly process: string;
  readonly role: ProcessReport['role'];
  /** Resolves once the totals can be reached. */
  totals(): Promise<Pick<Totals, 'publish' | 'leave'>>;
  /** What lies with this process now; nothing unless it serves clients. */
  load?(): Pick<ProcessReport, 'calls' | 'streams'>;
  /** Milliseconds between two publications; 5,000 unless said. */
  readonly everyMs?: number;
}

/** Counts; never waits and never fails. */
export interface Counting {
  count<Name extends TotalName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  /** Counts a duration, in milliseconds. */
  observe<Name extends TotalName>(name: Name, labels: LabelsOf<Name>, ms: number): void;
}

/** See `createMeter`. */
export interface Meter extends Service, Counting {}

const EVERY_MS = 5_000;
/** The loop is looked at ten times a second: what is shorter is nobody's trouble, and an idle process may sleep. */
const RESOLUTION_MS = 100;
const NS_PER_MS = 1e6;
const END_LIMIT_MS = 500;

/** Counts nothing. */
export const NO_COUNTING: Counting = { count: () => undefined, observe: () => undefined };

/** Builds the meter. What could not be told is told later; a process that is killed loses what it counted since it told last. */
export function createMeter(options: MeterOptions): Meter {
  const counts = createCounts();
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const tell = createTelling(options, { take: counts.take, loop });
  let telling: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const tick = (): void => {
    // While Redis is away one may last as long as that.
    telling ??= tell()
      .then(() => {
        isKnown = true;
      })
      .catch(() => undefined)
      .finally(() => {
        telling = undefined;
      });
  };
  let isKnown = false;
  const lastWords = async (): Promise<void> => {
    await telling;
    await tell();
    await (await options.totals()).leave(options.process);
  };
  return {
    name: 'meter',
    count: counts.count,
    observe: counts.observe,
    async start() {
      loop.enable();
      timer ??= setInterval(tick, options.everyMs ?? EVERY_MS).unref();
      tick();
    },
    quiet: () => Promise.resolve(),
    async stop() {
      if (!timer) return;
      clearInterval(timer);
      timer = undefined;
      loop.disable();
      // Whoever could not tell anything yet is not waited for.
      if (isKnown) await settlesWithin(lastWords(), END_LIMIT_MS);
    },
  };
}

interface Told {
  take(): ReadonlyMap<string, number>;
  readonly loop: IntervalHistogram;
}

/** Of a batch whose reply was lost nobody knows whether it was counted, so it is told again as it was. */
function createTelling(options: MeterOptions, { take, loop }: Told): () => Promise<void> {
  let unsent: Pick<Publication, 'batch' | 'counts'> | undefined;
  let roundTripMs = 0;
  const reportNow = (): ProcessReport => {
    const loopLagMs = Math.max(0, loop.max / NS_PER_MS - RESOLUTION_MS);
    loop.reset();
    const load = options.load?.() ?? { calls: 0, streams: 0 };
    return { role: options.role, loopLagMs, roundTripMs, residentBytes: process.memoryUsage.rss(), ...load };
  };
  return async () => {
    const totals = await options.totals();
    unsent ??= { batch: randomUUID(), counts: take() };
    const beganMs = performance.now();
    await totals.publish({ process: options.process, report: reportNow(), ...unsent });
    roundTripMs = performance.now() - beganMs;
    unsent = undefined;
  };
}

function createCounts() {
  let counted = new Map<string, number>();
  const add = (field: string, by: number) => counted.set(field, (counted.get(field) ?? 0) + by);
  return {
    count<Name extends TotalName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
      add(counterField(name, labels), by);
    },
    observe<Name extends TotalName>(name: Name, labels: LabelsOf<Name>, ms: number): void {
      for (const [field, by] of durationFields(name, labels, ms)) add(field, by);
    },
    take(): ReadonlyMap<string, number> {
      const taken = counted;
      counted = new Map();
      return taken;
    },
  };
}
