/**
 * Measures metrics one after the other, each as a step of its own, so that a worker that is lost costs the one it was at.
 * None of them can fail the job: what goes wrong is told in the metric's own result.
 */
import { asJson } from '../../../src/core/json.js';
import type { HandlerContext } from '../../../src/core/tool.js';
import { METRICS, type Measured, type Measurements, type MetricName } from '../../../src/tools/metrics.js';
import { isOutOfMemory } from '../../analysis/metric-host.js';
import { pack, unpack } from '../packed.js';
import { type ComplexityPlan, type ComplexityTask, prepareComplexity, prepareDecisions } from './complexity.js';
import {
  type Decisions,
  type MetricWork,
  type OnShare,
  type Ran,
  runCoverage,
  runDependencies,
  runDuplication,
  runHotspots,
} from './engines.js';
import { type Redacts, shown, shownTables } from './shown-names.js';
import { writeTable } from './tables.js';

/** Which metrics to measure, on what, and from where to where the percentage of the job's progress goes meanwhile. */
export interface MetricsPlan {
  readonly names: readonly MetricName[];
  readonly work: Omit<MetricWork, 'signal' | 'cache'>;
  readonly complexity: ComplexityPlan;
  /** Figures pass it before they are stored. */
  readonly redactor: Redacts;
  readonly from: number;
  readonly to: number;
}

type JobContext = Pick<HandlerContext, 'step' | 'progress' | 'signal' | 'table' | 'fanOut' | 'log'>;
type Context = JobContext & Pick<MetricsPlan, 'redactor'>;
type Span = Pick<MetricsPlan, 'from' | 'to'>;

/** How the share of the progress is divided among those that were asked for: about as long as each takes on a large tree. */
export const METRIC_WEIGHTS: Readonly<Record<MetricName, number>> = {
  complexity: 20,
  duplication: 5,
  dependencies: 1,
  coverage: 1,
  hotspots: 1,
};
/** Of the hotspots' own share: decision points, where complexity has not told them already. */
const DECISIONS_SHARE = 0.9;

/** Measures; rejects on abort only. */
export async function measureMetrics(plan: MetricsPlan, jobContext: JobContext): Promise<Measurements> {
  const { step, progress, signal, fanOut, log } = jobContext;
  const { redactor } = plan;
  const table = shownTables(jobContext, redactor);
  const context = { step, progress, signal, table, fanOut, log, redactor };
  const work = { ...plan.work, signal };
  const spans = spansOf(plan);
  const phase = <Name extends MetricName>(
    name: Name,
    run: (onShare: OnShare) => Promise<Ran<Name>>,
    span = spans[name],
  ) => span && measurePhase(name, { context, span, run });
  const task = (span: Span): ComplexityTask => ({ plan: plan.complexity, work, context, span });
  const complexity = spans.complexity && (await measureComplexity(task(spans.complexity), context));
  const duplication = await phase('duplication', (onShare) => runDuplication(work, onShare));
  const dependencies = await phase('dependencies', (onShare) => runDependencies(work, onShare));
  const coverage = await phase('coverage', (onShare) => runCoverage(work, onShare));
  const hotspots = spans.hotspots && (await measureHotspots(task(spans.hotspots), complexity?.decisions, context));
  return {
    ...(complexity && { complexity: complexity.measured }),
    ...(duplication && { duplication }),
    ...(dependencies && { dependencies }),
    ...(coverage && { coverage }),
    ...(hotspots && { hotspots }),
  };
}

function spansOf({ names, from, to }: MetricsPlan): Partial<Record<MetricName, Span>> {
  const wanted = METRICS.filter((name) => names.includes(name));
  const whole = wanted.reduce((sum, name) => sum + METRIC_WEIGHTS[name], 0);
  let at = 0;
  return Object.fromEntries(
    wanted.map((name) => {
      const begin = at;
      at += METRIC_WEIGHTS[name] / whole;
      return [name, { from: from + (to - from) * begin, to: from + (to - from) * at }];
    }),
  );
}

interface Phase<Result> {
  readonly context: Context;
  readonly span: Span;
  readonly run: (onShare: OnShare) => Promise<Result>;
  /** When its work began, if that was before it is run. */
  readonly since?: number | undefined;
}

