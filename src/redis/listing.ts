/** Lists jobs newest first from an index, dropping entries whose record has expired. */
import { JOB_STATES, type JobRecord, RECORD_VERSION } from '../core/job.js';
import type { JobPage, ListQuery } from '../core/ports.js';
import { recordFromFields } from '../core/record-fields.js';
import type { RedisContext } from './context.js';

const BATCH = 500;

/** A place in the order of jobs: newest first, and of one moment the highest id. */
type Place = NonNullable<ListQuery['after']>;

/**
 * Builds `JobStore.list`. Two small fields of every job in the (bounded) index are read, since only then the total of a
 * filtered listing is known, but whole records of its page only: each may hold megabytes of arguments.
 */
export function createListing(context: RedisContext): (query: ListQuery) => Promise<JobPage> {
  return async (query) => {
    const index = query.principal === undefined ? context.keys.allJobs() : context.keys.jobsOf(query.principal);
    const { matching, unreadable } = await matchingPlaces(context, index, query);
    const { after } = query;
    const rest = after ? matching.filter((place) => isAfter(place, after)) : matching;
    return {
      jobs: await readRecords(context, rest.slice(0, query.limit)),
      totalCount: matching.length,
      hasMore: rest.length > query.limit,
      ...(unreadable > 0 && { unreadable }),
    };
  };
}

interface Matches {
  readonly matching: readonly Place[];
  /** Jobs that a newer version stored. */
  readonly unreadable: number;
}

async function matchingPlaces(context: RedisContext, index: string, query: ListQuery): Promise<Matches> {
  const places = placesOf(await context.redis.zrevrange(index, 0, -1, 'WITHSCORES'));
  const matching: Place[] = [];
  let unreadable = 0;
  for (let start = 0; start < places.length; start += BATCH) {
    const found = await matchesOf(context, index, { query, places: places.slice(start, start + BATCH) });
    matching.push(...found.matching);
    unreadable += found.unreadable;
  }
  return { matching, unreadable };
}

/** Members and scores by turns, as Redis answers: ids, and when their jobs were created. */
function placesOf(reply: readonly string[]): Place[] {
  return reply.flatMap((id, at) => (at % 2 === 0 ? [{ id, createdAtMs: Number(reply[at + 1]) }] : []));
}

async function matchesOf(
  { redis, keys }: RedisContext,
  index: string,
  { query, places }: { readonly query: ListQuery; readonly places: readonly Place[] },
): Promise<Matches> {
  const prefix = keys.record('' as never);
  const pipeline = redis.pipeline();
  for (const { id } of places) pipeline.hmget(prefix + id, 'state', 'tool', 'v');
  const replies = await answersOf<(string | null)[]>(pipeline);
  const expired = places.filter((_, at) => replies[at]?.[0] == null);
  if (expired.length > 0) await redis.zrem(index, ...expired.map(({ id }) => id));
  return {
    matching: places.filter((_, at) => matches(replies[at] ?? [], query)),
    unreadable: replies.filter(isNewer).length,
  };
}

/** One record of a newer version must not hide the others: old and new front ends run side by side. */
function isNewer([state = null, , version]: readonly (string | null)[]): boolean {
  return state !== null && (Number(version ?? 0) > RECORD_VERSION || !JOB_STATES.some((one) => one === state));
}

function matches(fields: readonly (string | null)[], query: ListQuery): boolean {
  const [state, tool] = fields;
  const known = JOB_STATES.find((one) => one === state);
  if (known === undefined || isNewer(fields) || (query.tool !== undefined && tool !== query.tool)) return false;
  return query.states === undefined || query.states.includes(known);
}

async function readRecords({ redis, keys }: RedisContext, places: readonly Place[]): Promise<JobRecord[]> {
  const prefix = keys.record('' as never);
  const pipeline = redis.pipeline();
  for (const { id } of places) pipeline.hgetall(prefix + id);
  return (await answersOf<Record<string, string>>(pipeline)).flatMap(readableRecord);
}

/** As with states: what cannot be read is left out. */
function readableRecord(hash: Readonly<Record<string, string>>): JobRecord[] {
  try {
    return [recordFromFields(hash)].filter((record) => record !== undefined);
  } catch {
    return [];
  }
}

/** The replies to a pipeline of one command; throws the first error among them. */
async function answersOf<Reply>(pipeline: ReturnType<RedisContext['redis']['pipeline']>): Promise<Reply[]> {
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error) throw error;
    return reply as Reply;
  });
}

function isAfter({ createdAtMs, id }: Place, place: Place): boolean {
  return createdAtMs < place.createdAtMs || (createdAtMs === place.createdAtMs && id < place.id);
}
