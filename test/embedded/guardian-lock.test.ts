import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { claimLock, connectToGuardian, type GuardianLock } from '../../src/embedded/guardian-lock.js';

const ROUNDS = 20;
const CLAIMANTS = 10;

async function freshPlace() {
  const dataDir = await mkdtemp(join(tmpdir(), 'longhaul-lock-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return { dataDir, folder: dataDir };
}

async function claimAtOnce(place: Awaited<ReturnType<typeof freshPlace>>): Promise<GuardianLock[]> {
  const claims = Array.from({ length: CLAIMANTS }, () => claimLock(place, (socket) => socket.destroy()));
  return (await Promise.all(claims)).filter((lock) => lock !== undefined);
}

test('of many that claim the lock at once exactly one holds it, and leaves nothing when it releases it', async () => {
  const place = await freshPlace();
  for (let round = 0; round < ROUNDS; round += 1) {
    const holders = await claimAtOnce(place);
    expect(holders).toHaveLength(1);
    await holders[0]?.release();
    expect(await readdir(place.dataDir)).toEqual([]);
  }
});

test("of many that claim a dead holder's lock at once exactly one holds it", async () => {
  const place = await freshPlace();
  for (let round = 0; round < ROUNDS; round += 1) {
    await mkdir(join(place.dataDir, 'guardian'), { recursive: true });
    // Refuses connections as the socket of a dead process does.
    await writeFile(join(place.dataDir, 'guardian', `dead-${round}`), '');
    const holders = await claimAtOnce(place);
    expect(holders).toHaveLength(1);
    await holders[0]?.release();
  }
});

test('a held lock stays with its holder, who can be connected to', async () => {
  const place = await freshPlace();
  const lock = await claimLock(place, (socket) => socket.end('hello'));
  expect(await claimAtOnce(place)).toEqual([]);
  const socket = await connectToGuardian(place);
  const heard = await new Promise((resolve) => socket?.setEncoding('utf8').once('data', resolve));
  expect(heard).toBe('hello');
  await lock?.release();
  expect(await connectToGuardian(place)).toBeUndefined();
});

test('something else in its place is named instead of waited for', async () => {
  const place = await freshPlace();
  await mkdir(join(place.dataDir, 'guardian', 'folder'), { recursive: true });
  await expect(claimLock(place, () => undefined)).rejects.toThrow('holds something that is no socket');
});
