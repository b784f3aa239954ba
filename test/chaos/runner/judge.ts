/** Holds what clients saw of each job, what the installation holds of it and what it did to the world to what is promised. */
import type { StoredEvent } from '../../../src/core/events.js';
import { isFinal } from '../../../src/core/job.js';
import type { Evidence, JobEvidence, LedgerLine } from './evidence.js';
import type { Fault } from './faults.js';
import { judgeQuestions } from './judge-questions.js';
import { KINDS } from './plan.js';
import type { LostStream, SeenOutcome, SeenStream, Witness } from './witness.js';

/** What a job is held to. */
export interface Standards {
  /** Outcomes of the same jobs undisturbed, by kind and variant. */
  readonly calm: ReadonlyMap<string, SeenOutcome>;
  readonly evidence: Evidence;
  readonly faults: readonly Fault[];
}

/** What is wrong, in words that name the job. */
export type Wrongs = string[];

/** Worker deaths after which a job is given up. */
const POISONED_AT = 4;
/** A handler that is cancelled stops within a second; this is for a busy machine. */
const ABORT_LIMIT_MS = 3_000;

/** From the return of Redis until every front end has found it, on a busy machine. */
const RECONNECT_MS = 5_000;

/** The name of what a job is an instance of. */
export function variantOf({ job }: Pick<Witness, 'job'>): string {
  return `${job.kind} ${job.variant}`;
}

/** Judges one job. */
export function judgeJob(witness: Witness, standards: Standards): Wrongs {
  const { job, jobId } = witness;
  const found = jobId === undefined ? undefined : standards.evidence.jobs.get(jobId);
  const named = (wrong: string) => `${job.key} (${variantOf(witness)}, ${job.era}, ${jobId ?? 'id unknown'}): ${wrong}`;
  if (!witness.outcome) return [...witness.wrong, lost(witness, found)].map(named);
  if (!found) return [...witness.wrong, 'it has ended, but there is no record of it'].map(named);
  const wrongs = [
    ...witness.wrong,
    ...judgeRecord(witness.outcome, found),
    ...judgeOutcome(witness, found, standards),
    ...judgeProgress(found.events),
    ...witness.streams.flatMap((stream) => judgeStream(stream, loggedBy(found))),
    ...witness.lostStreams.flatMap((stream) => judgeLostStream(stream, standards.faults)),
    ...judgeQuestions(witness, found, standards.faults),
    ...judgeEffects(witness, found, standards),
  ];
  return wrongs.map(named);
}

function lost({ oddities, questions, streams, lostStreams }: Witness, found: JobEvidence | undefined): string {
  const [odd, told] = [oddities.at(-1), found?.events.at(-1)];
  const stream = streams.at(-1);
  return [
    `LOST: it has not ended; its record says ${found?.record.state ?? 'nothing'}`,
    `its last event is ${told ? `${JSON.stringify(told.event).slice(0, 200)} of ${new Date(told.atMs).toISOString()}` : 'none'}`,
    `its client saw ${questions.length} questions (${questions.map(({ atMs }) => new Date(atMs).toISOString())})`,
    `on ${streams.length} streams, ${lostStreams.length} of them lost`,
    `the last resumed ${stream?.resumed ?? 0} times, up to ${stream?.eventIds.at(-1) ?? 'nothing'}`,
    `and heard last: ${odd ?? 'nothing odd'}`,
  ].join(', ');
}

/** One outcome, as the last event, of the state the record has. */
function judgeRecord(outcome: SeenOutcome, { record, events }: JobEvidence): Wrongs {
  const outcomes = events.filter(({ event }) => event.type === 'outcome');
  const last = events.at(-1)?.event;
  return [
    ...(record.state === outcome.state ? [] : [`it was told as ${outcome.state}, its record says ${record.state}`]),
    ...(outcomes.length === 1 ? [] : [`its log has ${outcomes.length} outcomes`]),
    ...(last?.type === 'outcome' && last.state === outcome.state ? [] : [`its log ends in ${JSON.stringify(last)}`]),
  ];
}

function judgeOutcome(witness: Witness, { record }: JobEvidence, { calm, evidence }: Standards): Wrongs {
  const { outcome, job, cancelled, askedToCancel } = witness;
  if (!outcome) return [];
  const wrongs: Wrongs = [];
  if (cancelled && cancelled.state !== outcome.state)
    wrongs.push(`cancel_job said ${cancelled.state}, but it is ${outcome.state}`);
  if (outcome.state === 'cancelled') return askedToCancel ? wrongs : [...wrongs, 'it was cancelled by nobody'];
  const poisoned = outcome.state === 'failed' && outcome.code === 'worker_crashed';
  const parts = [...evidence.jobs.values()].filter((other) => other.record.seed.partOf?.id === record.seed.id);
  const isDue = [record, ...parts.map((part) => part.record)].some(({ crashes }) => crashes >= POISONED_AT);
  if (poisoned && isDue) return wrongs;
  if (job.kind === 'poison') return [...wrongs, `it kills its workers, but is ${JSON.stringify(outcome)}`];
  const expected = JSON.stringify(calm.get(variantOf(witness)));
  const came = JSON.stringify(outcome);
  return came === expected
    ? wrongs
    : [...wrongs, `it came to ${came.slice(0, 400)} instead of ${expected.slice(0, 400)}`];
}

