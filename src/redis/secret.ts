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
      const stored = await redis.get(keys.secret());
      // To seal with nothing would let anybody forge.
      if (!stored) throw new Error('the secret was gone as soon as it was made');
      known = stored;
      return stored;
    } catch (error) {
      throw translateRedisError(error);
    }
  };
}
