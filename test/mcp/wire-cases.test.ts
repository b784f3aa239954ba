/** The acceptance list of how the server behaves on the wire is complete: each of its cases has a test that names it. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The cases of each section; their numbers are stable, with gaps. */
const CASES: Readonly<Record<string, readonly number[]>> = {
  'A, progress': [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12],
  'B, cancellation': [14, 15, 17, 19, 20, 21, 23, 24, 25, 27],
  'C, JSON-RPC basics': [28, 29, 31, 32, 33, 34, 35, 37],
  'D, sampling, elicitation, roots': [38, 39, 40, 41, 42, 44, 45, 46, 47, 49, 50],
  'E, logging': [51, 52, 53, 55, 56],
  'F, sessions and HTTP': [57, 58, 59, 61, 62, 63, 65, 66, 68, 69, 70, 72, 74, 75, 76, 77, 78, 79, 80, 81, 83, 84, 85],
  'G, stdio': [86, 88, 89, 90, 92, 94, 95],
  'H, tools': [96, 97, 99, 100, 101, 102, 103, 105, 106, 107, 108],
  'I, durable queue': [110, 112, 114, 115],
};
const TESTS = fileURLToPath(new URL('../', import.meta.url));
const LIST = fileURLToPath(new URL('../../../shared/wire-cases.md', import.meta.url));
/** A title that begins with the numbers of its cases. */
const TITLE = /['"`](\d{1,3}(?:, \d{1,3})*)(?: ·|:) \S/g;

/** The files that name each case. */
async function casesNamed(): Promise<ReadonlyMap<number, readonly string[]>> {
  const named = new Map<number, string[]>();
  const files = (await readdir(TESTS, { recursive: true })).filter((name) => name.endsWith('.test.ts'));
  for (const file of files) {
    const text = await readFile(`${TESTS}/${file}`, 'utf8');
    for (const [, numbers = ''] of text.matchAll(TITLE)) {
      for (const number of numbers.split(', ').map(Number)) named.set(number, [...(named.get(number) ?? []), file]);
    }
  }
  return named;
}

it.each(Object.entries(CASES))('every case of section %s has a test that names it', async (_section, cases) => {
  const named = await casesNamed();
  expect(cases.filter((number) => !named.has(number))).toEqual([]);
});

it.skipIf(!existsSync(LIST))('every case of the list is known here', async () => {
  const text = await readFile(LIST, 'utf8');
  const listed = [...text.matchAll(/^(?:### ([A-Z])\.|\*\*(\d+)\. )/gm)];
  const sections: Record<string, number[]> = {};
  let section = '';
  for (const [, letter, number] of listed) {
    if (letter) section = letter;
    else sections[section] = [...(sections[section] ?? []), Number(number)];
  }
  for (const [name, cases] of Object.entries(CASES)) expect([name, sections[name.charAt(0)]]).toEqual([name, cases]);
});
