/** Workers that die with their machine, stand still, or are cut off from Redis: their jobs run on once, elsewhere or there. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pause } from '../../src/core/lifecycle.js';
import type { WorkerView } from '../../src/core/presence.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createKeys } from '../../src/redis/keys.js';
import { createPresence } from '../../src/redis/presence.js';
import { until } from '../support/gate.js';
import { init, jobIdOf, type Reply, textOf, type WireSession } from '../support/http-wire.js';
import { processesOf } from '../support/processes.js';
import { type Ledger, openSite, type Site, type SiteProcess, type StartOptions } from '../support/site.js';

/**
 * Silence and locks far shorter than what happens here, so that whoever heeds only them gets it wrong; but longer than a machine ten
 * times busier than ours leaves a worker, or Redis, without a turn.
 */
const QUICK = { LONGHAUL_WORKER_SILENCE_SECONDS: '5', LONGHAUL_LOCK_SECONDS: '5' };
const LONGER_THAN_BOTH_MS = 8_000;
const RECOVERY_MS = 60_000;

let site: Site;
/** Of a front end without workers. */
let session: WireSession;
let machines: Machine[] = [];
beforeAll(async () => {
  site = await openSite();
  session = await init(await site.http({ env: QUICK, workers: 0 }));
});
afterEach(async () => {
  for (const { supervisor, worker } of machines) {
    for (const pid of [worker, supervisor.pid]) await kill(pid, 'SIGCONT');
    await supervisor.stop();
  }
  machines = [];
});
afterAll(() => site.close());

/** A supervisor with one worker, as on a machine of its own. */
interface Machine {
  readonly supervisor: SiteProcess;
  /** The pid of the worker process. */
  readonly worker: number;
}

async function startMachine(options: StartOptions = {}): Promise<Machine> {
  const supervisor = await site.worker({ ...options, env: { ...QUICK, ...options.env } });
  const machine = { supervisor, worker: Number(supervisor.log.find(({ msg }) => msg === 'taking jobs')?.pid) };
  machines.push(machine);
  return machine;
}

