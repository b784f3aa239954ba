/**
 * What a job costs: a no-op tool call over HTTP beside a raw BullMQ job from add to finish, on one Redis, in one run, by 1, 10
 * and 50 clients and with 1 and 2 worker processes, and the processor time that front end, workers and Redis take for each:
 * `node bench/overhead.mjs`.
 */
import { spawn } from 'node:child_process';
import { Queue, QueueEvents } from 'bullmq';
import { leaseRedis } from '../dist/src/backend.js';
import { createLogger } from '../dist/src/logger.js';
import { connectRedis } from '../dist/src/redis/connection.js';
import { freshSettings, ms, printMachine, printTable, quantile } from './measure.mjs';
import { beside, cpuMs, startFrontEnd, startWorkers } from './serve.mjs';

const CLIENTS = [1, 10, 50];
const WORKERS = [1, 2];
/** Jobs of one row. */
const jobsFor = (clients) => (clients === 1 ? 500 : 3_000);
const HEADERS = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };

/** Runs `task` `count` times by `clients` in parallel; answers with each one's milliseconds and the rate. */
async function load(clients, count, task) {
  const times = [];
  let left = count;
  const startedMs = performance.now();
  const one = async (client) => {
    while (left-- > 0) {
      const from = performance.now();
      await task(client);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => one(client)));
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    perSecond: (count * 1_000) / (performance.now() - startedMs),
  };
}

async function openSession(url) {
  const post = (body, headers = {}) =>
    fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) });
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '0' } };
  const response = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await response.text();
  const session = { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' };
  await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  let id = 0;
  return async () => {
    const answer = await post(
      { jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name: 'noop', arguments: {} } },
      session,
    );
    if (!(await answer.text()).includes('"ok":true')) throw new Error('a call failed');
  };
}

async function measureLonghaul(env, workers) {
  const started = [await startFrontEnd(env), await startWorkers(env, { workers })];
  try {
    const sessions = await Promise.all(Array.from({ length: 50 }, () => openSession(started[0].url)));
    await load(50, 500, (client) => sessions[client]());
    return await measureLoads((client) => sessions[client](), { frontEnd: started[0].pid, workers: started[1].pid });
  } finally {
    for (const { stop } of started) await stop();
  }
}

async function measureBull(socketPath, workers) {
  const children = await Promise.all(Array.from({ length: workers }, () => startBullWorker(socketPath)));
  const connections = [connectRedis({ socketPath }, 'work'), connectRedis({ socketPath }, 'work')];
  const queue = new Queue('bare', { connection: connections[0] });
  // Fifty waiters listen for its end.
  queue.setMaxListeners(100);
  // From the stream's beginning: one that reads from "now on" may ask for the first time when the first jobs have ended.
  const events = new QueueEvents('bare', { connection: connections[1], lastEventId: '0-0' });
  const run = async () => (await queue.add('noop', {}, { removeOnComplete: 1_000 })).waitUntilFinished(events);
  await events.waitUntilReady();
  await load(50, 500, run);
  const rows = await measureLoads(run);
  await Promise.all([queue.close(), events.close(), ...children.map((stop) => stop())]);
  for (const connection of connections) connection.disconnect();
  return rows;
}

/** A worker process that stands on BullMQ and nothing else. */
async function startBullWorker(socketPath) {
  const child = spawn(process.execPath, [beside('bull-worker.mjs'), socketPath], {
    stdio: ['ignore', 'ignore', 2, 'ipc'],
  });
  await new Promise((resolve) => child.once('message', resolve));
  const gone = new Promise((resolve) => child.once('exit', resolve));
  return () => {
    child.kill('SIGKILL');
    return gone;
  };
}

/** `pids` are those of the processes that are told apart; Redis is one always. */
async function measureLoads(run, pids = {}) {
  const rows = [];
  const watched = Object.entries({ ...pids, redis: redisPid });
  for (const clients of CLIENTS) {
    const before = watched.map(([, pid]) => cpuMs(pid));
    const row = await load(clients, jobsFor(clients), run);
    const each = watched.map(([name, pid], at) => [name, (cpuMs(pid) - before[at]) / jobsFor(clients)]);
    rows.push({ ...row, cpu: Object.fromEntries(each) });
  }
  return rows;
}

async function pidOfRedis(socketPath) {
  const redis = connectRedis({ socketPath }, 'work');
  const [, pid] = /process_id:(\d+)/.exec(await redis.info('server')) ?? [];
  redis.disconnect();
  return pid;
}

const { env, config, dispose } = freshSettings({
  LONGHAUL_TOOLS: beside('noop-tool.mjs'),
  LONGHAUL_CONCURRENCY: '50',
});
const lease = await leaseRedis(config, createLogger('bench', 'error'));
const redisPid = await pidOfRedis(lease.address.socketPath);
try {
  printMachine();
  const { socketPath } = lease.address;
  const table = [];
  // One after the other, so that the machine's mood is the same for what is compared.
  for (const workers of WORKERS) {
    const bull = await measureBull(socketPath, workers);
    const ours = await measureLonghaul(env, workers);
    for (const [index, clients] of CLIENTS.entries()) {
      const row = (what, { p50, p99, perSecond, cpu }) => {
        const times = [cpu.frontEnd, cpu.workers, cpu.redis].map((each) => (each === undefined ? '' : ms(each)));
        return [what, workers, clients, ms(p50), ms(p99), Math.round(perSecond), ...times];
      };
      table.push(row('BullMQ alone, add to finish', bull[index]), row('Longhaul, tools/call over HTTP', ours[index]));
    }
  }
  printTable(
    ['what', 'workers', 'clients', 'p50', 'p99', 'jobs/s', 'CPU front end', 'CPU workers', 'CPU Redis'],
    table,
  );
} finally {
  await lease.release();
  dispose();
}
