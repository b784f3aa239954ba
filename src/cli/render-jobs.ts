/** Renders jobs for people and for programs. */
import type { Input, InputKind } from '../core/input.js';
import { type JobRecord, type JobSeed, type Outcome, waitsFor } from '../core/job.js';
import type { JobPage, ListQuery } from '../core/ports.js';
import { jsonText } from './exit.js';
import type { JobReport } from './ports.js';
import { alignedTable, type Column, type Emphasis, emphasis, plainLines, plainText } from './table.js';

type Place = NonNullable<ListQuery['after']>;

const COLUMNS: readonly Column[] = [
  { head: 'Job', whole: true },
  { head: 'Tool' },
  { head: 'State' },
  { head: 'Age', right: true },
  { head: 'Took', right: true },
  { head: 'Owner' },
  { head: 'Progress', endCut: true },
];
const LONGEST_PROGRESS = 40;

/** The cursor of the page after this one, if there is one. */
export function nextCursor({ hasMore, jobs }: JobPage): string | undefined {
  const last = jobs.at(-1)?.seed;
  return hasMore && last ? `${last.createdAtMs}.${last.id}` : undefined;
}

/** Reads a cursor of `nextCursor`. */
export function readCursor(text: string): Place | undefined {
  const [, createdAt, id] = /^(\d{1,15})\.(job_[0-9a-z]+)$/.exec(text) ?? [];
  return createdAt !== undefined && id !== undefined ? { createdAtMs: Number(createdAt), id } : undefined;
}

/** A page for programs. */
export function pageJson(page: JobPage) {
  const next = nextCursor(page);
  return {
    jobs: page.jobs.map(summary),
    total_count: page.totalCount,
    has_more: page.hasMore,
    ...(page.unreadable !== undefined && { unreadable: page.unreadable }),
    ...(next !== undefined && { next_cursor: next }),
  };
}

/** A page as a table; ages count to `nowMs`. */
export function renderPage(page: JobPage, style: Emphasis, nowMs: number): string {
  const { unreadable = 0 } = page;
  const newer = unreadable === 0 ? '' : ` and ${unreadable} of a newer version of Longhaul, which it can show`;
  if (page.jobs.length === 0) return `${page.totalCount === 0 ? 'No jobs' : 'No more jobs'}${newer}.`;
  const rows = page.jobs.map((record) => [
    record.seed.id,
    record.seed.tool,
    stateOf(record),
    durationText(nowMs - record.seed.createdAtMs),
    record.startedAtMs === undefined ? '' : durationText((record.endedAtMs ?? nowMs) - record.startedAtMs),
    plainText(record.seed.principal),
    progressOf(record),
  ]);
  const all = style.faint(`${page.jobs.length} of ${page.totalCount} jobs${newer}`);
  return `${alignedTable(COLUMNS, rows, style)}\n${all}`;
}

/** A job for programs. */
export function detailJson({ record, position, outcome, handedOver, inputs, sections }: JobReport) {
  const { seed } = record;
  return {
    ...summary(record),
    args: seed.args,
    allowed_folders: seed.allowedFolders,
    ...(seed.retryOf !== undefined && { retry_of: seed.retryOf }),
    ...(record.workerId !== undefined && { worker: record.workerId }),
    ...(position !== undefined && { position }),
    ...(inputs && inputs.length > 0 && { questions: inputs.map((input) => questionJson(input, record)) }),
    ...(handedOver && { submit_by: iso(handedOver.deadlineMs), preliminary: handedOver.preliminary }),
    ...(sections && { sections: sections.map(({ name, rows }) => ({ section: name, rows })) }),
    faults: record.faults.map(({ attempt, atMs, error }) => ({ attempt, at: iso(atMs), ...error })),
    ...(outcome && ending(outcome)),
  };
}

