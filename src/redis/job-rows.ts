/** Reads rows of jobs: the small fields of their records, never the seeds, whose arguments may be megabytes. */
import { progressSchema } from '../core/events.js';
import { jobIdSchema } from '../core/ids.js';
import { AWAITED, JOB_STATES, RECORD_VERSION } from '../core/job.js';
import { briefSchema, type JobRow } from '../core/overview.js';
import type { RedisContext } from './context.js';

const FIELDS = [
  'state',
  'v',
  'tool',
  'queue',
  'brief',
  'createdAtMs',
  'attempt',
  'crashes',
  'progress',
  'startedAtMs',
  'runAtMs',
  'endedAtMs',
  'workerId',
  'awaits',
  'handOff',
  'asks',
  'answered',
  'untilMs',
] as const;

type Fields = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;

/** The rows of these ids, in their order; undefined for a job that is gone, or that a newer version wrote. */
export async function readRows(
  { redis, keys }: RedisContext,
  ids: readonly string[],
): Promise<readonly (JobRow | undefined)[]> {
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hmget(`${keys.recordPrefix}${id}`, ...FIELDS);
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, reply], at) => {
    if (error) throw error;
    return rowOf(ids[at] ?? '', Array.isArray(reply) ? reply : []);
  });
}

function rowOf(text: string, values: readonly unknown[]): JobRow | undefined {
  const given = FIELDS.flatMap((name, at) => (typeof values[at] === 'string' ? [[name, values[at]]] : []));
  const fields: Fields = Object.fromEntries(given);
  const id = jobIdSchema.safeParse(text).data;
  const state = JOB_STATES.find((one) => one === fields.state);
  if (id === undefined || !state || Number(fields.v ?? 0) > RECORD_VERSION) return undefined;
  return {
    id,
    state,
    tool: fields.tool ?? '',
    queue: fields.queue ?? '',
    attempt: Number(fields.attempt ?? 0),
    crashes: Number(fields.crashes ?? 0),
    handedOver: fields.handOff === 'awaited',
    asks: (fields.asks ?? '').split(' ').filter((kind) => kind !== ''),
    isAnswered: fields.answered === '1',
    ...seedFields(fields),
    ...times(fields),
  };
}

function seedFields({ brief: briefText, progress: progressText, workerId, awaits }: Fields) {
  const brief = briefSchema.safeParse(jsonOf(briefText)).data;
  const progress = progressSchema.safeParse(jsonOf(progressText)).data;
  const awaited = AWAITED.find((one) => one === awaits);
  return {
    ...(brief && { brief }),
    ...(progress && { progress }),
    ...(workerId !== undefined && { workerId }),
    ...(awaited && { awaits: awaited }),
  };
}

const TIMES = ['createdAtMs', 'startedAtMs', 'runAtMs', 'endedAtMs', 'untilMs'] as const;

/** Of what is no date nothing is told: whoever shows it would fail, and with it all other rows. */
function times(fields: Fields): Partial<Record<(typeof TIMES)[number], number>> {
  const given = TIMES.map((name) => [name, Number(fields[name] || Number.NaN)] as const);
  return Object.fromEntries(given.filter(([, ms]) => !Number.isNaN(new Date(ms).getTime())));
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
