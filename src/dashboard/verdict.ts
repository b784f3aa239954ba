/** Says in a word whether an installation is healthy, and in sentences what is not, by the rules of `core/status`. */
import { complaintsOf, type Observed, type Tolerances } from '../core/status.js';
import type { Glance, Snapshot } from './snapshot.js';

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

/** Judges a snapshot. */
export function judge({ readiness, glance, away }: Snapshot, tolerances: Tolerances): Verdict {
  const { complaints } = readiness;
  const all = glance ? complaintsOf(observed(glance, complaints), tolerances) : complaints;
  const remarks: Remark[] = [
    ...(away === undefined ? [] : [{ level: 'fail', text: `The queue cannot be looked at: ${away}` } as const]),
    ...all.map(({ check, status, seen, mend }) => ({ level: status, text: `${check}: ${seen}`, mend })),
  ];
  const worst = remarks.some(({ level }) => level === 'fail') ? 'fail' : 'warn';
  return { level: remarks.length === 0 ? 'ok' : worst, remarks };
}

function observed({ nowMs: atMs, queues, workers, minutes }: Glance, complaints: Observed['complaints']): Observed {
  const waits = queues.map(({ name, counts, longest }) => ({
    name,
    waiting: counts.waiting,
    oldestMs: longest ? atMs - longest.sinceMs : 0,
  }));
  return { atMs, queues: waits, workers, minutes, complaints };
}
