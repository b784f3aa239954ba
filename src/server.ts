/** Composes what a person starts: the front ends over stdio and HTTP, and a set of workers on their own. */
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createCaretaker } from './caretaker.js';
import type { Config, RawSettings } from './config.js';
import type { Service } from './core/lifecycle.js';
import type { Tracer } from './core/tracing.js';
import { httpLogin, refuseOpenAddress, workerEnvironment } from './http-access.js';
import { productIdentity } from './identity.js';
import { createLazyBackend, type LazyBackend } from './lazy-backend.js';
import type { Logger } from './logger.js';
import type { FolderPolicy, FrontEnd } from './mcp/front-end.js';
import { FRONT_END_TOOLS } from './mcp/front-end-tools.js';
import { serveOverStdio } from './mcp/stdio.js';
import { countingLag, meterOf, metricsRoute } from './metering.js';
import type { Meter } from './metrics/meter.js';
import { opsServices } from './ops-server.js';
import { runService } from './run.js';
import { createStaffing, type Staffing } from './staffing.js';
import { createSupervisor } from './supervisor.js';
import { loadToolFiles, toolTable } from './tool-files.js';
import { BUILT_IN_CONTRACTS } from './tools/built-in.js';
import { openTracer, TRACES_LIMIT_MS } from './tracing.js';
import { createNotifier } from './webhook/notifier.js';
import { newWorkerId } from './worker-child.js';

/** What every composition is made from. `env` is handed to worker processes, so it must hold the settings of `config`. */
export interface Composition {
  readonly config: Config;
  readonly logger: Logger;
  readonly env: RawSettings;
}

/** Where the HTTP front end listens. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
}

/** Each costs memory as long as it lives, and a client that forgets its own is only noticed when it lies idle. */
const SESSION_LIMIT = 10_000;

const WORKER_ENTRY = fileURLToPath(new URL('../workers/main.js', import.meta.url));

/** Serves one client over stdin and stdout until it is gone; resolves when all is stopped and nothing is left running. */
export async function runStdio(composition: Composition): Promise<void> {
  const { config, logger, env } = composition;
  const tracer = await openTracer(env, logger);
  const queue = createLazyBackend(config, logger, tracer);
  const meter = meterOf(queue.getIfOpen, 'front_end');
  const { backend, staffing, workers } = supervise(composition, queue, meter);
  const frontEnd = await createFrontEnd(composition, { backend, staffing, meter, tracer, clientRoots: 'join' });
  const stdio = serveOverStdio(frontEnd, { input: process.stdin, output: process.stdout });
  const connection: Service = {
    name: 'stdio',
    start: () => Promise.resolve(),
    quiet: () => Promise.resolve(),
    stop: (deadlineMs) => stdio.close(deadlineMs),
  };
  const service = together('stdio front end', [tracing(tracer), backend, meter, ...workers, connection]);
  // Whoever closes stdin waits for the end: running jobs go back to the queue at once and go on at the next start.
  await runService(service, { logger, graceMs: config.graceMs, ended: stdio.ended.then(() => 0) });
}

/** Serves the HTTP endpoint until a signal. */
export async function runHttp(composition: Composition, listen: ListenOptions): Promise<void> {
  const { config, logger, env } = composition;
  const { login, watch } = await httpLogin(config, logger);
  refuseOpenAddress(listen.host, login, config);
  const tracer = await openTracer(env, logger);
  const queue = createLazyBackend(config, logger, tracer);
  const meter = meterOf(queue.getIfOpen, 'front_end', () => http.load());
  const { backend, staffing, workers } = supervise(composition, queue, meter);
  const clientRoots = login.required ? 'ignore' : 'join';
  const frontEnd = await createFrontEnd(composition, { backend, staffing, meter, tracer, clientRoots });
  const { maxBodyBytes, sessionIdleMs, sessionJobs, allowedHosts, allowedOrigins } = config;
  await warnOfMissingRoots(config.roots, logger);
  // Over stdio none of it is needed.
  const { createHttpService } = await import('./mcp/http.js');
  const http = createHttpService(frontEnd, {
    ...listen,
    login,
    maxBodyBytes,
    sessionIdleMs,
    sessionJobs,
    sessionLimit: SESSION_LIMIT,
    allowedHosts,
    allowedOrigins,
  });
  const announced: Service = {
    ...http,
    async start() {
      await http.start();
      logger.info({ endpoint: http.url() }, 'listening');
    },
  };
  const routes = [metricsRoute(backend.getIfOpen, frontEnd.tools.values())];
  const ops = await opsServices({ config, logger, backend, routes, dashboard: true });
  const service = together('http front end', [
    tracing(tracer),
    backend,
    meter,
    ...ops,
    ...watch,
    ...workers,
    announced,
  ]);
  await runService(service, { logger, graceMs: config.graceMs });
}