async function kill(pid: number, signal: NodeJS.Signals): Promise<void> {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

async function starts(ledger: Ledger, count: number): Promise<readonly string[]> {
  const look = async () => (await ledger.lines()).filter((line) => line.startsWith('start'));
  const wait = { what: `start ${count} of the job`, limitMs: RECOVERY_MS };
  return until(look, (lines) => lines.length === count, wait);
}

/** How the job behind a call ended, for its owner. */
async function jobOf(call: Reply, id: number) {
  const { result } = await call.response(id, RECOVERY_MS);
  const job = await session.result(`look ${id}`, 'get_job', { job_id: jobIdOf(result) });
  return { text: textOf(result), job: job.structuredContent };
}

/** The workers as an operator would see them. */
async function workers(): Promise<readonly WorkerView[]> {
  const redis = connectRedis({ socketPath: join(site.dataDir, 'redis.sock') }, 'work');
  try {
    return await createPresence({ redis, keys: createKeys('longhaul'), retention: DEFAULT_RETENTION }).workers();
  } finally {
    closeRedis(redis);
  }
}

async function onlyOneWorker(): Promise<void> {
  await until(workers, ({ length }) => length === 1, { what: 'one worker to be left', limitMs: RECOVERY_MS });
}

describe('a machine that dies with its supervisor and its workers', () => {
  it('has its job run elsewhere, with the attempt unspent and the crash told', async () => {
    const { supervisor, worker } = await startMachine();
    const [gate, ledger] = [site.gate(), site.ledger()];
    const call = await session.call(1, 'gated', { gate: gate.path, ledger: ledger.path });
    await starts(ledger, 1);
    await startMachine();
    process.kill(supervisor.pid, 'SIGKILL');
    process.kill(worker, 'SIGKILL');
    await starts(ledger, 2);
    await gate.open();
    const { text, job } = await jobOf(call, 1);
    expect(text).toContain('opened');
    expect(job).toMatchObject({
      state: 'completed',
      attempt: 1,
      worker_crashes: 1,
      faults: [{ attempt: 1, code: 'worker_crashed' }],
    });
    // It is forgotten once its jobs are others'.
    await onlyOneWorker();
  });
});

describe('a worker that stands still until its job is given away', () => {
  it('lets go of it as soon as it goes on, and nothing it does counts', async () => {
    const { worker } = await startMachine();
    const [gate, ledger] = [site.gate(), site.ledger()];
    const args = { gate: gate.path, ledger: ledger.path, progress: [10], after: [50] };
    const call = await session.call(2, 'gated', args, 't');
    await starts(ledger, 1);
    await startMachine();
    process.kill(worker, 'SIGSTOP');
    await starts(ledger, 2);
    process.kill(worker, 'SIGCONT');
    expect(await ledger.line('abort', RECOVERY_MS)).toContain('superseded');
    await gate.open();
    const { text, job } = await jobOf(call, 2);
    expect(text).toContain('opened');
    expect((await ledger.lines()).map((line) => line.split(' ')[0])).toEqual(['start', 'start', 'abort', 'end']);
    expect(job).toMatchObject({ attempt: 1, worker_crashes: 1 });
  });
});

describe('a worker whose event loop is blocked', () => {
  it('for longer than any lock keeps what it runs and what it was only just given, beside an idle one', async () => {
    await startMachine();
    const [gate, ledger] = [site.gate(), site.ledger()];
    const args = { gate: gate.path, ledger: ledger.path };
    const calls = await Promise.all([3, 4].map((id) => session.call(id, 'blocking', args)));
    await starts(ledger, 1);
    await startMachine();
    // It says so by itself: an operator sees for how long.
    const seen = await until(workers, (all) => all.some(({ blockedMs }) => blockedMs > LONGER_THAN_BOTH_MS), {
      what: 'a worker that tells of its blocked loop',
      limitMs: RECOVERY_MS,
    });
    expect(seen).toHaveLength(2);
    await gate.open();
    for (const [index, call] of calls.entries()) {
      const { text, job } = await jobOf(call, index + 3);
      expect(text).toBe('blocking done');
      expect(job).toMatchObject({ attempt: 1, worker_crashes: 0 });
    }
    expect(await ledger.lines()).toHaveLength(4);
  });

  it('for good is ended, and its job is run again as after any crash', async () => {
    const { supervisor } = await startMachine({ env: { LONGHAUL_STANDSTILL_SECONDS: '3' } });
    const [gate, ledger] = [site.gate(), site.ledger()];
    const call = await session.call(5, 'blocking', { gate: gate.path, ledger: ledger.path });
    await starts(ledger, 1);
    await supervisor.logged('a worker died; its jobs go back to the queue', RECOVERY_MS);
    // While the next one comes up, which it would stand still as well.
    await gate.open();
    const { text, job } = await jobOf(call, 5);
    expect(text).toBe('blocking done');
    expect(job).toMatchObject({ state: 'completed', attempt: 1, worker_crashes: 1 });
    expect((await starts(ledger, 2)).length).toBe(2);
  });
});

describe('a Redis that answers nobody for longer than any lock', () => {
  it('costs no worker its life and no job a second run', async () => {
    await startMachine();
    await startMachine();
    const [gate, ledger] = [site.gate(), site.ledger()];
    const args = { gate: gate.path, ledger: ledger.path, progress: [10] };
    const calls = await Promise.all([6, 7, 8].map((id) => session.call(id, 'gated', args, id)));
    await starts(ledger, 3);
    const running = await processesOf(site.dataDir);
    const redis = running.find(({ command }) => /(redis|valkey)-server/.test(command))?.pid ?? 0;
    process.kill(redis, 'SIGSTOP');
    await pause(LONGER_THAN_BOTH_MS);
    process.kill(redis, 'SIGCONT');
    const mendedMs = Date.now();
    await until(workers, (all) => all.length === 2 && all.every(({ beatAtMs }) => beatAtMs > mendedMs), {
      what: 'both workers to beat again',
      limitMs: RECOVERY_MS,
    });
    await gate.open();
    for (const [index, call] of calls.entries()) {
      const { text, job } = await jobOf(call, index + 6);
      expect(text).toContain('opened');
      expect(job).toMatchObject({ attempt: 1, worker_crashes: 0 });
    }
    expect(await starts(ledger, 3)).toHaveLength(3);
  });
});

describe('a worker that is told to stop', () => {
  it('hands back what does not end in time, at once, with the attempt unspent, and is not missed', async () => {
    const { supervisor } = await startMachine({ env: { LONGHAUL_GRACE_SECONDS: '0' } });
    const [gate, ledger] = [site.gate(), site.ledger()];
    const call = await session.call(9, 'gated', { gate: gate.path, ledger: ledger.path });
    await starts(ledger, 1);
    await startMachine();
    expect(await supervisor.stop('SIGTERM')).toBe('exit 0');
    expect(await ledger.line('abort')).toContain('shutdown');
    await onlyOneWorker();
    await starts(ledger, 2);
    await gate.open();
    const { text, job } = await jobOf(call, 9);
    expect(text).toContain('opened');
    expect(job).toMatchObject({ attempt: 1, worker_crashes: 0, faults: [] });
  });
});

describe('a worker of named queues', () => {
  it('leaves the jobs of others alone', async () => {
    await startMachine({ args: ['--queue', 'analysis'] });
    const ledger = site.ledger();
    // Of the queue for reviews, and without anything to ask.
    const review = await session.call(10, 'asking', { questions: [], ledger: ledger.path });
    const scan = await session.call(11, 'echo', { text: 'hello' });
    expect((await jobOf(scan, 11)).text).toBe('hello');
    expect((await workers()).map(({ queues }) => queues)).toEqual([['analysis']]);
    expect(await ledger.lines()).toEqual([]);
    await startMachine({ args: ['--queue', 'review'] });
    expect((await jobOf(review, 10)).job).toMatchObject({ state: 'completed', attempt: 1 });
  });
});
