/** analyze_codebase on the wire: cases 100 and 105 of the acceptance list. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { init, jobIdOf, textOf, type WireSession } from '../support/http-wire.js';
import { openSite, type Site } from '../support/site.js';

let site: Site;
let session: WireSession;
beforeAll(async () => {
  site = await openSite();
  session = await init(await site.http());
});
afterAll(() => site.close());

const TEXT_CAP = 25_000;
const FILES = 5_000;
const FOLDERS = 50;

test('100: a scan has structured content that fits its schema, and its JSON text says the same', async () => {
  await mkdir(join(site.root, 'small'));
  await writeFile(join(site.root, 'small', 'a.ts'), '// one\nexport const a = 1;\n');
  const result = await session.result(1, 'analyze_codebase', { path: 'small', response_format: 'json' });
  expect(result.isError, textOf(result)).toBeUndefined();
  expect(result.structuredContent).toMatchObject({ files_scanned: 1, total_lines: 2 });
  expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);

  const listed = await (await session.request(2, 'tools/list')).response(2);
  const tools = listed.result?.tools as { name: string; outputSchema: object }[];
  const fits = new Ajv2020({ strict: true }).compile(
    tools.find(({ name }) => name === 'analyze_codebase')?.outputSchema ?? {},
  );
  expect(fits(result.structuredContent), JSON.stringify(fits.errors)).toBe(true);
});

test('105: a scan of 5,000 files is a summary within the cap, with the job that holds it', async () => {
  const folder = join(site.root, 'large');
  const parts = Array.from({ length: FOLDERS }, (_, n) => join(folder, `part-${n}`));
  for (const part of parts) await mkdir(part, { recursive: true });
  const write = (n: number) =>
    writeFile(join(parts[n % FOLDERS] ?? folder, `a-rather-long-name-${n}.ts`), 'export {};\n');
  await Promise.all(Array.from({ length: FILES }, (_, n) => write(n)));
  const result = await (await session.call(3, 'analyze_codebase', { path: 'large' })).response(3, 25_000);
  expect(result.result?.structuredContent).toMatchObject({ files_scanned: FILES, total_lines: FILES });
  expect(JSON.stringify(result).length).toBeLessThan(2 * TEXT_CAP);
  expect(textOf(result.result)).toContain(jobIdOf(result.result));
});