/** Runs workers without a front end until a signal. */
export async function runWorkers(composition: Composition): Promise<void> {
  const { config, logger } = composition;
  const own = await loadToolFiles(config.toolFiles);
  const queue = createLazyBackend(config, logger);
  const meter = meterOf(queue.getIfOpen, 'supervisor');
  const { backend, workers } = supervise(composition, queue, meter);
  const tools = [...BUILT_IN_CONTRACTS, ...own.map(({ contract }) => contract)];
  const ops = await opsServices({ config, logger, backend, routes: [metricsRoute(backend.getIfOpen, tools)] });
  const service = together('workers', [backend, meter, ...ops, ...workers]);
  await runService(service, { logger, graceMs: config.graceMs });
}

/** The workers of a process, and what others know of them. */
interface Staffed {
  /** The queue, whose readiness is that of its workers as well. */
  readonly backend: LazyBackend;
  readonly staffing: Staffing;
  readonly workers: readonly Service[];
}

/** Keeps the workers of this process alive, and looks after those of others. */
function supervise({ config, logger, env }: Composition, backend: LazyBackend, meter: Meter): Staffed {
  const { workers: count, workerSilenceMs: silenceMs } = config;
  const supervisor = createSupervisor({
    entry: WORKER_ENTRY,
    count,
    env: workerEnvironment(env),
    logger,
    meter,
    backend: () => backend.get(),
  });
  const finder = newWorkerId();
  const caretaker = createCaretaker({ logger, finder, silenceMs, meter, backend: () => backend.getIfOpen() });
  const staffing = createStaffing(supervisor, backend);
  const staffed = { ...backend, readiness: staffing.readiness };
  return { backend: staffed, staffing, workers: [supervisor, caretaker, ...notifiers(config, logger, backend)] };
}

/** Whoever knows the webhook delivers, be it a front end or a supervisor of workers. */
function notifiers({ webhook }: Config, log: Logger, backend: LazyBackend): Service[] {
  if (!webhook) return [];
  const { name, version } = productIdentity();
  const outbox = async () => (await backend.getIfOpen()).outbox;
  return [createNotifier({ webhook, outbox, log, agent: `${name}/${version}` })];
}

/** A folder may appear later, so this is no reason not to start; but a mistyped one should not show only in failed calls. */
async function warnOfMissingRoots(roots: readonly string[], logger: Logger): Promise<void> {
  for (const root of roots) {
    const isFolder = await stat(root).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) logger.warn({ root }, 'an allowed folder is not there; check --root');
  }
}

interface FrontEndParts extends Pick<Staffed, 'backend' | 'staffing'> {
  readonly meter: Meter;
  readonly tracer: Tracer;
  /** What becomes of the roots of clients unless the operator says: those of others on this machine may not be theirs. */
  readonly clientRoots: FolderPolicy['clientRoots'];
}

async function createFrontEnd({ config, logger }: Composition, parts: FrontEndParts): Promise<FrontEnd> {
  const { backend, staffing, meter, tracer, clientRoots } = parts;
  const own = await loadToolFiles(config.toolFiles);
  const jobTools = [...BUILT_IN_CONTRACTS.map((contract) => ({ contract })), ...own];
  toolTable([...FRONT_END_TOOLS.values(), ...jobTools]);
  return {
    ...productIdentity(),
    jobs: async () => countingLag((await backend.get()).jobs, meter),
    readiness: () => backend.readiness(),
    unstaffed: async () => {
      const complaint = await staffing.complaint();
      return complaint?.status === 'fail' ? complaint.seen : undefined;
    },
    secret: async () => (await backend.get()).secret(),
    sessions: async () => (await backend.get()).sessions,
    tools: new Map(jobTools.map(({ contract }) => [contract.name, contract])),
    folders: { roots: config.roots, clientRoots: config.clientRoots === 'auto' ? clientRoots : config.clientRoots },
    clientQuestions: config.clientQuestions,
    keepAliveMs: config.keepAliveMs,
    log: logger,
    tracer,
  };
}

/** Sends, once all else has stopped, what is left of the spans. */
function tracing(tracer: Tracer): Service {
  return {
    name: 'tracing',
    start: () => Promise.resolve(),
    quiet: () => Promise.resolve(),
    stop: () => tracer.close(TRACES_LIMIT_MS),
  };
}

/** Services started in order and stopped in reverse, the later ones standing on the earlier. */
function together(name: string, services: readonly Service[]): Service {
  const reversed = [...services].reverse();
  return {
    name,
    async start() {
      for (const service of services) await service.start();
    },
    async quiet() {
      for (const service of reversed) await service.quiet();
    },
    async stop(deadlineMs) {
      const endsAtMs = Date.now() + deadlineMs;
      for (const service of reversed) await service.stop(Math.max(0, endsAtMs - Date.now()));
    },
  };
}
