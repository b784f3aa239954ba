/**
 * How long a job stands still when what runs it dies or stops: each time a running job, its worker, and another machine that is
 * idle, with the timings that users have. `node bench/recovery.mjs [times]`; the last two cases alone take a minute and a half.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leaseRedis, openBackend } from '../dist/src/backend.js';
import { createLogger } from '../dist/src/logger.js';
import tools from './held-tool.mjs';
import { freshSettings, printMachine, printTable, quantile } from './measure.mjs';

const TIMES = Number(process.argv[2] ?? 3);
const OUTAGE_MS = 30_000;
const BLOCK_MS = 60_000;
const LIMIT_MS = 90_000;
const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const [held, blocking] = tools.map(({ contract }) => contract);
const folder = mkdtempSync(join(tmpdir(), 'longhaul-recovery-'));
let names = 0;

async function until(look, holds, what) {
  const giveUpAtMs = Date.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > giveUpAtMs) throw new Error(`waited in vain for ${what}; seen: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The starts of a job so far: which process, and when. */
function startsOf(ledger) {
  const lines = readFileSync(ledger, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => line.split(' ').map(Number)).map(([pid, atMs]) => ({ pid, atMs }));
}

/** A supervisor with one worker; resolves when that takes jobs. */
async function startMachine(env, workers = 1) {
  const child = spawn(process.execPath, [path('../bundle/src/main.js'), 'worker', '--workers', String(workers)], {
    env: { ...env, LONGHAUL_TOOLS: path('held-tool.mjs'), LONGHAUL_LOG_LEVEL: 'debug', LONGHAUL_GRACE_SECONDS: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve, reject) => {
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-100_000);
      if (log.includes(workers > 0 ? 'taking jobs' : 'redis is up')) resolve();
    });
    gone.then(() => reject(new Error(`a worker ended before it took jobs: ${log}`)));
  });
  return {
    pid: child.pid,
    stop() {
      child.kill('SIGTERM');
      return gone;
    },
  };
}

async function submit({ jobs }, contract, args) {
  const ledger = join(folder, `ledger-${names++}`);
  writeFileSync(ledger, '');
  const request = { principal: 'bench', args: { ...args, ledger }, allowedFolders: [] };
  const { id } = await jobs.submit(contract, request);
  const [{ pid }] = await until(
    () => startsOf(ledger),
    (starts) => starts.length === 1,
    'the job to start',
  );
  return { id, ledger, pid };
}

/** A running job that is held until it is told to end. */
async function hold(backend) {
  const gate = join(folder, `gate-${names++}`);
  const job = await submit(backend, held, { gate });
  return { ...job, end: () => finish(backend, job, () => writeFileSync(gate, '')) };
}

async function finish({ jobs }, { id, ledger }, open) {
  open();
  const look = async () => (await jobs.inspect(id, undefined)).record;
  const record = await until(look, ({ state }) => state === 'completed', 'the job to complete');
  return { starts: startsOf(ledger).length, crashes: record.crashes };
}

/** From `act` on the job of a first machine to its next start, with or without another machine that has nothing to do. */
async function standstill(backend, { env, isAlone, act }) {
  const first = await startMachine(env);
  const job = await hold(backend);
  const other = isAlone ? undefined : await startMachine(env);
  const atMs = Date.now();
  const undo = act(job.pid, first.pid);
  const [, next] = await until(
    () => startsOf(job.ledger),
    (starts) => starts.length > 1,
    'the job to start again',
  );
  undo();
  const end = await job.end();
  await Promise.all([first.stop(), other?.stop()]);
  return { ms: next.atMs - atMs, ...end };
}

const kill = (pid, signal = 'SIGKILL') => process.kill(pid, signal);

function killWorker(worker) {
  kill(worker);
  return () => undefined;
}

