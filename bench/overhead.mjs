/** What a job costs: a no-op tool call over HTTP beside a raw BullMQ job from add to finish, on one Redis, in one run. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Queue, QueueEvents, Worker } from 'bullmq';
import { leaseRedis } from '../dist/src/backend.js';
import { createLogger } from '../dist/src/logger.js';
import { connectRedis } from '../dist/src/redis/connection.js';
import { freshSettings, ms, printMachine, printTable, quantile } from './measure.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
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

async function startFrontEnd(env) {
  const child = spawn(
    process.execPath,
    [path('../dist/src/main.js'), 'http', '--port', '0', '--tools', path('noop-tool.mjs')],
    {
      env: { ...env, LONGHAUL_LOG_LEVEL: 'info', LONGHAUL_CONCURRENCY: '50' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const gone = new Promise((resolve) => child.once('exit', resolve));
  for await (const line of createInterface({ input: child.stderr })) {
    const { endpoint } = JSON.parse(line);
    if (!endpoint) continue;
    const stop = () => {
      child.kill('SIGTERM');
      return gone;
    };
    return { url: endpoint, stop };
  }
  throw new Error('the front end did not start');
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

async function measureLonghaul(env, rows) {
  const frontEnd = await startFrontEnd(env);
  try {
    const sessions = await Promise.all(Array.from({ length: 50 }, () => openSession(frontEnd.url)));
    await load(50, 500, (client) => sessions[client]());
    for (const clients of [1, 50]) {
      const { p50, p99, perSecond } = await load(clients, clients === 1 ? 500 : 4_000, (client) => sessions[client]());
      rows.push(['Longhaul, tools/call over HTTP', clients, ms(p50), ms(p99), Math.round(perSecond)]);
    }
  } finally {
    await frontEnd.stop();
  }
}

async function measureBull(address, rows) {
  const open = () => connectRedis(address, 'work');
  const connections = [open(), open(), open()];
  const worker = new Worker('bare', async () => true, { connection: connections[0], concurrency: 50 });
  const queue = new Queue('bare', { connection: connections[1] });
  // Fifty waiters listen for its end.
  queue.setMaxListeners(100);
  const events = new QueueEvents('bare', { connection: connections[2] });
  const run = async () => (await queue.add('noop', {}, { removeOnComplete: 1_000 })).waitUntilFinished(events);
  await Promise.all([worker.waitUntilReady(), events.waitUntilReady()]);
  await load(50, 500, run);
  for (const clients of [1, 50]) {
    const { p50, p99, perSecond } = await load(clients, clients === 1 ? 500 : 4_000, run);
    rows.push(['BullMQ alone, add to finish', clients, ms(p50), ms(p99), Math.round(perSecond)]);
  }
  await Promise.all([worker.close(), queue.close(), events.close()]);
  for (const connection of connections) connection.disconnect();
}

const { env, config, dispose } = freshSettings();
const lease = await leaseRedis(config, createLogger('bench', 'error'));
try {
  const rows = [];
  printMachine();
  await measureBull(lease.address, rows);
  await measureLonghaul(env, rows);
  printTable(['what', 'clients', 'p50', 'p99', 'jobs/s'], rows);
} finally {
  await lease.release();
  dispose();
}
