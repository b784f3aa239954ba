/**
 * Measures complexity as a step of a job: alone, or, where it is much, in parts that all workers share. It is the only metric
 * that is shared; decision 16 says why.
 */
import { count } from '../../../src/core/figures.js';
import type { JsonObject, JsonValue } from '../../../src/core/json.js';
import type { HandlerContext } from '../../../src/core/tool.js';
import { measurePart } from '../../../src/tools/measure-part.js';
import type { ComplexityPart } from '../../analysis/complexity/measure-complexity.js';
import { oneByOne } from '../one-by-one.js';
import { pack, unpack } from '../packed.js';
import { createComplexityTable } from './complexity-table.js';
import {
  complexityOf,
  createMetricTally,
  type Decisions,
  type MetricWork,
  type OnShare,
  type Ran,
  runDecisions,
  tallyComplexity,
} from './engines.js';
import { type OpenMetricCache, openForMetrics, saveAfterMetrics } from './metric-cache.js';
import { type Redacts, shown } from './shown-names.js';

/** Whether and how complexity is shared among workers and remembered. */
export interface ComplexityPlan {
  /** Files of one part; up to two parts are not worth sharing. */
  readonly partFiles: number;
  /** Opens what is remembered. Absent: nothing is, and nothing is taken from there. */
  readonly openMetricCache?: OpenMetricCache | undefined;
}

/** What to measure, for whom, and which part of the job's progress is its own. */
export interface ComplexityTask {
  readonly plan: ComplexityPlan;
  readonly work: MetricWork;
  readonly context: Pick<HandlerContext, 'step' | 'fanOut' | 'table' | 'log' | 'signal'> & {
    readonly redactor: Redacts;
  };
  readonly span: { readonly from: number; readonly to: number };
}

/** Complexity with the decision points by file. */
export type RanComplexity = Ran<'complexity'> & { readonly decisions: Decisions };

/** A measurement that is ready to be run within a step; `since` is when its work began, if that was before. */
export interface Prepared<Result> {
  run(onShare: OnShare): Promise<Result>;
  readonly since?: number | undefined;
}

/** Has the parts done, if it is to be shared, and gives what is left to do. Rejects as `fanOut` does. */
export async function prepareComplexity(task: ComplexityTask): Promise<Prepared<RanComplexity>> {
  const shared = await sharing(task, 'complexity');
  if (shared === undefined) return { run: (onShare) => measureAlone(task, onShare) };
  const parts = () => partsDone(task, { ...shared, group: 'complexity', functions: true });
  return { run: mergedBy(await caught(parts)), since: shared.sinceMs };
}

/** The same for decision points alone. */
export async function prepareDecisions(task: ComplexityTask): Promise<Prepared<Decisions>> {
  const { work } = task;
  const shared = await sharing(task, 'decisions');
  if (shared === undefined)
    return { run: async (onShare) => runDecisions({ ...work, cache: await openCache(task) }, onShare) };
  const results = await caught(() => partsDone(task, { ...shared, group: 'decisions', functions: false }));
  return { run: async () => decisionsOf(await results()), since: shared.sinceMs };
}

async function measureAlone(task: ComplexityTask, onShare: OnShare): Promise<RanComplexity> {
  const rows = createComplexityTable(task.context);
  const cache = await openCache(task);
  const { tally, decisions } = await tallyComplexity({ ...task.work, cache }, onShare, rows.add);
  await rows.finish();
  await saveAfterMetrics(cache, task.context);
  return { ...(await sumOf([await shownPart(tally.part(), task.context.redactor)])), decisions };
}

/** A part as it may be stored; all that is summed up passes here, so that the order of equals never depends on the parts. */
export async function shownPart(part: ComplexityPart, redactor: Redacts): Promise<JsonValue> {
  return shown(part as unknown as JsonValue, redactor);
}

async function sumOf<Given>(
  parts: readonly Given[],
  read = (part: Given) => part as unknown,
): Promise<Ran<'complexity'>> {
  const tally = createMetricTally();
  await oneByOne(parts, (part) => tally.addPart(read(part) as ComplexityPart));
  return complexityOf(tally.result());
}

async function openCache({ plan, work, context }: ComplexityTask) {
  const { openMetricCache: open } = plan;
  return open && openForMetrics(open, work.root, context);
}

interface Sharing {
  readonly sinceMs: number;
  readonly partFiles: number;
}

/**
 * When sharing was decided on and in which parts; undefined if not. Decided once in the job's life: its parts fill the cache
 * that is asked here, and the worker that goes on with it may be set up otherwise.
 */
async function sharing(task: ComplexityTask, group: string): Promise<Sharing | undefined> {
  const { context, work } = task;
  const { partFiles } = task.plan;
  const { files, handwritten } = work.list;
  const begun = await context.step(`share ${group}`, async (): Promise<[number, number] | number | null> => {
    if (files.length <= 2 * partFiles) return null;
    const now = Date.now();
    const exempt = new Set(handwritten);
    const cache = await openCache(task);
    const known = cache?.estimateKnown(files.map((path) => ({ path, handwritten: exempt.has(path) })));
    return files.length - (known ?? 0) > 2 * partFiles ? [now, partFiles] : null;
  });
  if (begun === null) return undefined;
  // Older workers journaled when alone.
  const [sinceMs, decided] = typeof begun === 'number' ? [begun, partFiles] : begun;
  return { sinceMs, partFiles: decided };
}

interface Group {
  readonly group: string;
  readonly functions: boolean;
  readonly partFiles: number;
}

async function partsDone({ plan, work, context, span }: ComplexityTask, { group, functions, partFiles }: Group) {
  const { root, list, maxFileBytes } = work;
  const { files, handwritten } = list;
  const exempt = new Set(handwritten);
  const starts = Array.from({ length: Math.ceil(files.length / partFiles) }, (_, index) => index * partFiles);
  const parts = await oneByOne(starts, (start): JsonObject => {
    const part = files.slice(start, start + partFiles);
    return {
      root,
      files: pack(part),
      handwritten: part.filter((path) => exempt.has(path)),
      functions,
      ...(maxFileBytes !== undefined && { max_file_bytes: maxFileBytes }),
      use_cache: plan.openMetricCache !== undefined,
    };
  });
  const words = { before: 'Complexity: ', after: ` of ${count(files.length)} files` };
  const share = { ...span, outOf: 100, total: files.length, ...words };
  return context.fanOut(group, { tool: measurePart.name, queue: measurePart.queue, parts, share });
}

/** Holds back a failure, so that it is told where the measurement is run. */
async function caught<Result>(act: () => Promise<Result>): Promise<() => Promise<Result>> {
  try {
    const result = await act();
    return async () => result;
  } catch (error) {
    return () => Promise.reject(error);
  }
}

function mergedBy(parts: () => Promise<readonly JsonObject[]>): () => Promise<RanComplexity> {
  return async () => {
    const results = await parts();
    const sum = await sumOf(results, ({ part }) => unpack(String(part)));
    return { ...sum, decisions: decisionsOf(results) };
  };
}

function decisionsOf(results: readonly JsonObject[]): Decisions {
  return results.flatMap(({ decisions }) => unpack(String(decisions)) as number[]);
}
