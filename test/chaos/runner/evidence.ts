/** What the installation itself holds of its jobs, read straight from Redis and the ledger when all is over. */
import { readFile } from 'node:fs/promises';
import type { Redis } from 'ioredis';
import { jobEventSchema, type StoredEvent } from '../../../src/core/events.js';
import type { JobRecord } from '../../../src/core/job.js';
import { recordFromFields } from '../../../src/core/record-fields.js';
import { createKeys } from '../../../src/redis/keys.js';
import { keysBelow, leakedKeys } from '../../support/key-checker.js';

/** A line that a chaos tool left in the ledger. */
export interface LedgerLine {
  readonly atMs: number;
  readonly pid: number;
  readonly job: string;
  readonly key: string;
  readonly what: 'run' | 'effect' | 'end';
  readonly attempt: number;
  readonly step?: number;
}

/** Everything known of one job. */
export interface JobEvidence {
  readonly record: JobRecord;
  readonly events: readonly StoredEvent[];
}

/** Everything that is left when a run is over. */
export interface Evidence {
  /** Jobs by id, parts of others among them. */
  readonly jobs: ReadonlyMap<string, JobEvidence>;
  readonly ledger: readonly LedgerLine[];
  /** Keys that would stay for ever. */
  readonly leaked: readonly string[];
  /** Jobs that still lie in the queue, and are not over. */
  readonly queued: readonly string[];
}

/** Reads all of it. */
export async function gatherEvidence(redis: Redis, namespace: string, ledger: string): Promise<Evidence> {
  const keys = createKeys(namespace);
  const base = `{${namespace}}`;
  const names = await keysBelow(redis, base);
  const ids = names.flatMap((name) =>
    name.startsWith(keys.recordPrefix) ? [name.slice(keys.recordPrefix.length)] : [],
  );
  const jobs = new Map<string, JobEvidence>();
  for (const id of ids) {
    const record = recordFromFields(await redis.hgetall(`${keys.recordPrefix}${id}`));
    if (record) jobs.set(id, { record, events: await eventsOf(redis, keys.events(record.seed.id)) });
  }
  const lines = (await readFile(ledger, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return {
    jobs,
    ledger: lines.map((line) => JSON.parse(line) as LedgerLine),
    leaked: await leakedKeys({ redis, base, queuePrefix: keys.queuePrefix }),
    queued: await queuedJobs(redis, namespace),
  };
}

/**
 * Jobs that wait, run or are delayed, in all queues. One that is over may lie among the delayed until it is due, where the
 * front end that cancelled it died before it took it out.
 */
export async function queuedJobs(redis: Redis, namespace: string): Promise<string[]> {
  const { queuePrefix, recordPrefix } = createKeys(namespace);
  const queued: string[] = [];
  for (const queue of ['analysis', 'review']) {
    const lists = ['wait', 'paused', 'active'].map((list) => redis.lrange(`${queuePrefix}:${queue}:${list}`, 0, -1));
    const sets = ['delayed', 'prioritized'].map((set) => redis.zrange(`${queuePrefix}:${queue}:${set}`, '0', '-1'));
    const [waiting, sleeping] = [(await Promise.all(lists)).flat(), (await Promise.all(sets)).flat()];
    const states = await Promise.all(sleeping.map((id) => redis.hget(`${recordPrefix}${id}`, 'state')));
    queued.push(...waiting, ...sleeping.filter((_id, index) => !ENDED.includes(states[index] ?? '')));
  }
  return queued;
}

const ENDED = ['completed', 'failed', 'cancelled'];

async function eventsOf(redis: Redis, key: string): Promise<StoredEvent[]> {
  const entries = await redis.xrange(key, '-', '+');
  return entries.map(([cursor, fields]) => ({
    cursor,
    atMs: Number.parseInt(cursor, 10),
    event: jobEventSchema.parse(JSON.parse(fields[1] ?? 'null')),
  }));
}
