/** Which names of files are known: ours first, then all that the kept data package knows. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { detectLanguage } from '../../../workers/analysis/detect.js';
import { claimedOnce, knownNamesSource } from './known-names.js';

const nothing = Buffer.alloc(0);
const TABLE = new URL('../../../workers/analysis/languages/known-names.ts', import.meta.url);

describe('the names of files', () => {
  it('beyond our own rows are those of the data package', () => {
    const drawn = knownNamesSource();
    if (process.env.UPDATE === '1') writeFileSync(TABLE, drawn);

    expect(readFileSync(TABLE, 'utf8')).toBe(drawn);
  });

  it('of the data package are known but for those that several languages claim', () => {
    const names = claimedOnce();
    const unknown = names.filter((name) => detectLanguage(name, nothing).name === 'Other');

    expect(names.length).toBeGreaterThan(1500);
    expect(unknown).toEqual([]);
  });

  it.each([
    ['a.jsb', 'JavaScript'],
    ['a.aidl', 'AIDL'],
    ['a.carbon', 'Carbon'],
    ['a.axml', 'XML'],
    ['Earthfile', 'Earthly'],
    ['a.py', 'Python'],
    ['a.c', 'C'],
  ])('such as %s mean %s', (name, language) => {
    expect(detectLanguage(name, nothing).name).toBe(language);
  });
});
