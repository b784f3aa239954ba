/**
 * How long a cancel takes, in every state of a job and every arrangement of processes: `node bench/cancel.mjs [ROUNDS]`.
 * Two times are told: from the client's wish to the answer of `cancel_job`, and, where a handler runs, to the handler's abort;
 * beside them, in the same rounds, a ping of the same client, which says what the machine has to give at that time.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { leaseRedis } from '../dist/src/backend.js';
import { createLogger } from '../dist/src/logger.js';
import { freshSettings, ms, printMachine, printTable, quantile } from './measure.mjs';
import { beside, startFrontEnd, startStdio, startWorkers } from './serve.mjs';
import { openHttp, openStdio } from './wire.mjs';

const ROUNDS = Number(process.argv[2] ?? 100);
const SLOTS = 4;
const CAPABILITIES = { sampling: {} };
const LIMIT_MS = 20_000;
const nowNs = () => process.hrtime.bigint();

/** Each state: the tool that brings a job there, how the list tells it, and whether a handler runs to be aborted. */
const STATES = {
  'waiting behind others': { tool: 'hold', state: 'waiting', blocked: true },
  'parked on a question': { tool: 'ask', state: 'parked' },
  'between attempts': { tool: 'fail_once', state: 'delayed' },
  active: { tool: 'hold', state: 'active', aborts: true },
  'active in a part of a fan-out': { tool: 'spread', state: 'parked', aborts: true },
};

/** Each arrangement opens a client that calls and one that cancels, over fresh processes on one Redis. */
const ARRANGEMENTS = {
  'stdio, its worker beside it': async (env) => {
    const client = await openStdio(startStdio(env), CAPABILITIES);
    return { caller: client, canceller: client, stop: client.close };
  },
  'HTTP, workers elsewhere': async (env) => {
    const [frontEnd, workers] = [await startFrontEnd(env), await startWorkers(env)];
    const caller = await openHttp(frontEnd.url, CAPABILITIES);
    const canceller = await openHttp(frontEnd.url);
    return { caller, canceller, stop: () => Promise.all([frontEnd.stop(), workers.stop()]) };
  },
  'two front ends, cancelled at the other': async (env) => {
    const [one, other, workers] = [await startFrontEnd(env), await startFrontEnd(env), await startWorkers(env)];
    const caller = await openHttp(one.url, CAPABILITIES);
    const canceller = await openHttp(other.url);
    return { caller, canceller, stop: () => Promise.all([one.stop(), other.stop(), workers.stop()]) };
  },
};

async function until(look, what) {
  const giveUpAtMs = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (performance.now() > giveUpAtMs) throw new Error(`waited ${LIMIT_MS} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
}

/** Moments of aborts by name. */
function abortsIn(ledger) {
  const lines = readFileSync(ledger, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split(' ')).map(([name, at]) => [name, BigInt(at)]));
}

/** One job brought into its state and cancelled; milliseconds to the answer and, where there is one, to the abort. */
async function round({ caller, canceller }, { tool, state, aborts }, { ledger, name }) {
  const call = await caller.call(tool, { ledger, name });
  const find = async () => {
    const { jobs } = await canceller.result('list_jobs', { states: [state], tool, limit: 1 });
    return jobs[0]?.job_id;
  };
  const job_id = await until(find, `a job of ${tool} to be ${state}`);
  if (aborts) await call.progressed;
  const ping = nowNs();
  await canceller.request('ping');
  const from = nowNs();
  const beside = Number(from - ping) / 1e6;
  const { state: ended } = await canceller.result('cancel_job', { job_id });
  const answered = Number(nowNs() - from) / 1e6;
  if (ended !== 'cancelled') throw new Error(`the job was ${ended}`);
  await call.ended;
  if (!aborts) return { beside, answered };
  const at = await until(() => abortsIn(ledger).get(name), 'the abort');
  return { beside, answered, aborted: Number(at - from) / 1e6 };
}

/** Fills every slot of the queue, so that what follows waits. */
async function block({ caller, canceller }, ledger) {
  const calls = await Promise.all(
    Array.from({ length: SLOTS }, async (_, index) => {
      const call = await caller.call('hold', { ledger, name: `block${index}` });
      await call.progressed;
      return call;
    }),
  );
  const { jobs } = await canceller.result('list_jobs', { states: ['active'], tool: 'hold', limit: SLOTS });
  return async () => {
    for (const { job_id } of jobs) await canceller.result('cancel_job', { job_id });
    await Promise.all(calls.map(({ ended }) => ended));
  };
}

async function measure(arrangement, state, ledger) {
  const unblock = state.blocked && (await block(arrangement, ledger));
  const times = [];
  for (let count = 0; count < ROUNDS; count++)
    times.push(await round(arrangement, state, { ledger, name: `${state.tool}${count}` }));
  await unblock?.();
  return times;
}

const settings = freshSettings({
  LONGHAUL_TOOLS: beside('cancel-tools.mjs'),
  LONGHAUL_CONCURRENCY: `analysis=2,review=${SLOTS}`,
  LONGHAUL_GRACE_SECONDS: '0',
});
const lease = await leaseRedis(settings.config, createLogger('bench', 'error'));
try {
  printMachine();
  process.stdout.write(`${ROUNDS} cancels in each row; milliseconds from the wish, p50 / p99\n\n`);
  const pair = (values) => `${ms(quantile(values, 0.5))} / ${ms(quantile(values, 0.99))}`;
  const rows = [];
  for (const [arrangement, open] of Object.entries(ARRANGEMENTS)) {
    const opened = await open(settings.env);
    for (const [state, row] of Object.entries(STATES)) {
      const ledger = join(settings.config.dataDir, `ledger-${rows.length}`);
      writeFileSync(ledger, '');
      const times = await measure(opened, row, ledger);
      const aborted = row.aborts ? pair(times.map((time) => time.aborted)) : '';
      const [answered, pinged] = ['answered', 'beside'].map((name) => pair(times.map((time) => time[name])));
      rows.push([arrangement, state, answered, aborted, pinged]);
    }
    await opened.stop();
  }
  printTable(['arrangement', 'the job is', 'answer', 'the handler’s abort', 'a ping beside it'], rows);
} finally {
  await lease.release();
  settings.dispose();
}
