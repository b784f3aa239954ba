/** Reads a job in detail without what makes it large: texts are cut by Redis itself, before they travel. */
import { jobEventSchema, type StoredEvent } from '../core/events.js';
import type { JobId } from '../core/ids.js';
import { attemptFaultSchema } from '../core/job.js';
import type { Excerpt, JobDetail, QuestionRow } from '../core/overview.js';
import type { RedisContext } from './context.js';
import { readRows } from './job-rows.js';
import { createScript } from './script.js';

const ARGUMENT_BYTES = 4_000;
const OUTCOME_BYTES = 4_000;
const QUESTION_BYTES = 600;
const QUESTIONS = 20;
const EVENTS = 60;

/**
 * The arguments stand in the middle of the seed. Of questions only those are told that were put to somebody (`t:`), the latest first.
 * KEYS record, outcome, inputs. ARGV bytes of arguments, of the outcome, of a question, most questions.
 */
const excerptsScript = createScript(`
local seed = redis.call('HGET', KEYS[1], 'seed') or ''
local at = string.find(seed, '"args":', 1, true)
local args = at and string.sub(seed, at + 7, at + 6 + ARGV[1]) or ''
local asked = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[3])) do
  if string.sub(field, 1, 2) == 't:' then
    local kind, ms = string.match(redis.call('HGET', KEYS[3], field), '^(%S+) (%d+)$')
    if kind then asked[#asked + 1] = {string.sub(field, 3), kind, tonumber(ms)} end
  end
end
table.sort(asked, function(a, b)
  if a[3] == b[3] then return a[1] < b[1] end
  return a[3] > b[3]
end)
local questions = {}
for i = 1, math.min(#asked, tonumber(ARGV[4])) do
  local key = asked[i][1]
  local text = redis.call('HGET', KEYS[3], 'q:' .. key) or ''
  local answered = redis.call('HEXISTS', KEYS[3], 'a:' .. key)
  for _, one in ipairs({key, asked[i][2], string.format('%.0f', asked[i][3]), answered, string.sub(text, 1, ARGV[3]), #text}) do
    questions[#questions + 1] = one
  end
end
local outcome = redis.call('GETRANGE', KEYS[2], 0, ARGV[2] - 1)
return {args, #seed, outcome, redis.call('STRLEN', KEYS[2]), redis.call('HGET', KEYS[1], 'faults') or '[]', questions}
`);

const FIELDS_OF_A_QUESTION = 6;

/** Reads it; undefined if it is gone, or a newer version wrote it. */
export async function readDetail(context: RedisContext, id: JobId): Promise<JobDetail | undefined> {
  const { redis, keys } = context;
  const own = [keys.record(id), keys.outcome(id), keys.inputs(id)];
  const [rows, reply, entries] = await Promise.all([
    readRows(context, [id]),
    excerptsScript(redis, own, [ARGUMENT_BYTES, OUTCOME_BYTES, QUESTION_BYTES, QUESTIONS]),
    redis.xrevrange(keys.events(id), '+', '-', 'COUNT', EVENTS),
  ]);
  const [row] = rows;
  if (!row || !Array.isArray(reply)) return undefined;
  const [args, seedBytes, outcome, outcomeBytes, faults, questions] = reply;
  return {
    row,
    args: excerpt(args, seedBytes),
    ...(Number(outcomeBytes) > 0 && { outcome: excerpt(outcome, outcomeBytes) }),
    faults: attemptFaultSchema
      .array()
      .catch([])
      .parse(JSON.parse(String(faults))),
    questions: questionsOf(Array.isArray(questions) ? questions : []),
    events: entries.flatMap(([entryId, fields]) => eventOf(entryId, fields)),
  };
}

/** A cut may fall into the middle of a letter. */
function excerpt(text: unknown, bytes: unknown): Excerpt {
  return { text: String(text).replace(/\ufffd+$/, ''), bytes: Number(bytes) };
}

function questionsOf(parts: readonly unknown[]): QuestionRow[] {
  return Array.from({ length: Math.floor(parts.length / FIELDS_OF_A_QUESTION) }, (_, at) => {
    const [key, kind, askedAtMs, isAnswered, text, bytes] = parts.slice(at * FIELDS_OF_A_QUESTION);
    return {
      key: String(key),
      kind: String(kind),
      askedAtMs: Number(askedAtMs),
      isAnswered: isAnswered === 1,
      question: excerpt(text, bytes),
    };
  });
}

/** An event of a newer version is passed over. */
function eventOf(entryId: string, fields: readonly string[]): StoredEvent[] {
  const parsed = jobEventSchema.safeParse(JSON.parse(fields[1] ?? 'null'));
  return parsed.success ? [{ cursor: entryId, atMs: Number.parseInt(entryId, 10), event: parsed.data }] : [];
}
