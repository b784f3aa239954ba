/** Runs the compiled command line as a person's shell does: a process of its own in a process group of its own. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { killAllFor } from '../embedded/holders.js';
import { PROGRAM } from '../support/program.js';
import { testCacheDir } from '../support/redis.js';

/** How a run ended and what it wrote. */
export interface CliEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A run under way. */
export interface CliRun {
  end: Promise<CliEnd>;
  /** Resolves once stdout or stderr holds the text; rejects with what was said if the run ends before. */
  says(text: string): Promise<void>;
  /** As `says`, for a pattern; gives the first match. */
  saysMatching(pattern: RegExp): Promise<string>;
  /** What Ctrl-C does: a signal to the whole process group. */
  interrupt(signal?: NodeJS.Signals): void;
}

/** What a run is given beside its arguments. */
export interface CliInput {
  env?: Record<string, string>;
  stdin?: string;
  cwd?: string;
}

/** A home of the test's own, with everything a run leaves behind in it. */
export interface CliHome {
  dataDir: string;
  folder: string;
  start(args: readonly string[], input?: CliInput): CliRun;
  run(args: readonly string[], input?: CliInput): Promise<CliEnd>;
}

const SAYS_LIMIT_MS = 30_000;

/** Tools that wait, log and fail on demand. */
export const TEST_TOOLS = fileURLToPath(new URL('../support/test-tools.mjs', import.meta.url));

/** Makes the home; at the test's end it is removed and whatever still runs for it is killed. */
export async function cliHome(): Promise<CliHome> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-cli-')));
  const dataDir = join(folder, 'data');
  await mkdir(join(folder, 'home'));
  onTestFinished(async () => {
    await killAllFor(dataDir);
    // A Redis on its way out may still make a file in a folder that is being removed.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const base = {
    PATH: process.env.PATH ?? '',
    HOME: join(folder, 'home'),
    LONGHAUL_DATA_DIR: dataDir,
    LONGHAUL_CACHE_DIR: testCacheDir(),
  };
  const start = (args: readonly string[], input: CliInput = {}) =>
    startRun(args, { cwd: folder, ...input, env: { ...base, ...input.env } });
  return { dataDir, folder, start, run: (args, input) => start(args, input).end };
}

function startRun(args: readonly string[], input: CliInput): CliRun {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: input.env,
    cwd: input.cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  let heard: () => void = () => undefined;
  const listen = (stream: 'stdout' | 'stderr') =>
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      said[stream] += chunk;
      heard();
    });
  listen('stdout');
  listen('stderr');
  child.stdin.on('error', () => undefined).end(input.stdin ?? '');
  const end = new Promise<CliEnd>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, ...said }));
  });
  const interrupt = (signal: NodeJS.Signals = 'SIGINT') => kill(-(child.pid ?? 0), signal);
  onTestFinished(() => {
    if (child.exitCode === null) interrupt('SIGKILL');
  });
  const saysMatching = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${why} before it said ${pattern}: ${said.stderr}`));
      const timer = setTimeout(() => fail(`${SAYS_LIMIT_MS} ms went by`), SAYS_LIMIT_MS);
      heard = () => {
        const found = pattern.exec(`${said.stdout}${said.stderr}`);
        if (!found) return;
        clearTimeout(timer);
        resolve(found[0]);
      };
      end.then(() => fail('it ended'));
      heard();
    });
  const says = async (text: string) => {
    await saysMatching(new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  };
  return { end, says, saysMatching, interrupt };
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended in the meantime.
  }
}
