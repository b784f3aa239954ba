/** Any `redis-server` process on a port of this machine, configured as a test wants it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { findRedis } from '../../src/embedded/find-redis.js';
import { libraryEnv } from '../../src/embedded/inspect-binary.js';
import { freePort } from './free-port.js';
import { testCacheDir } from './redis.js';

/** Settings by name; several values make several lines. */
export type ServerSettings = Readonly<Record<string, string | readonly string[]>>;

/** A running server. */
export interface RedisServer {
  readonly port: number;
  readonly host: string;
  /** Its working folder. */
  readonly dir: string;
  readonly pid: number;
  /** A client of the test's own; ended with the server. */
  client(options?: Omit<RedisOptions, 'replyMapping'>): Redis;
  /** Sends a signal (SIGKILL unless said); resolves at once for SIGSTOP and SIGCONT, else at the end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, on the same port and data, if need be with other settings; resolves when it takes connections. */
  restart(settings?: ServerSettings, options?: Pick<ServerOptions, 'loading'>): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** How a server is started beside its settings. */
export interface ServerOptions {
  readonly sentinel?: boolean;
  /** The program; the one of the distribution unless said. */
  readonly binary?: { readonly path: string; readonly libraryPath?: string | undefined };
  /** Speak TLS only, and ask clients for a certificate of the same authority; paths of PEM files. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
  /** Resolve as soon as the process listens, while it may be loading. */
  readonly loading?: boolean;
}

/** Starts a server; resolves when it takes connections. */
export async function redisServer(settings: ServerSettings = {}, options: ServerOptions = {}): Promise<RedisServer> {
  const pathFolders = (process.env.PATH ?? '').split(delimiter);
  const binary = options.binary ?? (await findRedis({ pathFolders, cacheDir: testCacheDir() }));
  const dir = await mkdtemp(join(tmpdir(), 'longhaul-server-'));
  const port = await freePort();
  const file = join(dir, 'server.conf');
  const clients: Redis[] = [];
  const start = async (changed: ServerSettings, now: ServerOptions = options) => {
    const all = {
      ...portSettings(port, options),
      bind: '127.0.0.1',
      dir,
      ...(!options.sentinel && { save: '""' }),
      ...changed,
    };
    await writeFile(file, configText(all));
    const child = spawn(binary.path, [file, ...(options.sentinel ? ['--sentinel'] : [])], {
      env: libraryEnv(binary.libraryPath),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await listening(child, now);
    return child;
  };
  let child = await start(settings);
  let current = settings;
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await once(child, 'exit');
  };
  return {
    port,
    host: `127.0.0.1:${port}`,
    dir,
    get pid() {
      return child.pid ?? 0;
    },
    client(more = {}) {
      const client = new Redis({ host: '127.0.0.1', port, ...more });
      client.on('error', () => undefined);
      clients.push(client);
      return client;
    },
    kill,
    async restart(changed = current, now = {}) {
      await kill();
      current = changed;
      child = await start(changed, { ...options, ...now });
    },
    async stop() {
      for (const client of clients) client.disconnect();
      await kill();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function portSettings(port: number, { tls }: ServerOptions): ServerSettings {
  if (!tls) return { port: String(port) };
  const files = { 'tls-ca-cert-file': tls.ca, 'tls-cert-file': tls.cert, 'tls-key-file': tls.key };
  return { port: '0', 'tls-port': String(port), 'tls-cluster': 'yes', ...files };
}

function configText(settings: ServerSettings): string {
  const lines = Object.entries(settings).flatMap(([name, value]) => [value].flat().map((one) => `${name} ${one}\n`));
  return lines.join('');
}

async function listening(child: ChildProcess, { sentinel, loading }: ServerOptions): Promise<void> {
  const ready = sentinel ? /Sentinel ID is/ : loading ? /Server initialized/ : /Ready to accept connections/;
  let said = '';
  const reader = child.stdout;
  if (!reader) throw new Error('the server has no standard output');
  await new Promise<void>((resolve, reject) => {
    reader.on('data', (chunk: Buffer) => {
      // Goes on reading for good, so that the server never waits for somebody to read its log.
      said = (said + chunk).slice(-20_000);
      if (ready.test(said)) resolve();
    });
    reader.once('end', () => reject(new Error(`Redis ended before it was ready: ${said}`)));
  });
}
