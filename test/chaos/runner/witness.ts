/** What a client saw of its jobs: every stream, question and outcome, and what struck it as wrong at once. */
import type { WireMessage, WireResult } from '../../support/http-wire.js';
import type { Era, PlannedJob } from './plan.js';

/** An outcome as somebody was told it; `text` is the result as JSON, or the error's message. */
export type SeenOutcome =
  | { readonly state: 'completed'; readonly text: string }
  | { readonly state: 'failed'; readonly code: string; readonly text: string }
  | { readonly state: 'cancelled' };

/** One stream of a job's events, over as many connections as it was resumed on. */
export interface SeenStream {
  readonly era: Era;
  /**
   * Log messages of the job that were told before it; a round of 2026 goes on where the last one ended. Where a call joins a
   * job that is under way, as a submission does, nobody knows.
   */
  readonly start: number | 'unknown';
  readonly logs: unknown[];
  readonly progress: number[];
  readonly eventIds: string[];
  /** How often it was resumed. */
  resumed: number;
  /** Its client has sent a cancel of its call, after which it need not be known any more. */
  cancelSent: boolean;
  /** Whether the job's outcome came on it, so that it must have told all. */
  whole: boolean;
}

/** A stream that could not be resumed: from its call to the loss of its connection, and how many events had come on it. */
export interface LostStream {
  readonly fromMs: number;
  readonly toMs: number;
  readonly events: number;
}

/** A question as it reached the client. */
export interface SeenQuestion {
  readonly atMs: number;
  /** Its kind and all that was asked, as JSON: what tells it from others of the job. */
  readonly asked: string;
}

/** Everything a client saw of one job. */
export interface Witness {
  readonly job: PlannedJob;
  jobId: string | undefined;
  readonly streams: SeenStream[];
  readonly questions: SeenQuestion[];
  outcome?: SeenOutcome;
  /** When a cancel was acknowledged, by what `cancel_job` said. */
  cancelled?: { readonly atMs: number; readonly state: string };
  /** A cancel was sent, whatever became of it. */
  askedToCancel: boolean;
  /** The client gave the call up. */
  gaveUp: boolean;
  /** When a connection was lost, until something is heard again. */
  lostAtMs: number | undefined;
  /** Milliseconds of such silences. */
  readonly silencesMs: number[];
  /** How often a call was attached to the job. */
  attached: number;
  /** The job was handed over to its client, who submits next. */
  handedOver: boolean;
  /** Streams that no front end knew when their client came back. */
  readonly lostStreams: LostStream[];
  /** Calls that their front end took with it before they were jobs, or were done. */
  lostCalls: number;
  /** What cannot be right, in words. */
  readonly wrong: string[];
  /** What was told by protocol errors, for whoever looks into a failure. */
  readonly oddities: string[];
}

/** Errors that say nothing of the job: the call is made again. */
const AWAY = ['queue_unavailable', 'redis_unavailable', 'overloaded'];

/** Builds an empty witness. */
export function createWitness(job: PlannedJob): Witness {
  return {
    job,
    jobId: undefined,
    streams: [],
    questions: [],
    askedToCancel: false,
    gaveUp: false,
    lostAtMs: undefined,
    silencesMs: [],
    attached: 0,
    handedOver: false,
    lostStreams: [],
    lostCalls: 0,
    wrong: [],
    oddities: [],
  };
}

/** Opens the record of another stream. */
export function openStream(witness: Witness, start: SeenStream['start'] = 0): SeenStream {
  const stream: SeenStream = {
    era: witness.job.era,
    start,
    logs: [],
    progress: [],
    eventIds: [],
    resumed: 0,
    cancelSent: false,
    whole: false,
  };
  witness.streams.push(stream);
  return stream;
}

