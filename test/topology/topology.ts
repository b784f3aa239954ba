/** Runs the services of docker-compose.yml without Docker, puts a scan through them, and leaves nothing running. */
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findRedis } from '../../src/embedded/find-redis.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/gate.js';
import { killAllOf, processesOf } from '../support/processes.js';
import { PROGRAM } from '../support/program.js';
import { testCacheDir } from '../support/redis.js';
import { type ComposeService, durationMs, instructionOf, optionOf, readCompose } from './compose-file.js';
import {
  type LocalProcess,
  localCommand,
  mountOf,
  runLocal,
  type Stage,
  startLocal,
  untilReady,
} from './local-service.js';

/** One thing that was looked at. */
export interface Check {
  readonly what: string;
  readonly ok: boolean;
  readonly seen: string;
}

/** How to run it. */
export interface TopologyOptions {
  /** The repository. */
  readonly root: string;
  /** The folder that stands for the workspace. */
  readonly workspace: string;
  say(line: string): void;
}

type Services = Readonly<Record<string, ComposeService>>;

/** Runs all of it; what goes wrong is a check that failed. */
export async function runTopology({ root, workspace, say }: TopologyOptions): Promise<readonly Check[]> {
  const { services: all } = readCompose(await readFile(join(root, 'docker-compose.yml'), 'utf8'));
  const services = Object.fromEntries(Object.entries(all).filter(([, { profiles }]) => profiles.length === 0));
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-topology-')));
  const checks: Check[] = [];
  const note = (what: string, ok: boolean, seen: string) => {
    checks.push({ what, ok, seen });
    say(`${ok ? 'ok  ' : 'FAIL'}  ${what}: ${seen}`);
  };
  const running: LocalProcess[] = [];
  try {
    const stage = await stageOf({ root, workspace, folder, services });
    for (const name of inOrder(services)) {
      const started = await startService(stage, [name, services[name] ?? fail(name)], running);
      note(`service ${name}`, true, `${started.length} ${started.length === 1 ? 'process' : 'processes'}, ready`);
    }
    await exercise(stage, services, note);
  } catch (error) {
    note('run', false, error instanceof Error ? error.message : String(error));
  } finally {
    await stopAll(running, services, note);
    const left = await processesOf(folder);
    note('end', left.length === 0, left.length === 0 ? 'nothing is left running' : JSON.stringify(left));
    await killAllOf(folder);
    await rm(folder, { recursive: true, force: true });
  }
  return checks;
}

type Note = (what: string, ok: boolean, seen: string) => void;

async function stageOf(of: Pick<Stage, 'root' | 'folder'> & { workspace: string; services: Services }): Promise<Stage> {
  const { root, folder, workspace, services } = of;
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8');
  const binary = await findRedis({ pathFolders: (process.env.PATH ?? '').split(delimiter), cacheDir: testCacheDir() });
  const inside = Object.entries(services).flatMap(([name, { ports, command }]) =>
    [...ports.map((port) => port.split(':').at(-1)), optionOf(command, '--ops-port')].flatMap((port) =>
      port === undefined ? [] : [`${name}:${port}`],
    ),
  );
  const ports = new Map<string, number>();
  for (const at of ['redis:6379', ...inside]) ports.set(at, await freePort());
  const entrypoint = instructionOf(dockerfile, 'ENTRYPOINT');
  await mkdir(join(folder, 'home'));
  return {
    root,
    folder,
    variables: { WORKSPACE: workspace },
    ports,
    programs: { node: process.execPath, 'redis-server': binary.path, [entrypoint[1] ?? '']: PROGRAM },
    libraryPath: binary.libraryPath,
    entrypoint,
    imageHealth: instructionOf(dockerfile, 'HEALTHCHECK'),
  };
}

/** Starts the replicas of a service and waits until they are ready; they are added to `all` before that, to be stopped. */
async function startService(
  stage: Stage,
  [name, service]: readonly [string, ComposeService],
  all: LocalProcess[],
): Promise<LocalProcess[]> {
  for (const volume of service.volumes) await mkdir(mountOf(stage, volume)[1], { recursive: true });
  const [first] = service.volumes;
  const cwd = first === undefined ? stage.folder : mountOf(stage, first)[1];
  // The port of Redis is its default, hence nowhere in the file.
  const port = name === 'redis' ? ['--port', String(stage.ports.get('redis:6379')), '--bind', '127.0.0.1'] : [];
  const replicas = Array.from({ length: service.deploy?.replicas ?? 1 }, (_, at) => at + 1);
  const started = await Promise.all(
    replicas.map(async (replica) => {
      const place = replica === 1 ? stage : await withOwnPorts(stage, name);
      const command = localCommand(place, name, service);
      const running = startLocal(`${name} ${replica}`, { ...command, argv: [...command.argv, ...port] }, cwd);
      all.push(running);
      await untilReady(place, { ...running, name }, service);
      return running;
    }),
  );
  return started;
}

