/** One installation for tests: a data folder, the real processes that serve it, and the files tests and tools meet at. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { settlesWithin } from '../../src/core/lifecycle.js';
import { PATIENCE_MS, until, within } from './gate.js';
import { leaksBehind } from './key-checker.js';
import { PROGRAM } from './program.js';
import { testCacheDir } from './redis.js';
import { startRoundRobin } from './round-robin.js';

/** One line of the process log. */
export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** How a process of ours is started. */
export interface StartOptions {
  /** Further command-line arguments. */
  readonly args?: readonly string[];
  /** Settings beside those of the site. */
  readonly env?: Readonly<Record<string, string>>;
  /** Worker processes beside a front end; 1 unless said. */
  readonly workers?: number;
  /** Also with `TEST_REPLICAS` one process: the test is about it alone, or brings replicas of its own. */
  readonly alone?: boolean;
  /** Words before the command line: a program that runs the rest of its arguments. */
  readonly within?: readonly string[];
}

/** A process of ours. */
export interface SiteProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** All that was logged so far, by the process and its workers. */
  readonly log: readonly LogLine[];
  /** Everything on stderr as text. */
  stderr(): string;
  /** Waits for a log line with this message, from now or before. */
  logged(msg: string, limitMs?: number): Promise<LogLine>;
  /** Resolves with `exit 0` or `SIGKILL` once the process has ended. */
  readonly ended: Promise<string>;
  /** Sends a signal (SIGTERM unless said) and waits for the end; says how it ended. */
  stop(signal?: NodeJS.Signals, limitMs?: number): Promise<string>;
}

/** A front end over HTTP. */
export interface HttpServer extends SiteProcess {
  /** Address of the MCP endpoint. */
  readonly url: string;
  readonly port: number;
}

/** A file to which scripted tools append a line about what they did. */
export interface Ledger {
  readonly path: string;
  lines(): Promise<string[]>;
  /** Waits for a line that starts so. */
  line(start: string, limitMs?: number): Promise<string>;
}

/** A gate that a scripted tool waits at. */
export interface FileGate {
  readonly path: string;
  open(): Promise<void>;
}

/** A command ready to be started. */
export interface CommandLine {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** See `openSite`. */
export interface Site {
  readonly dataDir: string;
  /** A folder for anything else; an allowed root of every front end. */
  readonly root: string;
  /** Starts `longhaul http` on a free port; resolves when it listens. */
  http(options?: StartOptions): Promise<HttpServer>;
  /** Starts `longhaul worker`; resolves when one takes jobs, which it says at log level debug. */
  worker(options?: StartOptions): Promise<SiteProcess>;
  /** What a client needs to start a command by itself; such a process ends with the client's own end. */
  commandLine(command: string, options?: StartOptions): CommandLine;
  /** Starts any command; its stdin and stdout are pipes. */
  run(command: string, options?: StartOptions): SiteProcess;
  ledger(name?: string): Ledger;
  gate(name?: string): FileGate;
  /** Stops every process and removes the folders; throws if Redis holds a key that never expires, or one beyond its cap. */
  close(): Promise<void>;
}

/** With `TEST_REPLICAS=3` every HTTP front end of every test is three of them behind a proxy without affinity. */
const REPLICAS = Number(process.env.TEST_REPLICAS ?? '1');
const TOOLS = fileURLToPath(new URL('./test-tools.mjs', import.meta.url));
/** Covers a first start of the private Redis on a slow, busy machine; on stdio it is a part of the first answers. */
export const START_LIMIT_MS = 45_000;
const STOP_LIMIT_MS = 20_000;

/** Opens a site with a private Redis of its own; the scripted tools are loaded into every process. */
export async function openSite(): Promise<Site> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-site-')));
  const dataDir = join(folder, 'data');
  const root = join(folder, 'root');
  await mkdir(root);
  const processes: SiteProcess[] = [];
  const closers: (() => Promise<void>)[] = [];
  let names = 0;
  const fileFor = (kind: string, name?: string) => {
    names += 1;
    return join(folder, `${kind}-${name ?? names}`);
  };

