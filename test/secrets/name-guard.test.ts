/** Names of files are told apart cheaply, and never otherwise than a whole search would. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findSecrets } from '../../src/secrets/find-secrets.js';
import { createNameGuard, isWorthASearch } from '../../src/secrets/name-guard.js';
import { draw, fakeSecrets } from './fake-secrets.js';

const SALTS = ['', 'b', 'c'];
const holds = (name: string) => findSecrets(name).length > 0;

/** Names in which each kind of secret stands, as it is, in a setting, and in Base64. */
function secretNames(): string[] {
  return SALTS.flatMap(fakeSecrets).flatMap(({ text, values }) =>
    [text, ...values, Buffer.from(text).toString('base64'), Buffer.from(text).toString('base64url')].flatMap((part) => [
      part,
      `logs/${part}.txt`,
      `a/b-${part}/c.json`,
      `${part}_old`,
      `notes on ${part}`,
    ]),
  );
}

/** Names of words and signs drawn at random. */
function randomNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    draw(`name ${index}`, 'aeiorstlnkmABT0179_-/./', 20 + (index % 90)),
  );
}

describe('a name', () => {
  it('that a search finds a secret in is always searched', () => {
    const found = [...secretNames(), ...randomNames(2_000)].filter(holds);
    expect(found.length).toBeGreaterThan(150);
    expect(found.filter((name) => !isWorthASearch(name))).toEqual([]);
  });

  it('holds a secret if a search finds one', () => {
    const { holdsSecret } = createNameGuard();
    for (const name of secretNames().filter((one) => one.length >= 16)) expect(holdsSecret(name)).toBe(holds(name));
  });

  it('of an ordinary file is hardly ever searched', () => {
    const modules = new URL('../../node_modules/zod', import.meta.url);
    const names = readdirSync(modules, { recursive: true, encoding: 'utf8' });
    const searched = names.filter(isWorthASearch);
    expect(names.length).toBeGreaterThan(100);
    expect(searched.length).toBeLessThan(names.length / 5);
  });
});