const DEATHS = {
  'worker SIGKILLed, its supervisor starts another': {
    isAlone: true,
    act: killWorker,
  },
  'worker SIGKILLed, another is idle': { act: killWorker },
  'machine dead: worker and supervisor SIGKILLed': {
    act(worker, supervisor) {
      kill(supervisor);
      return killWorker(worker);
    },
  },
  'worker SIGSTOPped, wakes when another has its job': {
    act(worker) {
      kill(worker, 'SIGSTOP');
      return () => kill(worker, 'SIGCONT');
    },
  },
};

function redisPid(dataDir) {
  const socket = join(dataDir, 'redis.sock');
  const commandOf = (pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  };
  return Number(
    readdirSync('/proc').find((pid) => /(redis|valkey)-server/.test(commandOf(pid)) && commandOf(pid).includes(socket)),
  );
}

/** From the death of Redis to the end of a job that could end at once. */
async function redisDeath(backend, { env, dataDir }) {
  const machine = await startMachine(env);
  const job = await hold(backend);
  const atMs = Date.now();
  kill(redisPid(dataDir));
  const end = await job.end();
  const tookMs = Date.now() - atMs;
  await machine.stop();
  return { ms: tookMs, ...end };
}

/** Whether a job beside an idle worker is run once all the same. */
async function outage(backend, { env, dataDir }) {
  const machines = [await startMachine(env), await startMachine(env)];
  const job = await hold(backend);
  const pid = redisPid(dataDir);
  kill(pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
  kill(pid, 'SIGCONT');
  const atMs = Date.now();
  const end = await job.end();
  const tookMs = Date.now() - atMs;
  await Promise.all(machines.map(({ stop }) => stop()));
  return { ms: tookMs, ...end };
}

/** As `outage`, of a worker that does not let go of its event loop. */
async function blocked(backend, { env }) {
  const first = await startMachine(env);
  const job = await submit(backend, blocking, { ms: BLOCK_MS });
  const other = await startMachine(env);
  const atMs = Date.now();
  const end = await finish(backend, job, () => undefined);
  const tookMs = Date.now() - atMs;
  await Promise.all([first.stop(), other.stop()]);
  return { ms: tookMs, ...end };
}

async function repeat(times, measure) {
  const seen = [];
  for (let count = 0; count < times; count++) seen.push(await measure());
  return seen;
}

const seconds = (value) => `${(value / 1_000).toFixed(value < 10_000 ? 2 : 1)} s`;

function rowOf(what, seen) {
  const all = seen.map(({ ms }) => ms);
  const counted = (name) => [...new Set(seen.map((one) => one[name]))].sort().join(', ');
  return [
    what,
    seen.length,
    seconds(quantile(all, 0.5)),
    seconds(Math.max(...all)),
    counted('starts'),
    counted('crashes'),
  ];
}

const { env, config, dispose } = freshSettings();
const logger = createLogger('bench', 'error');
const lease = await leaseRedis(config, logger);
const backend = openBackend(config, logger, { address: lease.address, role: 'work' });
const site = { env, dataDir: config.dataDir };
// Who takes somebody for dead must have seen Redis for a while, as somebody has in any installation that runs for a while.
const elder = await startMachine(env, 0);
await new Promise((resolve) => setTimeout(resolve, 15_000));
try {
  const rows = [];
  const measure = async (what, times, act) => {
    rows.push(rowOf(what, await repeat(times, act)));
    process.stderr.write(`${rows.at(-1).join(' | ')}\n`);
  };
  for (const [what, death] of Object.entries(DEATHS))
    await measure(what, TIMES, () => standstill(backend, { env, ...death }));
  await measure('Redis SIGKILLed and started again, to the end of the job', TIMES, () => redisDeath(backend, site));
  await measure(`Redis silent for ${OUTAGE_MS / 1_000} s, then to the end of the job`, 1, () => outage(backend, site));
  await measure(`event loop blocked for ${BLOCK_MS / 1_000} s, to the end of the job`, 1, () => blocked(backend, site));
  printMachine();
  printTable(['what', 'times', 'median', 'longest', 'starts of the job', 'crashes told'], rows);
} finally {
  await elder.stop();
  await backend.close();
  await lease.release();
  dispose();
  rmSync(folder, { recursive: true, force: true });
}
