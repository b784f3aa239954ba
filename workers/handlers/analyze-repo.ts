/** Does the work of `analyze_repo`: measures each metric, then asks the client's model to score all of them together. */
import { resolveAllowedFolder } from '../../src/core/allowed-folders.js';
import { asJson } from '../../src/core/json.js';
import type { ModelWorkStatus } from '../../src/core/model-work.js';
import type { JsonRedactor } from '../../src/core/redaction.js';
import type { Handler, HandlerContext } from '../../src/core/tool.js';
import { type analyzeRepo, JUDGED_METRICS, type JudgedMetric, type MetricScore } from '../../src/tools/analyze-repo.js';
import type { Measurements } from '../../src/tools/metrics.js';
import { samplingOf } from '../../src/tools/model-work.js';
import type { Crew } from '../analysis/syntax/crew.js';
import { askModel, type ModelReply } from '../review/ask-model.js';
import {
  type GivenScore,
  type MetricSubject,
  metricPrompt,
  metricRequest,
  SCORE_FORM,
} from '../review/metric-questions.js';
import { LIST_PERCENT, listTree } from './list-tree.js';
import type { ComplexityPlan } from './metrics/complexity.js';
import { measureMetrics } from './metrics/measure-metrics.js';
import { createSkipLog } from './skip-log.js';

type AnalyzeRepo = Handler<typeof analyzeRepo>;
type Output = Awaited<ReturnType<AnalyzeRepo>>;

/** How the handler uses the machine. */
export interface AnalyzeRepoOptions {
  /** Threads of one metric; 0 to let the number of files and cores decide. */
  readonly threads: number;
  /** What is measured passes it, since names in a tree may be secrets. */
  readonly redactor: Pick<JsonRedactor, 'redactJson'>;
  /** How complexity is shared among workers and remembered. */
  readonly complexity: ComplexityPlan;
  /** Threads that parse, shared by all that is measured in this process. */
  readonly crew?: Crew | undefined;
}

/** The percentage at which all is measured; the rest is the model's. */
const MEASURED_PERCENT = 80;

/** Builds the handler. All questions are asked together, so that they are one round. */
export function createAnalyzeRepo({ threads, redactor, complexity, crew }: AnalyzeRepoOptions): AnalyzeRepo {
  return async (input, context) => {
    const root = await resolveAllowedFolder(input.repoPath, context.allowedFolders);
    const skips = createSkipLog(context);
    const listed = await listTree(root, {}, { context, skips });
    skips.summarise();
    const names = JUDGED_METRICS.filter((name) => input.metrics.includes(name));
    const { min_lines: minLines, min_tokens: minTokens } = input;
    const work = { root, list: await listed.list(), minLines, minTokens, threads: threads || undefined, crew };
    const sharing = input.use_cache ? complexity : { ...complexity, openMetricCache: undefined };
    const plan = { names, work, complexity: sharing, redactor, from: LIST_PERCENT, to: MEASURED_PERCENT };
    const measured = await measureMetrics(plan, context);
    const message = `Asking the model about ${names.join(', ')}`;
    context.progress({ progress: MEASURED_PERCENT, total: 100, message });
    const scores = await Promise.all(names.map((name) => scoreOf(name, measured, context)));
    context.progress({ progress: 100, total: 100, message: 'Scored' });
    return { ...judgement(scores, context), root, files_listed: listed.total, ...measured };
  };
}

async function scoreOf(metric: JudgedMetric, measured: Measurements, context: HandlerContext): Promise<MetricScore> {
  const found = measured[metric];
  if (!found || found.status === 'failed')
    return noScore(metric, 'not_measured', `It was not measured. ${found?.reason ?? ''}`.trim());
  const { duration_ms: _time, ...figures } = found;
  const subject: MetricSubject = { jobId: context.jobId, metric, figures: asJson(figures) };
  const reply = await askModel(context, { key: `score:${metric}`, request: metricRequest(subject), form: SCORE_FORM });
  return told(subject, reply);
}

function told(subject: MetricSubject, reply: ModelReply<GivenScore>): MetricScore {
  const { metric } = subject;
  const model = reply.model === undefined ? {} : { model: reply.model };
  if (reply.kind === 'unread') {
    const { status, note, rawAnswer } = reply;
    return {
      ...noScore(metric, status, note),
      sampling: samplingOf(reply),
      ...model,
      ...(rawAnswer !== undefined && { raw_answer: rawAnswer }),
      ...(status === 'unavailable' && { prompt: metricPrompt(subject) }),
    };
  }
  const cut = 'The model was cut off by its token limit, so its score does not count.';
  if (reply.cut) return { ...noScore(metric, 'truncated', cut), sampling: 'used', ...model };
  const { score, advice, summary } = reply.value;
  return { metric, score, advice: [...advice], summary, status: 'complete', sampling: 'used', ...model };
}

function noScore(metric: JudgedMetric, status: MetricScore['status'], note: string): MetricScore {
  return { metric, score: null, advice: [], summary: '', status, note };
}

/** What all scores come to together. */
function judgement(scores: readonly MetricScore[], { jobId }: Pick<HandlerContext, 'jobId'>) {
  const status = statusOf(scores);
  const model = scores.find((one) => one.model !== undefined)?.model;
  const states = scores.flatMap((one) => one.sampling ?? []);
  return {
    job_id: jobId,
    status,
    complete: status === 'complete',
    sampling: states.includes('used') ? 'used' : (states[0] ?? 'not_asked'),
    summary: scores
      .map((one) => `${one.metric} ${one.score === null ? `not scored (${one.status})` : `${one.score}/10`}`)
      .join(', '),
    ...(model !== undefined && { model }),
    notes: scores.flatMap((one) => (one.note === undefined ? [] : [`${one.metric}: ${one.note}`])),
    scores: [...scores],
  } satisfies Partial<Output>;
}

/** Where some are complete the whole is partial; where none is, it is as the first that was asked about. */
function statusOf(scores: readonly MetricScore[]): ModelWorkStatus {
  if (scores.every((one) => one.status === 'complete')) return 'complete';
  if (scores.some((one) => one.status === 'complete')) return 'partial';
  const [first] = scores.flatMap(({ status }) => (status === 'not_measured' ? [] : [status]));
  return first ?? 'partial';
}