/** Containers of one service have each their own ports; here they need others. */
async function withOwnPorts(stage: Stage, name: string): Promise<Stage> {
  const ports = new Map(stage.ports);
  for (const at of ports.keys()) if (at.startsWith(`${name}:`)) ports.set(at, await freePort());
  return { ...stage, ports };
}

async function exercise(stage: Stage, services: Services, note: Note): Promise<void> {
  const frontend = services.frontend ?? fail('frontend');
  const worker = services.worker ?? fail('worker');
  const workers = worker.deploy?.replicas ?? 1;
  const cli = (...args: string[]) =>
    runLocal(localCommand(stage, 'worker', worker, [...stage.entrypoint, ...args]), stage.root);
  const url = (port: string) => `http://127.0.0.1:${stage.ports.get(`frontend:${port}`)}`;

  // A look at Redis has a second, which a busy machine may not give it.
  const ask = () => fetch(`${url('3000')}/readyz`);
  const ready = await until(ask, ({ ok }) => ok, { what: 'the front end to be ready' }).catch(ask);
  note('/readyz', ready.ok, `${ready.status} ${(await ready.text()).trim()}`);
  const scan = await cli('call', 'analyze_codebase', '--url', `${url('3000')}/mcp`, '--json', '--args', '{"path":"."}');
  const files = scan.code === 0 ? Number(JSON.parse(scan.stdout).files_scanned) : 0;
  note('scan', files > 0, scan.code === 0 ? `${files} files through queue and worker` : scan.stderr.trim());

  const token = await readFile(join(mountOf(stage, frontend.volumes[1] ?? '')[1], 'ops-token'), 'utf8');
  // As Prometheus asks, which comes by the name of the service.
  const scrape = (headers: Record<string, string>) =>
    get(`${url('9100')}/metrics`, { host: 'frontend:9100', ...headers });
  const without = await scrape({});
  note('/metrics without the token', [401, 403].includes(without.status), String(without.status));
  const scrapeAll = () => scrape({ authorization: `Bearer ${token}` });
  const workersIn = ({ body }: { body: string }) =>
    /^longhaul_workers\{queue="analysis"\} (\d+)$/m.exec(body)?.[1] ?? 'none';
  const all = { what: 'a look at all' };
  const scraped = await until(scrapeAll, (now) => Number(workersIn(now)) === workers, all).catch(scrapeAll);
  const seen = workersIn(scraped);
  note('/metrics with it', Number(seen) === workers, `${scraped.status}, ${seen} of ${workers} workers`);

  const statusNow = () => cli('status', '--json');
  const status = await until(statusNow, ({ code }) => code === 0, all).catch(statusNow);
  const told = JSON.parse(status.stdout);
  const words = `healthy ${told.healthy}, ${told.workers?.length} workers, ${told.last_hour?.completed} jobs completed`;
  note('longhaul status', status.code === 0 && told.workers.length === workers, words);
}

/** `fetch` sets the Host itself. */
async function get(url: string, headers: Readonly<Record<string, string>>) {
  const sent = request(url, { headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: await text(response) };
}

/** In reverse, each within its own grace. */
async function stopAll(running: readonly LocalProcess[], services: Services, note: Note): Promise<void> {
  for (const { name, child, said } of [...running].reverse()) {
    if (child.exitCode !== null) continue;
    const graceMs = durationMs(services[name.split(' ')[0] ?? '']?.stop_grace_period ?? '10s');
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    child.kill('SIGTERM');
    const [code, signal] = await once(child, 'exit');
    clearTimeout(timer);
    if (code !== 0) note(`stop of ${name}`, false, `it ended with ${code ?? signal}: ${said()}`);
  }
}

/** Each after those it depends on. */
function inOrder(services: Services): string[] {
  const ordered: string[] = [];
  const add = (name: string) => {
    if (ordered.includes(name)) return;
    for (const before of Object.keys(services[name]?.depends_on ?? {})) add(before);
    ordered.push(name);
  };
  for (const name of Object.keys(services)) add(name);
  return ordered;
}

function fail(what: string): never {
  throw new Error(`there is no ${what}`);
}
