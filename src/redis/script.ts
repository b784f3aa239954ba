/** Runs Lua scripts by their hash, loading them when the server does not know them. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A script bound to its text: call it with a connection, keys and arguments. */
export type Script = (
  redis: Redis,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
) => Promise<unknown>;

/** Prepares a script; it must be harmless when run twice, since a lost reply makes the caller run it again. */
export function createScript(lua: string): Script {
  const sha = createHash('sha1').update(lua).digest('hex');
  return async (redis, keys, args) => {
    try {
      return await redis.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(lua, keys.length, ...keys, ...args);
    }
  };
}
