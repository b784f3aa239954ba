/**
 * What sessions cost a front end: many open at a time, each with its stream, and many abandoned until they end by
 * themselves: `node bench/sessions.mjs [SESSIONS]`. Two rounds of each, since a heap grows once and is used again.
 */
import { Agent, request } from 'node:http';
import { leaseRedis } from '../dist/src/backend.js';
import { createLogger } from '../dist/src/logger.js';
import { connectRedis } from '../dist/src/redis/connection.js';
import { freshSettings, printMachine, printTable } from './measure.mjs';
import { residentMiB, startFrontEnd } from './serve.mjs';

const SESSIONS = Number(process.argv[2] ?? 2_000);
const IDLE_SECONDS = 20;
const LANES = 50;
const ROUNDS = 2;
const VERSION = '2025-11-25';
const ACCEPT = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
const agent = new Agent({ keepAlive: true, maxSockets: LANES });

/** Sends a request; resolves with the reply, read to its end unless it is a stream that stays. */
function send(url, { method = 'POST', headers = {}, body, stays = false }) {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { ...ACCEPT, ...headers }, agent: stays ? false : agent };
    const sent = request(url, options, (reply) => {
      reply.resume();
      if (stays) resolve(reply);
      else reply.once('end', () => resolve(reply));
    });
    sent.once('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

async function open(url) {
  const params = { protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'bench', version: '0' } };
  const reply = await send(url, { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } });
  const headers = { 'Mcp-Session-Id': reply.headers['mcp-session-id'], 'MCP-Protocol-Version': VERSION };
  await send(url, { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  return headers;
}

/** Does `task` so many times, `LANES` at a time; answers with the results. */
async function inLanes(count, task) {
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const at = next++;
      results[at] = await task(at);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}

const settings = freshSettings({ LONGHAUL_SESSION_IDLE_SECONDS: String(IDLE_SECONDS) });
const lease = await leaseRedis(settings.config, createLogger('bench', 'error'));
const redis = connectRedis(lease.address, 'work');
/** On SIGUSR2 it collects its garbage and says what is left. */
const HEAP_REPORTER = new URL('../test/support/heap-reporter.mjs', import.meta.url).href;
const frontEnd = await startFrontEnd(settings.env, { node: ['--import', HEAP_REPORTER] });
const rows = [];
const look = async (what) => {
  const reported = frontEnd.line(({ heapBytes }) => heapBytes !== undefined);
  process.kill(frontEnd.pid, 'SIGUSR2');
  const { heapBytes } = await reported;
  const inUse = Math.round(heapBytes / 2 ** 20);
  rows.push([what, inUse, Math.round(residentMiB(frontEnd.pid)), await redis.dbsize()]);
};
/** Lets the front end come to what it does after the answers. */
const settle = async () => {
  for (let count = 0; count < 200; count++) await send(frontEnd.url, { method: 'GET' });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
};
const untilGone = async () => {
  const before = performance.now();
  while ((await redis.keys('*session*')).length > 3 && performance.now() - before < 4 * IDLE_SECONDS * 1_000)
    await new Promise((resolve) => setTimeout(resolve, 500));
};
try {
  printMachine();
  await inLanes(20, () => open(frontEnd.url).then((headers) => send(frontEnd.url, { method: 'DELETE', headers })));
  await look('before');
  for (let round = 1; round <= ROUNDS; round++) {
    const sessions = await inLanes(SESSIONS, async () => {
      const headers = await open(frontEnd.url);
      return { headers, stream: await send(frontEnd.url, { method: 'GET', headers, stays: true }) };
    });
    await look(`${SESSIONS} open, each with its stream (round ${round})`);
    await inLanes(SESSIONS, (at) => send(frontEnd.url, { method: 'DELETE', headers: sessions[at].headers }));
    await settle();
    await look('ended by DELETE');
    await inLanes(SESSIONS, () => open(frontEnd.url));
    await look(`${SESSIONS} abandoned (round ${round})`);
    await untilGone();
    await settle();
    await look(`ended by themselves after ${IDLE_SECONDS} s`);
  }
  printTable(['sessions of one front end', 'heap in use, MiB', 'its memory, MiB', 'keys in Redis'], rows);
} finally {
  agent.destroy();
  redis.disconnect();
  await frontEnd.stop();
  await lease.release();
  settings.dispose();
}
