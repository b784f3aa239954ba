/** Lists jobs newest first from an index, dropping entries whose record has expired. */
import { JOB_STATES, type JobRecord } from '../core/job.js';
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
    const matching = await matchingPlaces(context, index, query);
    const { after } = query;
    const rest = after ? matching.filter((place) => isAfter(place, after)) : matching;
    return {
      jobs: await readRecords(context, rest.slice(0, query.limit)),
      totalCount: matching.length,
      hasMore: rest.length > query.limit,
    };
  };
}

async function matchingPlaces(context: RedisContext, index: string, query: ListQuery): Promise<Place[]> {
  const places = placesOf(await context.redis.zrevrange(index, 0, -1, 'WITHSCORES'));
  const found: Place[] = [];
  for (let start = 0; start < places.length; start += BATCH) {
    found.push(...(await matchingOf(context, index, { query, places: places.slice(start, start + BATCH) })));
  }
  return found;
}

/** Members and scores by turns, as Redis answers: ids, and when their jobs were created. */
function placesOf(reply: readonly string[]): Place[] {
  return reply.flatMap((id, at) => (at % 2 === 0 ? [{ id, createdAtMs: Number(reply[at + 1]) }] : []));
}

async function matchingOf(
  { redis, keys }: RedisContext,
  index: string,
  { query, places }: { readonly query: ListQuery; readonly places: readonly Place[] },
): Promise<Place[]> {
  const prefix = keys.record('' as never);
  const pipeline = redis.pipeline();
  for (const { id } of places) pipeline.hmget(prefix + id, 'state', 'tool');
  const replies = await answersOf<(string | null)[]>(pipeline);
  const expired = places.filter((_, at) => replies[at]?.[0] == null);
  if (expired.length > 0) await redis.zrem(index, ...expired.map(({ id }) => id));
  return places.filter((_, at) => matches(replies[at] ?? [], query));
}

/** One record of a newer version, in a state unknown here, must not hide the others: old and new front ends run side by side. */
function matches([state, tool]: readonly (string | null)[], query: ListQuery): boolean {
  const known = JOB_STATES.find((one) => one === state);
  if (known === undefined || (query.tool !== undefined && tool !== query.tool)) return false;
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
