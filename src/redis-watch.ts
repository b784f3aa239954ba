/** Looks after the Redis of a running process: logs each trouble when it begins and when it ends, and says whether to serve. */
import type { Config } from './config.js';
import { settlesWithin } from './core/lifecycle.js';
import type { Complaint, Readiness } from './core/trouble.js';
import type { Logger } from './logger.js';
import { judgeUse } from './ops/doctor.js';
import type { RedisFacts } from './ops/doctor-facts.js';
import type { RedisAddress } from './redis/address.js';
import { createKeys } from './redis/keys.js';
import { away, probeRedis } from './redis/probe.js';

/** A watch over one Redis. */
export interface RedisWatch {
  /** Looks, or tells what a look within the last half second saw. Never rejects. */
  look(): Promise<Readiness>;
  /** Looks soon: something went wrong. */
  nudge(): void;
  stop(): void;
}

/** What a watch needs. */
export interface WatchOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly address: RedisAddress;
  /** Milliseconds between looks of its own; 5,000 unless said. */
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
/** A trouble that shows on every connection at once is looked at once. */
const FRESH_MS = 500;
const CONNECT_LIMIT_MS = 900;
/** A server that lets one in and then says nothing costs this. */
const LOOK_LIMIT_MS = 1_500;
/** What no job can do without; other failures are dangers to jobs, which go on under them. */
const VITAL = new Set(['Redis', 'Redis role', 'Scripts', 'Pub/sub']);

/** Starts the watch; it keeps no process alive. */
export function watchRedis(options: WatchOptions): RedisWatch {
  const tell = createTeller(options.logger);
  let looking: Promise<Readiness> | undefined;
  let seen: { readonly atMs: number; readonly readiness: Readiness } | undefined;
  let nudged: NodeJS.Timeout | undefined;
  let stopped = false;
  const lookNow = async (): Promise<Readiness> => {
    const seenNow = await see(options).catch((error: unknown) => notReady(error));
    const { complaints } = seenNow;
    const readiness = { ...seenNow, ready: !complaints.some(isVital) };
    seen = { atMs: Date.now(), readiness };
    looking = undefined;
    if (!stopped && !tell(complaints)) nudge();
    return readiness;
  };
  const look = (): Promise<Readiness> => {
    if (seen && Date.now() - seen.atMs < FRESH_MS) return Promise.resolve(seen.readiness);
    looking ??= lookNow();
    return looking;
  };
  const nudge = (): void => {
    if (stopped) return;
    nudged ??= setTimeout(() => {
      nudged = undefined;
      void look();
    }, FRESH_MS).unref();
  };
  const timer = setInterval(() => void look(), options.everyMs ?? EVERY_MS).unref();
  void look();
  return {
    look,
    nudge,
    stop() {
      stopped = true;
      clearInterval(timer);
      clearTimeout(nudged);
    },
  };
}

/** What stands in the way of whom the server's own process cannot even ask. */
export function notReady(error: unknown): Readiness {
  const { why, trouble } = away(error);
  return { ready: false, complaints: [{ check: 'Redis', status: 'fail', seen: why, mend: trouble.mend }] };
}

const isVital = ({ check, status }: Complaint): boolean => status === 'fail' && VITAL.has(check);

async function see({ config, address }: WatchOptions): Promise<Omit<Readiness, 'ready'>> {
  const prefix = createKeys(config.namespace).queuePrefix;
  const probing = probeRedis(address, { prefix, limitMs: CONNECT_LIMIT_MS });
  const facts = (await settlesWithin(probing, LOOK_LIMIT_MS)) ? await probing : away(new Error('it does not answer'));
  const complaints = judgeUse(facts, config.redisUrl === undefined);
  return facts.reachable ? { complaints, store: figuresOf(facts) } : { complaints };
}

function figuresOf({ product, version, usedMemoryBytes, maxMemoryBytes, pingMedianMs, pingWorstMs }: RedisFacts) {
  const named = version === undefined ? product : `${product} ${version}`;
  return { product: named, usedMemoryBytes, maxMemoryBytes, pingMedianMs, pingWorstMs };
}

/**
 * Logs what is new, and what is over; a warning only once, since latency comes and goes. A failure is told when a second
 * look in a row sees it: a start, a restart or a busy machine is no trouble. Says whether all that is seen has been told.
 */
function createTeller(logger: Logger): (complaints: readonly Complaint[]) => boolean {
  let before = new Map<string, Complaint>();
  const told = new Map<string, string>();
  const warned = new Set<string>();
  return (complaints) => {
    const now = new Map(complaints.map((complaint) => [complaint.check, complaint]));
    for (const { check, seen, mend, status } of now.values()) {
      if (status === 'warn' && !warned.has(check)) {
        warned.add(check);
        logger.info({ check, seen, mend }, 'Redis is not at its best; see longhaul doctor');
      }
      if (status !== 'fail' || before.get(check)?.seen !== seen || told.get(check) === seen) continue;
      told.set(check, seen);
      logger.warn({ check, seen, mend }, 'Redis is in trouble; see longhaul doctor');
    }
    for (const check of [...told.keys()].filter((one) => now.get(one)?.status !== 'fail')) {
      told.delete(check);
      logger.info({ check }, 'Redis is out of trouble');
    }
    before = now;
    return [...now.values()].every(({ check, seen, status }) => status !== 'fail' || told.get(check) === seen);
  };
}