/** A job as labelled lines, its request and outcome as JSON. */
export function renderDetail(job: JobReport, colour: boolean): string {
  const { strong } = emphasis(colour);
  const { args, faults, questions = [], result, error, preliminary, ...rest } = detailJson(job);
  const plain = Object.entries(rest).filter(([, value]) => value !== undefined && !isEmptyList(value));
  const width = Math.max(...plain.map(([name]) => name.length));
  const lines = plain.map(([name, value]) => `${strong(label(name).padEnd(width))}  ${shown(value)}`);
  const failures = faults.map(({ attempt, at, code, message }) => `  attempt ${attempt}, ${at}: ${code}: ${message}`);
  const asked = questions.map(
    ({ key, kind, asked_of, reply, answer_by }) =>
      `  ${key} (${kind}) of ${asked_of}: ${reply ?? `open, to be answered by ${answer_by}`}`,
  );
  const block = (head: string, text: string) => `${strong(head)}\n${plainLines(text)}`;
  return [
    ...lines,
    ...(asked.length > 0 ? [block('Questions', asked.join('\n'))] : []),
    block('Arguments', jsonText(args)),
    ...(failures.length > 0 ? [block('Failed attempts', failures.join('\n'))] : []),
    ...(error === undefined ? [] : [block('Error', `  ${error.code}: ${error.message}`)]),
    ...(preliminary === undefined ? [] : [block('Preliminary result', jsonText(preliminary))]),
    ...(result === undefined ? [] : [block('Result', jsonText(result))]),
  ].join('\n');
}

/** A duration in its two largest units: `3h 12m`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

function summary(record: JobRecord) {
  const { seed, startedAtMs, endedAtMs, expiresAtMs, progress } = record;
  const waits_for = waitsFor(record);
  return {
    job_id: seed.id,
    tool: seed.tool,
    queue: seed.queue,
    state: record.state,
    owner: seed.principal,
    created_at: iso(seed.createdAtMs),
    ...(startedAtMs !== undefined && { started_at: iso(startedAtMs) }),
    ...(endedAtMs !== undefined && { ended_at: iso(endedAtMs) }),
    ...(expiresAtMs !== undefined && { expires_at: iso(expiresAtMs) }),
    attempt: record.attempt,
    worker_crashes: record.crashes,
    ...(progress && { progress }),
    ...(waits_for && { waits_for }),
  };
}

interface QuestionJson {
  readonly key: string;
  readonly kind: InputKind;
  readonly asked_of: string;
  readonly reply?: string;
  readonly answer_by?: string;
}

/** Without the request, which may be a megabyte of code. */
function questionJson({ question, reply }: Input, { seed }: JobRecord): QuestionJson {
  return {
    key: question.key,
    kind: question.kind,
    asked_of: ASKED_OF[question.kind](seed),
    ...(reply ? { reply: reply.kind } : { answer_by: iso(question.deadlineMs) }),
  };
}

/** Whom a job waits for, by what it asks. */
const ASKED_OF: Readonly<Record<InputKind, (seed: JobSeed) => string>> = {
  sampling: clientOf,
  elicitation: clientOf,
  roots: clientOf,
  submission: ({ principal }) => `${principal}, by submit_review`,
  part: () => 'a part of the job',
};

function clientOf({ principal, session }: JobSeed): string {
  return `the client of ${principal}${session === undefined ? '' : `, session ${session}`}`;
}

interface Ending {
  readonly result?: unknown;
  readonly error?: Extract<Outcome, { state: 'failed' }>['error'];
  readonly cancel_reason?: string;
}

function ending(outcome: Outcome): Ending {
  switch (outcome.state) {
    case 'completed':
      return { result: outcome.result };
    case 'failed':
      return { error: outcome.error };
    case 'cancelled':
      return { cancel_reason: outcome.reason };
  }
}

/** `parked` alone would not tell whether anybody has to do something. */
function stateOf(record: JobRecord): string {
  const awaited = waitsFor(record);
  return awaited === undefined ? record.state : `${record.state} (${awaited})`;
}

function progressOf({ progress, endedAtMs }: JobRecord): string {
  if (!progress || endedAtMs !== undefined) return '';
  const percent = progress.total ? `${Math.floor((100 * progress.progress) / progress.total)}% ` : '';
  return plainText(`${percent}${progress.message ?? ''}`.trim()).slice(0, LONGEST_PROGRESS);
}

function label(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function shown(value: unknown): string {
  return plainText(typeof value === 'string' ? value : JSON.stringify(value));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
