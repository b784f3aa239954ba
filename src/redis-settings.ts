/** The settings of a configured Redis: its URL, and beside it what does not belong into one or does not fit into one. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseRedisUrl, REDIS_URL_FORMS } from './redis/address.js';

const redisUrl = z.string().refine((text) => parseRedisUrl(text, '') !== undefined, `expected ${REDIS_URL_FORMS}`);
const optionalText = z.string().optional();
const optionalPath = z
  .string()
  .transform((path) => resolve(path))
  .optional();

/** Rows of the settings table, as in `SETTINGS`. */
export const REDIS_SETTINGS = {
  LONGHAUL_REDIS_URL: {
    schema: redisUrl.optional(),
    fallback: '',
    meaning:
      'Redis to use instead of a private one: redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://.',
  },
  LONGHAUL_REDIS_USERNAME: {
    schema: optionalText,
    fallback: '',
    meaning: 'User of that Redis; beats the one in the URL.',
  },
  LONGHAUL_REDIS_PASSWORD: {
    schema: optionalText,
    fallback: '',
    meaning: 'Password of that Redis; beats the one in the URL.',
  },
  LONGHAUL_REDIS_SENTINEL_USERNAME: {
    schema: optionalText,
    fallback: '',
    meaning: 'User of the Sentinels, if they ask for one.',
  },
  LONGHAUL_REDIS_SENTINEL_PASSWORD: {
    schema: optionalText,
    fallback: '',
    meaning: 'Password of the Sentinels, if they ask for one.',
  },
  LONGHAUL_REDIS_TLS_CA: {
    schema: optionalPath,
    fallback: '',
    meaning: 'PEM file of the authority to trust, for rediss:// of any kind.',
  },
  LONGHAUL_REDIS_TLS_CERT: {
    schema: optionalPath,
    fallback: '',
    meaning: 'PEM file of the certificate to show to Redis.',
  },
  LONGHAUL_REDIS_TLS_KEY: { schema: optionalPath, fallback: '', meaning: 'PEM file of its key.' },
} as const;

/** What else opens the configured Redis; files by their absolute paths. */
export interface RedisEntry {
  readonly login: { readonly username?: string; readonly password?: string } | undefined;
  readonly sentinelLogin: { readonly username?: string; readonly password?: string } | undefined;
  readonly tlsFiles: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined;
}

type TextSetting = Exclude<keyof typeof REDIS_SETTINGS, 'LONGHAUL_REDIS_URL'>;

/** Gathers the entry from the settings; undefined parts were not set. */
export function redisEntry(value: (name: TextSetting) => string | undefined): RedisEntry {
  return {
    login: given({ username: value('LONGHAUL_REDIS_USERNAME'), password: value('LONGHAUL_REDIS_PASSWORD') }),
    sentinelLogin: given({
      username: value('LONGHAUL_REDIS_SENTINEL_USERNAME'),
      password: value('LONGHAUL_REDIS_SENTINEL_PASSWORD'),
    }),
    tlsFiles: given({
      ca: value('LONGHAUL_REDIS_TLS_CA'),
      cert: value('LONGHAUL_REDIS_TLS_CERT'),
      key: value('LONGHAUL_REDIS_TLS_KEY'),
    }),
  };
}

/** Only what is set; undefined if nothing is. */
function given<T extends Record<string, string | undefined>>(parts: T): { [K in keyof T]?: string } | undefined {
  const set = Object.entries(parts).filter(([, part]) => part !== undefined);
  return set.length === 0 ? undefined : (Object.fromEntries(set) as { [K in keyof T]?: string });
}
