/**
 * How long progress takes from the handler to the client, beside what Redis itself takes from XADD to XREAD at the same rate:
 * `node bench/progress.mjs [JOBS]`. A job reports every 150 ms, which is less often than reports are thinned.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { leaseRedis } from '../dist/src/backend.js';
import { createLogger } from '../dist/src/logger.js';
import { connectRedis } from '../dist/src/redis/connection.js';
import { freshSettings, ms, printMachine, printTable, quantile } from './measure.mjs';
import { beside, startFrontEnd, startWorkers } from './serve.mjs';
import { openHttp } from './wire.mjs';

const TIMES = 60;
const EVERY_MS = 150;
const STREAM = 'bench:raw';
const sinceMs = (moment) => Number(process.hrtime.bigint() - BigInt(moment)) / 1e6;

if (process.argv[2] === 'write') await writeRaw(process.argv[3], Number(process.argv[4]));
else await report(Number(process.argv[2] ?? 10));

/** The writing side of the raw measurement, in a process of its own as a worker is. */
async function writeRaw(socketPath, jobs) {
  const redis = connectRedis({ socketPath }, 'work');
  for (let time = 0; time < TIMES; time++) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    const write = () => redis.xadd(STREAM, 'MAXLEN', '~', 1_000, '*', 'at', String(process.hrtime.bigint()));
    await Promise.all(Array.from({ length: jobs }, write));
  }
  redis.disconnect();
}

async function measureRaw(socketPath, jobs) {
  const redis = connectRedis({ socketPath }, 'work');
  const script = fileURLToPath(import.meta.url);
  const writer = spawn(process.execPath, [script, 'write', socketPath, String(jobs)], { stdio: 'inherit' });
  const times = [];
  let after = '0';
  while (times.length < TIMES * jobs) {
    const streams = (await redis.xread('BLOCK', 30_000, 'STREAMS', STREAM, after)) ?? [];
    for (const [id, [, moment]] of streams.flatMap(([, entries]) => entries)) {
      times.push(sinceMs(moment));
      after = id;
    }
  }
  await new Promise((resolve) => (writer.exitCode === null ? writer.once('exit', resolve) : resolve()));
  await redis.del(STREAM);
  redis.disconnect();
  return times;
}

async function measureLonghaul(env, jobs) {
  const [frontEnd, workers] = [await startFrontEnd(env), await startWorkers(env)];
  const times = [];
  try {
    const clients = await Promise.all(Array.from({ length: jobs }, () => openHttp(frontEnd.url)));
    const play = async (client) => {
      client.each(({ method, params }) => {
        // Words of the front end itself are no moments.
        if (method === 'notifications/progress' && /^\d{10,}$/.test(params.message))
          times.push(sinceMs(params.message));
      });
      await (await client.call('tell_time', { times: TIMES, every_ms: EVERY_MS })).ended;
    };
    await Promise.all(clients.map(play));
  } finally {
    await frontEnd.stop();
    await workers.stop();
  }
  return times;
}

async function report(jobs) {
  const settings = freshSettings({ LONGHAUL_TOOLS: beside('progress-tools.mjs'), LONGHAUL_CONCURRENCY: String(jobs) });
  const lease = await leaseRedis(settings.config, createLogger('bench', 'error'));
  try {
    printMachine();
    process.stdout.write(`${jobs} jobs at a time, ${TIMES} reports each, one every ${EVERY_MS} ms\n\n`);
    const { socketPath } = lease.address;
    const rows = [
      ['Redis alone, XADD to XREAD, two processes', await measureRaw(socketPath, jobs)],
      ['Longhaul, handler to client over HTTP', await measureLonghaul(settings.env, jobs)],
      ['Redis alone, once more', await measureRaw(socketPath, jobs)],
    ];
    const cells = (times) => [times.length, ms(quantile(times, 0.5)), ms(quantile(times, 0.99))];
    printTable(
      ['what', 'reports', 'p50', 'p99'],
      rows.map(([what, times]) => [what, ...cells(times)]),
    );
  } finally {
    await lease.release();
    settings.dispose();
  }
}
