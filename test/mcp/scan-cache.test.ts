/** The cache of counts from end to end: a rescan reads nothing, says so, and finds the same, in one piece or in parts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { until } from '../support/gate.js';
import { init, textOf, type WireSession } from '../support/http-wire.js';
import { openSite, type Site } from '../support/site.js';

const FILES = 40;
/** Files must have been left alone for two seconds to be remembered, and the machine may be busy. */
const SETTLED = { limitMs: 30_000 };

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

function plant(name: string): string {
  const tree = join(site.root, name);
  mkdirSync(tree);
  for (let file = 0; file < FILES; file += 1)
    writeFileSync(join(tree, `f${file}.c`), `int x;\n${'// y\n'.repeat(file)}`);
  writeFileSync(join(tree, 'b.bin'), Buffer.from([0, 1]));
  return tree;
}

let calls = 0;
async function scan(session: WireSession, path: string, more: object = {}) {
  calls += 1;
  const result = await session.result(calls, 'analyze_codebase', { path, ...more });
  const { job_id, duration_ms, from_cache, ...found } = result.structuredContent ?? {};
  expect([typeof job_id, typeof duration_ms], textOf(result)).toEqual(['string', 'number']);
  return { jobId: String(job_id), found: JSON.stringify(found), fromCache: Number(from_cache) };
}

/** Scans until a scan reads nothing. */
const settle = (session: WireSession, path: string) =>
  until(
    () => scan(session, path),
    ({ fromCache }) => fromCache === FILES + 1,
    { what: 'a scan that reads no file', ...SETTLED },
  );

test('a rescan recalls every file, whatever worker does it, and use_cache: false reads them all', async () => {
  const server = await site.http();
  const session = await init(server);
  const path = plant('whole');
  const first = await scan(session, path);
  const again = await settle(session, path);
  const uncached = await scan(session, path, { use_cache: false });
  expect(uncached.fromCache).toBe(0);
  expect([again.found, uncached.found]).toEqual([first.found, first.found]);

  // Every file of it can be read in pages, in the same order.
  const pageOf = async (jobId: string) =>
    (await session.result(`page ${jobId}`, 'get_job', { job_id: jobId, section: 'files' })).structuredContent?.page;
  expect(await pageOf(again.jobId)).toMatchObject({ total: FILES });
  expect(await pageOf(again.jobId)).toEqual(await pageOf(uncached.jobId));

  writeFileSync(join(path, 'f7.c'), '// one\n');
  const edited = await scan(session, path);
  expect(edited.fromCache).toBe(FILES);
  expect(edited.found).toBe((await scan(session, path, { use_cache: false })).found);
});

test('parts add what they find out, and a rescan of a shared tree is done in one piece', async () => {
  const session = await init(await site.http({ env: { LONGHAUL_PART_FILES: '5' } }));
  const path = plant('shared');
  const first = await scan(session, path);
  const again = await settle(session, path);
  expect(again.found).toBe(first.found);
});

test('workers that are set up otherwise go on with parts as they were begun', async () => {
  const session = await init(await site.http({ env: { LONGHAUL_PART_FILES: '5' } }));
  await init(await site.http());
  const path = plant('mixed');
  const scans = await Promise.all(Array.from({ length: 8 }, () => scan(session, path, { use_cache: false })));
  for (const { found } of scans) expect(JSON.parse(found).sections).toMatchObject([{ rows: FILES }, { rows: 1 }]);
});

test('an operator may remember nothing', async () => {
  const other = await openSite();
  onTestFinished(() => other.close());
  const path = join(site.root, 'shared');
  const started = { args: ['--root', site.root] };
  const kept = await scan(await init(await other.http(started)), path);
  expect(kept.fromCache).toBe(FILES + 1);

  const last = await openSite();
  onTestFinished(() => last.close());
  const session = await init(await last.http({ ...started, env: { LONGHAUL_SCAN_CACHE_MB: '0' } }));
  expect((await scan(session, path)).fromCache).toBe(0);
});
