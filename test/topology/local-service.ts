/** Runs one service of the compose file as a process of this host: the same command, with paths, names and ports of here. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ComposeService, durationMs, interpolated } from './compose-file.js';

/** What stands here for what is meant in the containers. */
export interface Stage {
  readonly root: string;
  /** Holds all volumes and the home of every process. */
  readonly folder: string;
  /** What `${NAME}` in the file stands for. */
  readonly variables: Readonly<Record<string, string>>;
  /** By service and container port, the port of here. */
  readonly ports: ReadonlyMap<string, number>;
  /** The programs by the names that images give them. */
  readonly programs: Readonly<Record<string, string>>;
  readonly libraryPath: string | undefined;
  /** `ENTRYPOINT` and the command of `HEALTHCHECK` of the image that is built here. */
  readonly entrypoint: readonly string[];
  readonly imageHealth: readonly string[];
}

/** A command line with its environment, ready to be run. */
export interface LocalCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A process that runs one replica of a service. */
export interface LocalProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** The last that it said on stderr. */
  said(): string;
}

const SAID_CHARACTERS = 4_000;
const LOOK_MS = 250;

/** The command line of a service, its own health check, or its image's. */
export function localCommand(
  stage: Stage,
  name: string,
  service: ComposeService,
  command?: readonly string[],
): LocalCommand {
  const own = service.build === undefined ? [] : (service.entrypoint ?? stage.entrypoint);
  const here = translator(stage, name, service);
  const [program = '', ...args] = command ?? [...own, ...service.command];
  const env = Object.fromEntries(Object.entries(service.environment).map(([key, value]) => [key, here(value)]));
  const first = stage.programs[program] ?? here(program);
  return {
    argv: [first, ...args.map((arg) => stage.programs[arg] ?? here(arg))],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: join(stage.folder, 'home'),
      TMPDIR: join(stage.folder, 'home'),
      ...(stage.libraryPath !== undefined && { LD_LIBRARY_PATH: stage.libraryPath }),
      ...env,
    },
  };
}

/** Starts a replica in the folder of its first volume, as an image's working directory. */
export function startLocal(name: string, { argv, env }: LocalCommand, cwd: string): LocalProcess {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = `${text}${chunk}`.slice(-SAID_CHARACTERS);
  });
  child.once('error', (error) => {
    text += String(error);
  });
  return { name, child, said: () => text };
}

/** Runs a command to its end and gives its exit code with what it wrote. */
export async function runLocal({ argv, env }: LocalCommand, cwd: string) {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const out: string[] = [];
  const err: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => out.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => err.push(chunk));
  const [code] = await once(child, 'close');
  return { code: Number(code ?? 1), stdout: out.join(''), stderr: err.join('') };
}

/** Waits until a service is what another waits for: ended well, or healthy by its own check. Throws with what it said. */
export async function untilReady(stage: Stage, running: LocalProcess, service: ComposeService): Promise<void> {
  const { name, child, said } = running;
  if (service.restart === 'no') {
    if (child.exitCode === null) await once(child, 'exit');
    if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode}: ${said()}`);
    return;
  }
  const check = service.healthcheck && 'test' in service.healthcheck ? service.healthcheck : undefined;
  const startMs =
    durationMs(check?.start_period ?? '20s') + durationMs(check?.interval ?? '30s') * (check?.retries ?? 3);
  const giveUpAtMs = Date.now() + startMs;
  while (!(await isHealthy(stage, name, service))) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said()}`);
    if (Date.now() > giveUpAtMs) throw new Error(`${name} was not healthy within ${startMs} ms: ${said()}`);
    await delay(LOOK_MS);
  }
}

async function isHealthy(stage: Stage, name: string, service: ComposeService): Promise<boolean> {
  const test = service.healthcheck && 'test' in service.healthcheck ? service.healthcheck.test : undefined;
  // `redis-cli` is not where only the server was fetched; this says the same to the same port.
  if (test?.join(' ').includes('redis-cli ping')) return pings(stage.ports.get(`${name}:6379`) ?? 0);
  const command = localCommand(stage, name, service, test ? test.slice(1) : stage.imageHealth);
  return (await runLocal(command, stage.root)).code === 0;
}

function pings(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('data', (data) => {
      resolve(data.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
  });
}

/** Puts the places of here in place of those in the containers. */
function translator(stage: Stage, name: string, service: ComposeService): (text: string) => string {
  const mounts = service.volumes.map((volume) => mountOf(stage, volume));
  const ports = [...stage.ports];
  const own = ports
    .filter(([at]) => at.startsWith(`${name}:`))
    .map(([at, port]) => [at.split(':')[1] ?? '', port] as const);
  return (text) => {
    const whole = own.find(([inside]) => inside === text);
    if (whole) return String(whole[1]);
    const filled = interpolated(text, stage.variables).replaceAll('0.0.0.0', '127.0.0.1');
    const named = ports.reduce((so, [at, port]) => so.replaceAll(at, `127.0.0.1:${port}`), filled);
    const local = own.reduce(
      (so, [inside, port]) => so.replaceAll(`127.0.0.1:${inside}/`, `127.0.0.1:${port}/`),
      named,
    );
    return mounts.reduce(
      (so, [inside, outside]) => (so.startsWith(inside) ? outside + so.slice(inside.length) : so),
      local,
    );
  };
}

/** Where in the container, and where here: a folder of the repository, or of this run for a named volume. */
export function mountOf(
  { root, folder, variables }: Stage,
  volume: string,
): readonly [inside: string, outside: string] {
  const [source = '', inside = ''] = interpolated(volume, variables).split(':');
  if (source.startsWith('/')) return [inside, source];
  return [inside, source.startsWith('.') ? join(root, source) : join(folder, source)];
}
