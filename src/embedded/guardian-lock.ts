/**
 * Lets exactly one guardian live per data folder, by a lock that dies with its holder.
 *
 * The lock is the folder `guardian`, which holds the holder's listening socket and nothing else. A candidate makes its
 * socket in a folder of its own and renames that to `guardian`: rename(2) replaces an empty folder and refuses a full
 * one, atomically. A socket that refuses connections is a dead holder's, for ever, and its name is never used again;
 * so anybody may unlink it at any time, and no one can unlink a living holder's by mistake, which is the race that
 * locks by pid file or by a socket of one fixed name lose.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server, Socket } from 'node:net';
import { join } from 'node:path';

/** Where the lock is. */
export interface LockPlace {
  /** The data folder, which the lock belongs to. */
  dataDir: string;
  /** The same folder by a path that is short enough for sockets. */
  folder: string;
}

/** The lock while it is held. */
export interface GuardianLock {
  /** Gives it up: from now on no one can connect, and another candidate may claim it. */
  release(): Promise<void>;
}

const LOCK_NAME = 'guardian';
const CANDIDATE_PREFIX = '.g-';
const ABANDONED_AFTER_MS = 1000;
const MOST_TRIES = 100;

/**
 * Claims the lock and hands every connection to `onConnection` from then on. Resolves with undefined when a living
 * guardian holds it. Rejects with the system's error when the sockets cannot be made.
 */
export async function claimLock(
  place: LockPlace,
  onConnection: (socket: Socket) => void,
): Promise<GuardianLock | undefined> {
  const name = randomBytes(6).toString('base64url');
  const candidate = join(place.dataDir, CANDIDATE_PREFIX + name);
  const lock = join(place.dataDir, LOCK_NAME);
  const server = createServer((socket) => {
    // A candidate that looks whether the holder lives hangs up at once.
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  const release = async () => {
    server.close();
    await unlink(join(lock, name)).catch(() => undefined);
    await rmdir(lock).catch(() => undefined);
    await removeAbandoned(place.dataDir);
  };
  try {
    await mkdir(candidate, { mode: 0o700 });
    await listen(server, join(place.folder, CANDIDATE_PREFIX + name, name));
    if (await becomesHolder(place, candidate)) return await checked(place, name, release);
    server.close();
    return undefined;
  } finally {
    await rm(candidate, { recursive: true, force: true });
  }
}

/** Connects to the guardian of a data folder; resolves with undefined when none lives. The caller owns the socket. */
export async function connectToGuardian(place: LockPlace): Promise<Socket | undefined> {
  for (const name of await readdir(join(place.dataDir, LOCK_NAME)).catch(() => [])) {
    const socket = await tryConnect(join(place.folder, LOCK_NAME, name));
    if (socket instanceof Socket) return socket;
  }
  return undefined;
}

async function becomesHolder(place: LockPlace, candidate: string): Promise<boolean> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (await renamed(candidate, join(place.dataDir, LOCK_NAME))) return true;
    if (await hasLivingHolder(place)) return false;
  }
  throw new Error(`The folder ${LOCK_NAME} in the data folder holds something that is no socket; remove it`);
}

async function checked(
  place: LockPlace,
  name: string,
  release: () => Promise<void>,
): Promise<GuardianLock | undefined> {
  await removeAbandoned(place.dataDir);
  // A candidate that was held up for a second may have lost its socket to another holder's tidying.
  const own = await stat(join(place.dataDir, LOCK_NAME, name)).catch(() => undefined);
  if (own) return { release };
  await release();
  return undefined;
}

async function hasLivingHolder({ dataDir, folder }: LockPlace): Promise<boolean> {
  for (const name of await readdir(join(dataDir, LOCK_NAME)).catch(() => [])) {
    const socket = await tryConnect(join(folder, LOCK_NAME, name));
    if (socket instanceof Socket) socket.destroy();
    // Any other error, such as EAGAIN of one too busy to accept, is no proof of death.
    if (socket !== 'ECONNREFUSED' && socket !== 'ENOENT') return true;
    await unlink(join(dataDir, LOCK_NAME, name)).catch(() => undefined);
  }
  return false;
}

/** Resolves with the connected socket, or with the code of the error. */
function tryConnect(path: string): Promise<Socket | string> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

async function renamed(candidate: string, lock: string): Promise<boolean> {
  try {
    await rename(candidate, lock);
    return true;
  } catch (error) {
    const isHeld = error instanceof Error && 'code' in error && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
    if (!isHeld) throw error;
    return false;
  }
}

/** A candidate lives for milliseconds; the folder of one that was killed in them is left to a holder. */
async function removeAbandoned(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir).catch(() => [])) {
    if (!name.startsWith(CANDIDATE_PREFIX)) continue;
    const found = await stat(join(dataDir, name)).catch(() => undefined);
    if (!found || Date.now() - found.mtimeMs < ABANDONED_AFTER_MS) continue;
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
