/** Workers that die with their machine, stand still, or are cut off from Redis: their jobs run on once, elsewhere or there. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { pause } from '../../src/core/lifecycle.js';
import type { WorkerView } from '../../src/core/presence.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createKeys } from '../../src/redis/keys.js';
import { createPresence } from '../../src/redis/presence.js';
import { until } from '../support/gate.js';
import { init, jobIdOf, textOf, type WireSession } from '../support/http-wire.js';
import { processesOf, workersOf } from '../support/processes.js';
import { type Ledger, openSite, type Site, type SiteProcess } from '../support/site.js';

/** Silence and locks far shorter than what happens here, so that whoever heeds only them gets it wrong. */
const QUICK = { LONGHAUL_WORKER_SILENCE_SECONDS: '1', LONGHAUL_LOCK_SECONDS: '2' };
const LONGER_THAN_BOTH_MS = 4_000;
const RECOVERY_MS = 20_000;

let site: Site;
beforeEach(async () => {
  site = await openSite();
});
afterEach(() => site.close());

interface Machines {
  readonly session: WireSession;
  /** The one that has taken what was called; the other takes what it must leave. */
  readonly first: SiteProcess;
  /** The worker process of the first. */
  readonly pid: number;
}

/** Starts a front end without workers, and one worker elsewhere. */
async function startFirst(): Promise<Machines> {
  const session = await init(await site.http({ env: QUICK, workers: 0 }));
  const first = await site.worker({ env: QUICK });
  const [pid = 0] = await workersOf(site.dataDir);
  return { session, first, pid };
}

async function starts(ledger: Ledger, count: number): Promise<void> {
  const look = async () => (await ledger.lines()).filter((line) => line.startsWith('start'));
  const wait = { what: `start ${count} of the job`, limitMs: RECOVERY_MS };
  await until(look, (lines) => lines.length === count, wait);
}

async function job(session: WireSession, id: string) {
  return (await session.result(`look ${id}`, 'get_job', { job_id: id })).structuredContent;
}

/** The workers as an operator would see them. */
async function workers(): Promise<readonly WorkerView[]> {
  const redis = connectRedis({ socketPath: join(site.dataDir, 'redis.sock') }, 'work');
  onTestFinished(() => closeRedis(redis));
  return createPresence({ redis, keys: createKeys('longhaul'), retention: DEFAULT_RETENTION }).workers();
}

describe('a machine that dies with its supervisor and its workers', () => {
  it('has its job run elsewhere, with the attempt unspent and the crash told', async () => {
    const { session, first, pid } = await startFirst();
    const [gate, ledger] = [site.gate(), site.ledger()];
    const call = await session.call(1, 'gated', { gate: gate.path, ledger: ledger.path });
    await starts(ledger, 1);
    await site.worker({ env: QUICK });
    process.kill(first.pid, 'SIGKILL');
    process.kill(pid, 'SIGKILL');
    await starts(ledger, 2);
    await gate.open();
    const { result } = await call.response(1);
    expect(textOf(result)).toContain('opened');
    expect(await job(session, jobIdOf(result))).toMatchObject({
      state: 'completed',
      attempt: 1,
      worker_crashes: 1,
      faults: [{ attempt: 1, code: 'worker_crashed' }],
    });
    expect(await workers()).toHaveLength(1);
  });
});

describe('a worker that stands still until its job is given away', () => {
  it('lets go of it as soon as it goes on, and nothing it does counts', async () => {
    const { session, pid } = await startFirst();
    const [gate, ledger] = [site.gate(), site.ledger()];
    const call = await session.call(
      1,
      'gated',
      { gate: gate.path, ledger: ledger.path, progress: [10], after: [50] },
      't',
    );
    await starts(ledger, 1);
    await site.worker({ env: QUICK });
    process.kill(pid, 'SIGSTOP');
    await starts(ledger, 2);
    process.kill(pid, 'SIGCONT');
    expect(await ledger.line('abort')).toContain('superseded');
    await gate.open();
    const { result } = await call.response(1);
    expect(textOf(result)).toContain('opened');
    expect((await ledger.lines()).map((line) => line.split(' ')[0])).toEqual(['start', 'start', 'abort', 'end']);
    expect(await job(session, jobIdOf(result))).toMatchObject({ attempt: 1, worker_crashes: 1 });
  });
});

describe('a worker whose event loop is blocked for longer than any lock', () => {
  it('keeps what it runs and what it was only just given, beside an idle one, and says how long it is blocked', async () => {
    const { session } = await startFirst();
    const ledger = site.ledger();
    const calls = await Promise.all(
      [1, 2].map((id) => session.call(id, 'blocking', { ms: LONGER_THAN_BOTH_MS, ledger: ledger.path })),
    );
    await starts(ledger, 1);
    await site.worker({ env: QUICK });
    const blocked = await until(workers, (seen) => seen.some(({ blockedMs }) => blockedMs > 2_000), {
      what: 'a worker that tells of its blocked loop',
      limitMs: 2 * LONGER_THAN_BOTH_MS,
    });
    expect(blocked).toHaveLength(2);
    const results = await Promise.all(calls.map((call, index) => call.response(index + 1, 20_000)));
    expect(results.map(({ result }) => textOf(result))).toEqual(['blocking done', 'blocking done']);
    expect(await ledger.lines()).toHaveLength(4);
    for (const { result } of results)
      expect(await job(session, jobIdOf(result))).toMatchObject({ attempt: 1, worker_crashes: 0 });
  });
});

describe('a Redis that answers nobody for longer than any lock', () => {
  it('costs no worker its life and no job a second run', async () => {
    const { session } = await startFirst();
    await site.worker({ env: QUICK });
    const [gate, ledger] = [site.gate(), site.ledger()];
    const calls = await Promise.all(
      [1, 2, 3].map((id) => session.call(id, 'gated', { gate: gate.path, ledger: ledger.path, progress: [10] }, id)),
    );
    await starts(ledger, 3);
    const running = await processesOf(site.dataDir);
    const redis = running.find(({ command }) => /(redis|valkey)-server/.test(command))?.pid ?? 0;
    process.kill(redis, 'SIGSTOP');
    await pause(LONGER_THAN_BOTH_MS);
    process.kill(redis, 'SIGCONT');
    const beaten = Date.now();
    await until(workers, (seen) => seen.length === 2 && seen.every(({ beatAtMs }) => beatAtMs > beaten), {
      what: 'both workers to beat again',
      limitMs: 10_000,
    });
    await gate.open();
    const results = await Promise.all(calls.map((call, index) => call.response(index + 1, 20_000)));
    expect(results.map(({ result }) => textOf(result))).toEqual(Array(3).fill(expect.stringContaining('opened')));
    expect((await ledger.lines()).filter((line) => line.startsWith('start'))).toHaveLength(3);
    for (const { result } of results)
      expect(await job(session, jobIdOf(result))).toMatchObject({ attempt: 1, worker_crashes: 0 });
  });
});
