/** No question is asked after its answer was stored, as the job's own log tells when that was. */
import type { JobEvidence } from './evidence.js';
import type { Fault } from './faults.js';
import type { Witness } from './witness.js';

/** From reading what is open to the question's arrival, on a busy machine. */
const ON_ITS_WAY_MS = 2_000;

/** Judges the questions of one job. */
export function judgeQuestions(
  { questions, job }: Witness,
  { events }: JobEvidence,
  faults: readonly Fault[],
): string[] {
  const keys = orderOf(events.flatMap(({ event }) => (event.type === 'question' ? [event.key] : [])));
  const answered = new Map(events.flatMap(({ event, atMs }) => (event.type === 'answer' ? [[event.key, atMs]] : [])));
  const asked = orderOf(questions.map((question) => question.asked));
  const twice = events.filter(({ event }) => event.type === 'question').length - keys.length;
  const late = questions.flatMap((question) => {
    const key = ownKey(question.asked) ?? keys[asked.indexOf(question.asked)];
    const storedMs = key === undefined ? undefined : answered.get(key);
    if (storedMs === undefined || question.atMs <= storedMs + allowance(storedMs, question.atMs, faults)) return [];
    return [`${key} was asked ${question.atMs - storedMs} ms after its answer was stored`];
  });
  return [...late, ...(twice > 0 ? [`its log has ${twice} questions twice`] : []), ...unknown(asked, keys, job.kind)];
}

/** The scripted tools say in their questions which it is; the rounds of a review follow one another. */
function ownKey(asked: string): string | undefined {
  const [, round, index] = /\]\] question (\d+) (\d+)/.exec(asked) ?? [];
  if (round !== undefined) return `q ${round} ${index}`;
  return /\]\] form /.test(asked) ? 'form' : undefined;
}

function unknown(asked: readonly string[], keys: readonly string[], kind: string): string[] {
  return asked.length > keys.length ? [`a ${kind} asked ${asked.length} things, its log knows ${keys.length}`] : [];
}

function orderOf(items: readonly string[]): string[] {
  return [...new Set(items)];
}

/** A front end that was stopped may put a question when it goes on that it read as open before. */
function allowance(fromMs: number, toMs: number, faults: readonly Fault[]): number {
  const stops = faults.filter(({ kind }) => kind === 'front end stopped' || kind.startsWith('Redis'));
  const held = stops.map(
    (fault) => Math.min(fault.toMs ?? toMs, toMs) - Math.max(fault.fromMs, fromMs - ON_ITS_WAY_MS),
  );
  return ON_ITS_WAY_MS + held.filter((ms) => ms > 0).reduce((sum, ms) => sum + ms, 0);
}
