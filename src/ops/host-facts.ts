/** Gathers plain facts about this host for the doctor; judges nothing. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { FolderFacts, HostFacts } from './doctor-facts.js';

const GIT_LIMIT_MS = 5_000;
const WORKER_LIMIT_MS = 30_000;
/** Characters that are shown of what a worker said. */
const WORDS = 300;

/** Where to look: absolute paths of the two folders, and of the program of a worker if that is to be tried. */
export interface HostPlaces {
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly workerEntry?: string | undefined;
}

/** Looks at Node, git, memory, the two folders and the worker. */
export async function hostFacts({ dataDir, cacheDir, workerEntry }: HostPlaces): Promise<HostFacts> {
  return {
    nodeVersion: process.versions.node,
    gitVersion: await gitVersion(),
    freeMemoryBytes: freemem(),
    totalMemoryBytes: totalmem(),
    dataFolder: await folderFacts(dataDir),
    cacheFolder: await folderFacts(cacheDir),
    ...(workerEntry !== undefined && { worker: { fault: await workerFault(workerEntry) } }),
  };
}

/** Has a worker load all that it needs, as at its start; what it says if it cannot. */
function workerFault(entry: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, [entry, '--check'], { timeout: WORKER_LIMIT_MS }, (error, _stdout, stderr) =>
      resolve(error ? wordsOf(stderr, error) : undefined),
    );
  });
}

/** The message that a worker logged, else the error that Node printed: either is one line. */
function wordsOf(stderr: string, error: Error): string {
  const logged = /"(?:message|msg)":("(?:[^"\\]|\\.)*")/.exec(stderr)?.[1];
  const thrown = /^(?:\w*Error\b.*)$/m.exec(stderr)?.[0];
  const words = logged === undefined ? (thrown ?? error.message) : String(JSON.parse(logged));
  return words.replaceAll(/\s+/g, ' ').slice(0, WORDS);
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
