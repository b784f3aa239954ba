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