/** Complexity leaves the decision points by file to the hotspots. */
async function measureComplexity(task: ComplexityTask, context: Context) {
  const { run, since } = await prepareComplexity(task);
  let kept: string | undefined;
  const keep = async (onShare: OnShare) => {
    const { decisions, ...ran } = await run(onShare);
    kept = pack([...decisions]);
    return ran;
  };
  const span = since === undefined ? task.span : { from: task.span.to, to: task.span.to };
  const stored = await context.step('metric complexity', async () => {
    const measured = await settle('complexity', { context, span, run: keep, since });
    return asJson({ measured, ...(kept !== undefined && { kept }) });
  });
  const { measured, kept: packed } = stored as unknown as { measured: Measured<'complexity'>; kept?: string };
  return { measured, decisions: packed === undefined ? undefined : (unpack(packed) as Decisions) };
}

async function measureHotspots(
  task: ComplexityTask,
  known: Decisions | undefined,
  context: Context,
): Promise<Measured<'hotspots'>> {
  const { work, span } = task;
  const middle = known ? span.from : span.from + (span.to - span.from) * DECISIONS_SHARE;
  const decisions = known ?? (await decisionsOf({ ...task, span: { from: span.from, to: middle } }, context));
  if (!Array.isArray(decisions)) return { status: 'failed', reason: String(decisions), duration_ms: 0 };
  const run = (onShare: OnShare) => runHotspots(work, decisions, onShare);
  return measurePhase('hotspots', { context, span: { from: middle, to: span.to }, run });
}

/** The decision points by file, or why there are none. */
async function decisionsOf(task: ComplexityTask, context: Context): Promise<Decisions | string> {
  const { run } = await prepareDecisions(task);
  const stored = await context.step('metric decisions', async () => {
    try {
      return pack([...(await run(tellOf(context, task.span)))]);
    } catch (error) {
      context.signal.throwIfAborted();
      return pack(whyFailed(error));
    }
  });
  return unpack(stored) as Decisions | string;
}

async function measurePhase<Name extends MetricName>(name: Name, phase: Phase<Ran<Name>>): Promise<Measured<Name>> {
  const stored = await phase.context.step(`metric ${name}`, async () => asJson(await settle(name, phase)));
  // The journal holds what an earlier run of this same step returned.
  return stored as unknown as Measured<Name>;
}

/** Runs a metric and tells how it ended; rejects on abort only. */
async function settle<Name extends MetricName>(
  name: Name,
  { context, span, run, since: startedMs = Date.now() }: Phase<Ran<Name>>,
): Promise<Measured<Name>> {
  const tell = tellOf(context, span);
  tell(0, `Measuring ${name}`);
  const ended = await withTable(run(tell), context).catch((error: unknown) => {
    context.signal.throwIfAborted();
    return whyFailed(error);
  });
  tell(1, `Measured ${name}`);
  const duration_ms = Date.now() - startedMs;
  const told =
    typeof ended === 'string'
      ? { status: 'failed', reason: ended, duration_ms }
      : {
          ...(ended.missing === undefined ? { status: 'complete' } : { status: 'partial', reason: ended.missing }),
          duration_ms,
          ...ended.figures,
        };
  // Each of the forms is one of the contract's, which is parsed once more when the job ends.
  return told as unknown as Measured<Name>;
}

/** Writes the table, and makes the figures such as clients may see. */
async function withTable<Name extends MetricName>(run: Promise<Ran<Name>>, context: Context) {
  const { figures, missing, table } = await run;
  await writeTable(table, context);
  return { figures: Object(await shown(asJson(figures), context.redactor)) as object, missing };
}

function tellOf(context: Context, { from, to }: Span): OnShare {
  return (share, message) => context.progress({ progress: from + (to - from) * share, total: 100, message });
}

/** Why a metric has no figures, without the machine's paths and stacks. */
function whyFailed(error: unknown): string {
  if (isOutOfMemory(error)) return 'It needs more memory than a metric may use.';
  const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return `It could not be measured: ${message.replace(/(?:file:\/\/)?\/[^\s'"]+/g, '(path)')}`;
}