  const commandLine = (command: string, options: StartOptions = {}): CommandLine => {
    const [first = process.execPath, ...before] = [...(options.within ?? []), process.execPath];
    return {
      command: first,
      args: [...before, PROGRAM, command, '--tools', TOOLS, ...(options.args ?? [])],
      env: { ...siteEnvironment(dataDir), ...options.env },
      cwd: root,
    };
  };
  const run = (name: string, options?: StartOptions): SiteProcess => {
    const { command, args, env, cwd } = commandLine(name, options);
    const started = follow(spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] }), name);
    processes.push(started);
    return started;
  };
  const http = async ({ workers = 1, args = [], ...rest }: StartOptions): Promise<HttpServer> => {
    const flags = ['--port', '0', '--workers', String(workers), '--root', root];
    const started = run('http', { ...rest, args: [...flags, ...args] });
    const { endpoint } = await started.logged('listening', START_LIMIT_MS);
    const url = String(endpoint);
    return { ...started, url, port: Number(new URL(url).port) };
  };
  return {
    dataDir,
    root,
    commandLine,
    run,
    http: (options = {}) => (REPLICAS > 1 && !options.alone ? replicated(http, options, closers) : http(options)),
    async worker({ workers = 1, args = [], ...rest } = {}) {
      const started = run('worker', { ...rest, args: ['--workers', String(workers), ...args] });
      await started.logged('taking jobs', START_LIMIT_MS);
      return started;
    },
    ledger: (name) => ledgerAt(fileFor('ledger', name)),
    gate(name) {
      const path = fileFor('gate', name);
      return { path, open: () => writeFile(path, '') };
    },
    async close() {
      const socket = join(dataDir, 'redis.sock');
      const leaks = await leaksBehind(socket);
      await Promise.all([...processes.map((one) => end(one)), ...closers.map((close) => close())]);
      await until(
        () => existsSync(socket),
        (there) => !there,
        { what: 'the end of the private Redis' },
      );
      // A Redis on its way out may still make a file in a folder that is being removed.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      if (leaks) throw leaks;
    },
  };
}

/** Front ends behind one proxy, seen as one server: its signals reach all of them, and its log is that of all. */
async function replicated(
  http: (options: StartOptions) => Promise<HttpServer>,
  options: StartOptions,
  closers: (() => Promise<void>)[],
): Promise<HttpServer> {
  // Only the first brings workers, as many as the test asked for.
  const first = await http(options);
  const others = await Promise.all(Array.from({ length: REPLICAS - 1 }, () => http({ ...options, workers: 0 })));
  const all = [first, ...others];
  const proxy = await startRoundRobin(all.map(({ port }) => port));
  closers.push(proxy.close);
  return {
    ...first,
    get log() {
      return all.flatMap(({ log }) => log);
    },
    stderr: () => all.map((one) => one.stderr()).join('\n'),
    logged: (msg, limitMs) => Promise.any(all.map((one) => one.logged(msg, limitMs))),
    async stop(signal, limitMs) {
      const [how = ''] = await Promise.all(all.map((one) => one.stop(signal, limitMs)));
      await proxy.close();
      return how;
    },
    url: first.url.replace(`:${first.port}`, `:${proxy.port}`),
    port: proxy.port,
  };
}

/** The environment without any setting of the person who runs the tests. */
function siteEnvironment(dataDir: string): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name.startsWith('LONGHAUL_') ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(inherited),
    LONGHAUL_DATA_DIR: dataDir,
    LONGHAUL_CACHE_DIR: testCacheDir(),
    LONGHAUL_LOG_LEVEL: 'debug',
    LONGHAUL_GRACE_SECONDS: '2',
  };
}

function follow(child: ChildProcess, command: string): SiteProcess {
  const log: LogLine[] = [];
  let text = '';
  let partial = '';
  let wake: () => void = () => undefined;
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const lines = (partial + chunk).split('\n');
    partial = lines.pop() ?? '';
    log.push(...lines.flatMap(parseLine));
    wake();
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  const find = async (msg: string): Promise<LogLine> => {
    for (;;) {
      const found = log.find((line) => line.msg === msg);
      if (found) return found;
      const heard = new Promise<void>((resolve) => {
        wake = chain(wake, resolve);
      });
      const how = await Promise.race([heard, ended]);
      if (how !== undefined) throw new Error(`longhaul ${command} ended (${how}) before it logged ${msg}: ${text}`);
    }
  };
  return {
    pid: child.pid ?? 0,
    child,
    log,
    ended,
    stderr: () => text,
    logged: (msg, limitMs) =>
      within(find(msg), {
        what: `the log line ${msg} of longhaul ${command}`,
        seen: () => text.slice(-2_000),
        ...(limitMs && { limitMs }),
      }),
    stop(signal = 'SIGTERM', limitMs = STOP_LIMIT_MS) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return within(ended, {
        what: `longhaul ${command} to end after ${signal}`,
        limitMs,
        seen: () => text.slice(-2_000),
      });
    },
  };
}

function chain(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

/** Not every line is ours: Node and dependencies may write to stderr as well. */
function parseLine(line: string): LogLine[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'msg' in value ? [value as LogLine] : [];
  } catch {
    return [];
  }
}

async function end(one: SiteProcess): Promise<void> {
  one.child.stdin?.end();
  if (one.child.exitCode === null && one.child.signalCode === null) one.child.kill('SIGTERM');
  if (await settlesWithin(one.ended, STOP_LIMIT_MS)) return;
  one.child.kill('SIGKILL');
  await one.ended;
}

function ledgerAt(path: string): Ledger {
  const lines = async () => (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return {
    path,
    lines,
    async line(start, limitMs = PATIENCE_MS) {
      const seen = await until(lines, (all) => all.some((line) => line.startsWith(start)), {
        what: `a line "${start}" in the ledger`,
        limitMs,
      });
      return seen.find((line) => line.startsWith(start)) ?? '';
    },
  };
}
