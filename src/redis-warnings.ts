/** Tells the operator at the start when a configured Redis cannot keep what this program promises. */
import type { Config } from './config.js';
import type { Logger } from './logger.js';
import { judgeRedis } from './ops/doctor-redis.js';
import type { RedisAddress } from './redis/address.js';
import { createKeys } from './redis/keys.js';
import { probeRedis } from './redis/probe.js';

const LIMIT_MS = 5_000;

/** Logs what the doctor would call a failure, each with its mend; says nothing of a Redis that is not there yet. Never rejects. */
export async function warnOfUnfitRedis(config: Config, logger: Logger, address: RedisAddress): Promise<void> {
  try {
    const facts = await probeRedis(address, { prefix: createKeys(config.namespace).queuePrefix, limitMs: LIMIT_MS });
    if (!facts.reachable) return;
    for (const { check, status, seen, mend } of judgeRedis(facts, 'configured')) {
      if (status === 'fail')
        logger.warn({ check, seen, mend }, 'this Redis cannot keep jobs safe; see longhaul doctor');
    }
  } catch (err) {
    logger.debug({ err }, 'the configured Redis could not be examined');
  }
}
