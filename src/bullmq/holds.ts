/** Keeps the locks of a worker's jobs alive. Its thread does this while the worker itself is too busy to. */
import type { Hold } from '../core/ports.js';

/** A job that a worker holds. */
export interface HeldJob extends Hold {
  readonly id: string;
  readonly queue: string;
}

/** Names one holding of a job: a token alone goes from a job to the next that its slot takes. */
export function holdingOf({ id, token }: Pick<HeldJob, 'id' | 'token'>): string {
  return `${token} ${id}`;
}

/** What renewing needs of a connection. */
export interface HoldsConnection {
  eval(script: string, keyCount: number, ...args: (string | number)[]): Promise<unknown>;
}

/** Whose locks are renewed, and for how long from now. */
export interface HoldsOptions {
  /** Prefix of all BullMQ keys, hash-tagged. */
  readonly prefix: string;
  readonly queues: readonly string[];
  readonly workerId: string;
  readonly lockMs: number;
}

/** See `createHolds`. */
export interface Holds {
  /** Renews the locks of `held`; answers with those that are lost for good. */
  renew(held: readonly HeldJob[]): Promise<readonly HeldJob[]>;
  /** Renews the locks of all that the queues gave this worker, also what it has not heard of yet. */
  renewAll(): Promise<void>;
}

/**
 * A lock that expired while Redis was away, or everybody stood still, is taken again as long as the job was given to nobody
 * else: it still lies among the active ones, under this worker's name (`pb`).
 * KEYS active, lock, job. ARGV worker, id, token, lock in ms.
 */
const RENEW = `
local held = redis.call('GET', KEYS[2])
if held == ARGV[3] then
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
  return 1
end
if held or redis.call('HGET', KEYS[3], 'pb') ~= ARGV[1] then return 0 end
if not redis.call('LPOS', KEYS[1], ARGV[2]) then return 0 end
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return 1
`;

/** KEYS active. ARGV worker, lock in ms, prefix of the queue's keys, which lie in the same slot. */
const RENEW_ALL = `
for _, id in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  if redis.call('HGET', ARGV[3] .. id, 'pb') == ARGV[1] then redis.call('PEXPIRE', ARGV[3] .. id .. ':lock', ARGV[2]) end
end
return 1
`;

/** Builds the keeper of one worker's locks. */
export function createHolds(connection: HoldsConnection, options: HoldsOptions): Holds {
  const { prefix, queues, workerId, lockMs } = options;
  const renewOne = async ({ queue, id, key, token }: HeldJob): Promise<boolean> => {
    const keys = [`${prefix}:${queue}:active`, key, `${prefix}:${queue}:${id}`];
    return (await connection.eval(RENEW, keys.length, ...keys, workerId, id, token, lockMs)) === 1;
  };
  return {
    async renew(held) {
      const renewed = await Promise.all(held.map(renewOne));
      return held.filter((_, at) => !renewed[at]);
    },
    async renewAll() {
      const base = (queue: string) => `${prefix}:${queue}:`;
      await Promise.all(
        queues.map((queue) => connection.eval(RENEW_ALL, 1, `${base(queue)}active`, workerId, lockMs, base(queue))),
      );
    },
  };
}
