/** Gathers plain facts about this host for the doctor; judges nothing. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { FolderFacts, HostFacts } from './doctor-facts.js';

const GIT_LIMIT_MS = 5_000;

/** Looks at Node, git, memory and the two folders (absolute paths). */
export async function hostFacts(folders: { readonly dataDir: string; readonly cacheDir: string }): Promise<HostFacts> {
  return {
    nodeVersion: process.versions.node,
    gitVersion: await gitVersion(),
    freeMemoryBytes: freemem(),
    totalMemoryBytes: totalmem(),
    dataFolder: await folderFacts(folders.dataDir),
    cacheFolder: await folderFacts(folders.cacheDir),
  };
}

function gitVersion(): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('git', ['--version'], { timeout: GIT_LIMIT_MS }, (error, stdout) =>
      resolve(error ? undefined : (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim())),
    );
  });
}

async function folderFacts(path: string): Promise<FolderFacts> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return { path, kind: 'missing', writable: await isWritable(await nearestExisting(dirname(path))) };
  return {
    path,
    kind: found.isDirectory() ? 'folder' : 'other',
    writable: await isWritable(path),
    mode: found.mode & 0o777,
    foreign: process.geteuid !== undefined && found.uid !== process.geteuid(),
  };
}

async function nearestExisting(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found || dirname(path) === path ? path : await nearestExisting(dirname(path));
}

function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
