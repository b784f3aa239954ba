/** The installation's secret: made once, shared by all its front ends through Redis. */
import { randomBytes } from 'node:crypto';
import type { RedisContext } from './context.js';
import { translateRedisError } from './translate.js';

/** Returns a reader of the secret (64 hex characters, 256 bits); the first reader ever makes it. */
export function createSecret({ redis, keys }: RedisContext): () => Promise<string> {
  let known: string | undefined;
  return async () => {
    if (known !== undefined) return known;
    try {
      await redis.set(keys.secret(), randomBytes(32).toString('hex'), 'NX');
      known = (await redis.get(keys.secret())) ?? undefined;
    } catch (error) {
      throw translateRedisError(error);
    }
    return known ?? '';
  };
}
