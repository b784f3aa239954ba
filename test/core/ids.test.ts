/** Job ids: unguessable, and of a shape that every layer accepts. */
import { describe, expect, it } from 'vitest';
import { fingerprint, jobIdSchema, newJobId } from '../../src/core/ids.js';

describe('a job id', () => {
  it('is job_ and 26 letters and digits, hence at least 122 bits', () => {
    const id = newJobId();
    expect(id).toMatch(/^job_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(26 * Math.log2(32)).toBeGreaterThanOrEqual(122);
  });

  it('uses every letter at every place alike', () => {
    const ids = Array.from({ length: 4_000 }, () => newJobId().slice(4));
    for (let place = 0; place < 26; place += 1) {
      const seen = new Map<string, number>();
      for (const id of ids) seen.set(id.charAt(place), (seen.get(id.charAt(place)) ?? 0) + 1);
      expect(seen.size).toBe(32);
      // 125 are expected of each; a fair draw strays this far less than once in a billion runs.
      for (const count of seen.values()) expect(Math.abs(count - 125)).toBeLessThan(90);
    }
  });

  it('never comes twice', () => {
    const ids = Array.from({ length: 20_000 }, () => newJobId());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is accepted by its schema, and nothing else is', () => {
    const id = newJobId();
    expect(jobIdSchema.parse(id)).toBe(id);
    const others = [
      '',
      'job_',
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      ` ${id}`,
      `${id}\n`,
      `job_${'u'.repeat(26)}`,
    ];
    for (const other of others) expect(jobIdSchema.safeParse(other).success).toBe(false);
    expect(jobIdSchema.safeParse(7).success).toBe(false);
  });
});

describe('a fingerprint', () => {
  it('is 32 hex characters, the same for the same text only', () => {
    expect(fingerprint('a')).toMatch(/^[0-9a-f]{32}$/);
    expect(fingerprint('a')).toBe(fingerprint('a'));
    expect(fingerprint('a')).not.toBe(fingerprint('b'));
  });
});