/** Notes a notification, and what is wrong with it. */
export function noteNotification(witness: Witness, stream: SeenStream, { method, params }: WireMessage): void {
  if (method === 'notifications/message') stream.logs.push(params?.data);
  if (method !== 'notifications/progress') return;
  const told = Number(params?.progress);
  const last = stream.progress.at(-1);
  if (last !== undefined && told <= last) witness.wrong.push(`progress went from ${last} to ${told} on one stream`);
  stream.progress.push(told);
  noteJobId(witness, Object(params?._meta)['longhaul/jobId']);
}

/** Notes the id of the job; two ids under one key are wrong. */
export function noteJobId(witness: Witness, id: unknown): void {
  if (typeof id !== 'string' || id === '') return;
  if (witness.jobId !== undefined && witness.jobId !== id)
    witness.wrong.push(`its key named job ${witness.jobId}, then ${id}`);
  witness.jobId = id;
}

/** Notes an outcome; another than before is wrong. */
export function noteOutcome(witness: Witness, outcome: SeenOutcome, teller: string): void {
  const before = witness.outcome;
  if (before && JSON.stringify(before) !== JSON.stringify(outcome))
    witness.wrong.push(`its outcome was ${shown(before)}, but ${teller} says ${shown(outcome)}`);
  witness.outcome ??= outcome;
}

/** Whether a response hands the job over: a result that is not the outcome yet. */
export function handsOver({ result }: WireMessage): boolean {
  return result?._meta?.['longhaul/handOff'] !== undefined;
}

/** What the response to a call says of its job; undefined if it says nothing, and a call is to be made again. */
export function outcomeOfCall(witness: Witness, { result, error }: WireMessage): SeenOutcome | undefined {
  if (!result) {
    witness.oddities.push(`protocol error ${JSON.stringify(error)}`);
    return undefined;
  }
  noteJobId(witness, result._meta?.['longhaul/jobId']);
  if (handsOver({ result })) return undefined;
  if (!result.isError) return { state: 'completed', text: resultText(witness, result.structuredContent) };
  const { code, jobId } = Object(result._meta?.['longhaul/error']);
  noteJobId(witness, jobId);
  if (AWAY.includes(code) || code === 'submission_not_awaited') return undefined;
  if (code === 'call_lost') {
    noteLostCall(witness);
    return undefined;
  }
  if (code === 'cancelled') return { state: 'cancelled' };
  return { state: 'failed', code, text: wordsOf(witness, result) };
}

/** A call is only lost with the front end that had it, and only before its job was told of. */
function noteLostCall(witness: Witness): void {
  witness.lostCalls += 1;
  const stream = witness.streams.at(-1);
  if (!stream || stream.resumed === 0)
    witness.wrong.push('its call was told to be lost, but no other front end had had it');
  if (stream && !witness.handedOver && stream.progress.length + stream.logs.length > 0)
    witness.wrong.push('its call was told to be lost after its job had been told of');
}

/** The same, of what `get_job` says; undefined while the job goes on. */
export function outcomeOfJob(witness: Witness, job: Readonly<Record<string, unknown>>): SeenOutcome | undefined {
  const { state, result, error } = job;
  if (state === 'cancelled') return { state };
  if (state === 'completed') return { state, text: resultText(witness, result) };
  const { code, message } = Object(error);
  return state === 'failed' ? { state, code, text: anonymous(witness, String(message)) } : undefined;
}

/** Differ from job to job, and say nothing of its work. */
const OWN_FIELDS = ['job_id', 'duration_ms', 'from_cache'];

function resultText(witness: Witness, result: unknown): string {
  const text = JSON.stringify(result, (name, value) => (OWN_FIELDS.includes(name) ? undefined : value)) ?? '';
  return anonymous(witness, text);
}

function wordsOf(witness: Witness, { content = [] }: WireResult): string {
  const text = content.map((part) => part.text ?? '').join('\n');
  return anonymous(witness, text.replace(/ \(job job_\w+\)$/, ''));
}

function anonymous({ job, jobId }: Witness, text: string): string {
  return text.replaceAll(job.key, 'its-key').replaceAll(jobId ?? job.key, 'its-id');
}

function shown(outcome: SeenOutcome): string {
  return JSON.stringify(outcome).slice(0, 300);
}
