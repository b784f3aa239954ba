import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hostFacts } from '../../src/ops/host-facts.js';

async function setup(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-facts-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

it('the facts of a host name its folders as they are', async () => {
  const folder = await setup();
  await chmod(folder, 0o750);
  const facts = await hostFacts({ dataDir: folder, cacheDir: join(folder, 'a', 'b') });
  expect(facts.nodeVersion).toBe(process.versions.node);
  expect(facts.dataFolder).toEqual({ path: folder, kind: 'folder', writable: true, mode: 0o750, foreign: false });
  expect(facts.cacheFolder).toEqual({ path: join(folder, 'a', 'b'), kind: 'missing', writable: true });
});

it('a file in place of a folder is told as such', async () => {
  const folder = await setup();
  await writeFile(join(folder, 'file'), '');
  const { dataFolder } = await hostFacts({ dataDir: join(folder, 'file'), cacheDir: folder });
  expect(dataFolder).toMatchObject({ kind: 'other' });
});

it.each([
  ['loads', 'if (!process.argv.includes("--check")) process.exit(7);', undefined],
  ['throws while it loads', 'throw new TypeError("no such part");', 'TypeError: no such part'],
  ['misses a module', 'import "./gone.mjs";', /^Error \[ERR_MODULE_NOT_FOUND\].*gone\.mjs/],
  [
    'logs why it ends',
    'process.stderr.write(JSON.stringify({ msg: "a bad setting" }) + "\\n"); process.exit(1);',
    'a bad setting',
  ],
])('a worker that %s is told as that', async (_what, program, fault) => {
  const folder = await setup();
  const workerEntry = join(folder, 'worker.mjs');
  await writeFile(workerEntry, program);
  const { worker } = await hostFacts({ dataDir: folder, cacheDir: folder, workerEntry });
  expect(worker?.fault).toEqual(fault instanceof RegExp ? expect.stringMatching(fault) : fault);
});
