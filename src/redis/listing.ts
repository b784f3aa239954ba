/** Lists jobs newest first from an index, dropping entries whose record has expired. */
import type { JobRecord } from '../core/job.js';
import type { JobPage, ListQuery } from '../core/ports.js';
import { recordFromFields } from '../core/record-fields.js';
import type { RedisContext } from './context.js';

const BATCH = 500;

/** Builds `JobStore.list`; reads the whole (bounded) index, since only then the total of a filtered listing is known. */
export function createListing(context: RedisContext): (query: ListQuery) => Promise<JobPage> {
  return async (query) => {
    const records = await matchingRecords(context, query);
    const { after } = query;
    const rest = after ? records.filter((record) => isAfter(record, after)) : records;
    return {
      jobs: rest.slice(0, query.limit),
      totalCount: records.length,
      hasMore: rest.length > query.limit,
    };
  };
}

async function matchingRecords(context: RedisContext, query: ListQuery): Promise<JobRecord[]> {
  const { redis, keys } = context;
  const index = query.principal === undefined ? keys.allJobs() : keys.jobsOf(query.principal);
  const ids = await redis.zrevrange(index, 0, -1);
  const found: JobRecord[] = [];
  for (let start = 0; start < ids.length; start += BATCH) {
    found.push(...(await readBatch(context, index, ids.slice(start, start + BATCH))));
  }
  return found.filter((record) => matches(record, query)).sort(newestFirst);
}

async function readBatch(context: RedisContext, index: string, ids: readonly string[]): Promise<JobRecord[]> {
  const { redis, keys } = context;
  const prefix = keys.record('' as never);
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hgetall(prefix + id);
  const replies = (await pipeline.exec()) ?? [];
  const hashes = replies.map(([error, hash]) => {
    if (error) throw error;
    return hash as Record<string, string>;
  });
  const expired = ids.filter((_, at) => hashes[at]?.state === undefined);
  if (expired.length > 0) await redis.zrem(index, ...expired);
  return hashes.flatMap(readableRecord);
}

/** One record of a newer version must not hide all others, as old and new front ends run side by side. */
function readableRecord(hash: Readonly<Record<string, string>>): JobRecord[] {
  try {
    return [recordFromFields(hash)].filter((record) => record !== undefined);
  } catch {
    return [];
  }
}

function matches(record: JobRecord, query: ListQuery): boolean {
  if (query.tool !== undefined && record.seed.tool !== query.tool) return false;
  return query.states === undefined || query.states.includes(record.state);
}

function newestFirst(a: JobRecord, b: JobRecord): number {
  return b.seed.createdAtMs - a.seed.createdAtMs || (a.seed.id < b.seed.id ? 1 : -1);
}

function isAfter(record: JobRecord, place: { createdAtMs: number; id: string }): boolean {
  const { createdAtMs, id } = record.seed;
  return createdAtMs < place.createdAtMs || (createdAtMs === place.createdAtMs && id < place.id);
}
