import { chmod, chown, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensurePrivateDir } from '../../src/embedded/private-dir.js';

const NOBODY = 65534;
const isRoot = process.geteuid?.() === 0;

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-private-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function refusal(path: string): Promise<unknown> {
  return ensurePrivateDir(path, 'data folder', 'choose another with LONGHAUL_DATA_DIR').catch(
    (error: unknown) => error,
  );
}

function sentence(text: string) {
  return expect.objectContaining({ code: 'invalid_configuration', message: expect.stringContaining(text) });
}

test('a missing folder is made for this user alone', async () => {
  const path = join(await freshFolder(), 'some', 'data');
  expect(await refusal(path)).toBeUndefined();
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

test('a folder that others can write is refused', async () => {
  const path = await freshFolder();
  await chmod(path, 0o770);
  expect(await refusal(path)).toEqual(sentence('can be written by other users (mode 770, expected 700)'));
});

test('a file is refused, and so is a folder under a file', async () => {
  const path = join(await freshFolder(), 'file');
  await writeFile(path, '');
  expect(await refusal(path)).toEqual(sentence('is not a folder'));
  expect(await refusal(join(path, 'data'))).toEqual(sentence('lies under a file'));
});

test.runIf(isRoot)("another user's folder is refused", async () => {
  const path = await freshFolder();
  await chown(path, NOBODY, NOBODY);
  expect(await refusal(path)).toEqual(sentence(`belongs to user ${NOBODY}, not to user 0`));
});

test.skipIf(isRoot)('a folder that cannot be written is refused', async () => {
  const path = await freshFolder();
  await chmod(path, 0o500);
  expect(await refusal(path)).toEqual(sentence('cannot be written'));
});

test('a folder that cannot be made is refused with the setting to change', async () => {
  expect(await refusal('/proc/longhaul')).toEqual(sentence('cannot be made; choose another with LONGHAUL_DATA_DIR'));
});

test('a link that leads nowhere is refused, and so is a folder under it', async () => {
  const path = join(await freshFolder(), 'link');
  await symlink('/nowhere/at/all', path);
  expect(await refusal(path)).toEqual(sentence('cannot be looked at'));
  expect(await refusal(join(path, 'data'))).toEqual(sentence('cannot be made'));
});

test('a relative path is refused', async () => {
  expect(await refusal('data')).toEqual(sentence('is not an absolute path'));
});