function judgeProgress(events: readonly StoredEvent[]): Wrongs {
  const values = events.flatMap(({ event }) => (event.type === 'progress' ? [event.progress] : []));
  const fell = values.find((value, index) => index > 0 && value <= (values[index - 1] ?? 0));
  return fell === undefined ? [] : [`its log has progress ${fell} after ${values.join(', ')}`];
}

/** What a call is told of a job's log, in the words of the front end. */
function loggedBy({ events }: JobEvidence): string[] {
  return events.flatMap(({ event }) => {
    if (event.type === 'log') return [JSON.stringify(event.data)];
    if (event.type !== 'state' || event.state !== 'delayed') return [];
    return [JSON.stringify(`attempt ${event.attempt} failed; it will be tried again`)];
  });
}

/** No gap and no repeat: a stream that came to the outcome told all from its start on, any other the beginning of it. */
function judgeStream(stream: SeenStream, logged: readonly string[]): Wrongs {
  const told = stream.logs.map((data) => JSON.stringify(data));
  const dueFrom = (start: number) => logged.slice(start, stream.whole ? undefined : start + told.length);
  const starts = stream.start === 'unknown' ? logged.map((_one, index) => index) : [stream.start];
  if (told.length === 0 && stream.start === 'unknown') return [];
  if (starts.some((start) => told.join() === dueFrom(start).join())) return [];
  const due = dueFrom(starts[0] ?? 0);
  return [`a stream from message ${stream.start} on told ${told.join(' ')} instead of ${due.join(' ')}`];
}

/** Nobody knows a stream only if Redis was away when its call was taken, and its front end died before it could say more than where to come back to. */
function judgeLostStream({ fromMs, toMs, events }: LostStream, faults: readonly Fault[]): Wrongs {
  const wasAway = faults.some(({ kind, fromMs: awayMs, toMs: backMs = Number.POSITIVE_INFINITY }) => {
    return kind.startsWith('Redis') && awayMs <= toMs && backMs + RECONNECT_MS >= fromMs;
  });
  if (wasAway && events <= 1) return [];
  return [`nobody knew its stream after ${events} events${wasAway ? '' : ', though Redis had not been away'}`];
}

/** Every step of a completed job had its effect; one that had it twice had a death of a worker in between. */
function judgeEffects(witness: Witness, { record }: JobEvidence, { evidence, faults }: Standards): Wrongs {
  const lines = evidence.ledger.filter(({ key }) => key === witness.job.key);
  const wrongs: Wrongs = [];
  const jobs = new Set(lines.map(({ job }) => job));
  if (jobs.size > 1) wrongs.push(`its key ran as ${jobs.size} jobs: ${[...jobs].join(', ')}`);
  const effects = lines.filter(({ what }) => what === 'effect');
  const steps = new Set(effects.map(({ step }) => step));
  const repeats = effects.length - steps.size;
  if (repeats > record.crashes) wrongs.push(`${repeats} effects were repeated in ${record.crashes} crashes`);
  const ends = lines.filter(({ what }) => what === 'end').length;
  const hasEnd = KINDS[witness.job.kind].tool !== 'chaos_noop' && effects.length > 0;
  if (witness.outcome?.state === 'completed' && hasEnd && ends < 1)
    wrongs.push('it completed without coming to its end');
  return [...wrongs, ...judgeAborts(witness, lines, faults)];
}

/** After a cancel was acknowledged nothing happens any more, but for what a process does that was stopped meanwhile. */
function judgeAborts({ cancelled }: Witness, lines: readonly LedgerLine[], faults: readonly Fault[]): Wrongs {
  if (cancelled?.state !== 'cancelled') return [];
  const { atMs } = cancelled;
  const late = lines.filter((line) => line.atMs > atMs + ABORT_LIMIT_MS && !wasHeld(line, atMs, faults));
  return late.map(({ what, atMs: whenMs, pid }) => `${what} ${whenMs - atMs} ms after its cancel, by ${pid}`);
}

/** Whether the line's process, or Redis that would have told it, was away at some time since. */
function wasHeld(line: LedgerLine, sinceMs: number, faults: readonly Fault[]): boolean {
  return faults.some(({ kind, pids, fromMs, toMs = Number.POSITIVE_INFINITY }) => {
    const concerned = pids.includes(line.pid) || kind.startsWith('Redis');
    return concerned && fromMs <= line.atMs && toMs + ABORT_LIMIT_MS >= sinceMs;
  });
}

/** Judges what the run as a whole leaves: jobs that nobody called for, parts without an end, keys. */
export function judgeRemains({ jobs, leaked, queued }: Evidence, witnesses: readonly Witness[]): Wrongs {
  const known = new Set(witnesses.map(({ jobId }) => jobId));
  const wrongs: Wrongs = [];
  for (const [id, { record }] of jobs) {
    const { partOf, tool } = record.seed;
    if (!isFinal(record.state)) wrongs.push(`${id} (${tool}${partOf ? ', a part' : ''}) is left ${record.state}`);
    if (!partOf && !known.has(id)) wrongs.push(`${id} (${tool}) was called for by nobody`);
  }
  for (const id of queued) wrongs.push(`${id} is left in the queue`);
  for (const key of leaked) wrongs.push(`the key ${key} would stay for ever`);
  return wrongs;
}
