/** Looks for fake secrets in all that an installation keeps: its Redis, key by key, and every file of its data folder. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { FakeSecret } from '../secrets/fake-secrets.js';

/** Names of the secrets that a text holds, as they are or as JSON has them. */
export function heldBy(text: string, secrets: readonly FakeSecret[]): string[] {
  return secrets.flatMap(({ name, values }) => (values.some((value) => text.includes(value)) ? [name] : []));
}

/** All that Redis holds, and all that it ever wrote to its disk, as one text. */
export async function keptIn(dataDir: string): Promise<string> {
  const redis = new Redis({ path: join(dataDir, 'redis.sock') });
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, 0, -1),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  const keys = await redis.keys('*');
  expect(keys.length).toBeGreaterThan(5);
  const values = await Promise.all(keys.map(async (key) => [key, await readers[await redis.type(key)]?.(key)]));
  redis.disconnect();
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
  );
  expect(texts.join('').length).toBeGreaterThan(1_000);
  return JSON.stringify(values) + texts.join('\n');
}
