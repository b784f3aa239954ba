/** Reads jobs of BullMQ for the board: what makes them large is cut by Redis itself, before it travels. */
import type { QueueJobJson } from '@bull-board/api/typings/app';
import type { BullContext } from './options.js';

const DATA_BYTES = 3_000;

const FIELDS = [
  'name',
  'timestamp',
  'delay',
  'priority',
  'processedOn',
  'finishedOn',
  'atm',
  'ats',
  'stc',
  'pb',
  'progress',
] as const;

type Field = (typeof FIELDS)[number];

/** KEYS job. ARGV bytes of a text, then fields that are always small. */
const READ = `
local found = redis.call('HMGET', KEYS[1], unpack(ARGV, 2))
if not found[1] then return false end
local function cut(name) return string.sub(redis.call('HGET', KEYS[1], name) or '', 1, ARGV[1]) end
for i = 1, #found do found[i] = found[i] or '' end
return {found, cut('data'), redis.call('HSTRLEN', KEYS[1], 'data'), cut('failedReason'), cut('returnvalue'), cut('opts')}
`;

/** A job as the board shows it; undefined if it is gone. `clean` takes secrets out of a text. */
export async function readBoardJob(
  { connection }: Pick<BullContext, 'connection'>,
  key: string,
  clean: (text: string) => Promise<string>,
): Promise<QueueJobJson | undefined> {
  const reply = await connection.eval(READ, 1, key, DATA_BYTES, ...FIELDS);
  if (!Array.isArray(reply) || !Array.isArray(reply[0])) return undefined;
  const [values, data, bytes, failedReason, returned, opts] = reply;
  const texts = Object.fromEntries(FIELDS.map((name, at) => [name, String(values[at] ?? '')])) as Record<Field, string>;
  const number = (name: Field): number => Number(texts[name] || 0);
  const moment = (name: Field): number | undefined => (texts[name] === '' ? undefined : number(name));
  return {
    id: key.slice(key.lastIndexOf(':') + 1),
    name: texts.name,
    timestamp: number('timestamp'),
    delay: number('delay'),
    priority: number('priority'),
    attemptsMade: number('atm'),
    attemptsStarted: number('ats'),
    stalledCounter: number('stc'),
    processedBy: texts.pb || null,
    ...optional('processedOn', moment('processedOn')),
    ...optional('finishedOn', moment('finishedOn')),
    progress: jsonOf(texts.progress) ?? 0,
    failedReason: await clean(String(failedReason)),
    stacktrace: [],
    data: await shown(String(data), Number(bytes), clean),
    returnvalue: jsonOf(String(returned)) ?? null,
    opts: jsonOf(String(opts)) ?? {},
  };
}

function optional<Name extends string>(name: Name, value: number | undefined): { [N in Name]?: number } {
  return (value === undefined ? {} : { [name]: value }) as { [N in Name]?: number };
}

/** What does not fit is told by its beginning, as text. */
async function shown(text: string, bytes: number, clean: (text: string) => Promise<string>): Promise<object> {
  const cleaned = await clean(text);
  const whole = bytes > DATA_BYTES ? undefined : jsonOf(cleaned);
  return (
    whole ?? { beginning: cleaned, bytes, more: 'This job is too large to show whole; see its page in the overview.' }
  );
}

function jsonOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
