/** Kills, drains and cancels under jobs that are spread over workers in parts: what comes of them is as if nothing had happened. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobIdSchema } from '../../src/core/ids.js';
import { partId, partKey } from '../../src/core/part.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { createKeys } from '../../src/redis/keys.js';
import { until } from '../support/gate.js';
import { init, type Reply, textOf, type WireMessage, type WireResult, type WireSession } from '../support/http-wire.js';
import { keysBelow, refuseLeaks } from '../support/key-checker.js';
import { killRedisOf, workersOf } from '../support/processes.js';
import { openSite, type Site } from '../support/site.js';

let site: Site;
beforeEach(async () => {
  site = await openSite();
});
afterEach(() => site.close());

const PART_FILES = 50;
const PARTS = 60;
const FEW_FILES_A_PART = { env: { LONGHAUL_PART_FILES: String(PART_FILES) } };
/** Processes come up again in about a second, slower on a busy machine. */
const AFTER_KILL_MS = 60_000;
const FAN = toolsAt('fan-tools.mjs');
const FAR = toolsAt('far-tools.mjs');

function toolsAt(name: string): string[] {
  return ['--tools', fileURLToPath(new URL(`../support/${name}`, import.meta.url))];
}

/** Makes a tree of so many parts, of files in two languages that are all different; returns its path. */
function makeTree(): string {
  const tree = join(site.root, 'tree');
  for (let part = 0; part < PARTS; part++) {
    mkdirSync(join(tree, `d${part}`), { recursive: true });
    for (let file = 0; file < PART_FILES; file++) {
      const name = file % 2 === 0 ? `f${file}.c` : `f${file}.py`;
      writeFileSync(join(tree, `d${part}`, name), `x = 1;\n${'\n'.repeat((part * PART_FILES + file) % 37)}# y\n`);
    }
  }
  return tree;
}

const isProgress = ({ method }: { method?: string }) => method === 'notifications/progress';

function progressOf(reply: Reply): number[] {
  const told = reply.messages().filter(isProgress);
  return told.map(({ params }) => Number(params?.progress));
}

function expectRising(values: readonly number[]): void {
  expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
}

/** What a scan found, byte for byte, without what differs from job to job. */
function found(result: WireResult | undefined): string {
  const { job_id, duration_ms, ...rest } = result?.structuredContent ?? {};
  expect([typeof job_id, typeof duration_ms]).toEqual(['string', 'number']);
  return JSON.stringify(rest);
}

/** A scan whose parts are being counted, and what the same scan found when nobody disturbed it. */
async function disturb(session: WireSession, act: () => Promise<unknown>): Promise<void> {
  const path = makeTree();
  const before = await session.call('before', 'analyze_codebase', { path, use_cache: false });
  const undisturbed = found((await before.response('before', AFTER_KILL_MS)).result);
  const call = await session.call('scan', 'analyze_codebase', { path, use_cache: false }, 't');
  const counts = (message: WireMessage) => isProgress(message) && /^Counted/.test(String(message.params?.message));
  await call.message(counts, AFTER_KILL_MS);
  await act();
  const { result } = await call.response('scan', AFTER_KILL_MS);
  expect(found(result)).toBe(undisturbed);
  expect(JSON.parse(undisturbed)).toMatchObject({ files_scanned: PARTS * PART_FILES });
  expectRising(progressOf(call));
  expect(progressOf(call).at(-1)).toBe(100);
  expect((await session.result('list', 'list_jobs', {})).structuredContent).toMatchObject({ total_count: 2 });
}

/** The records of all jobs, parts included; throws if any key of the installation would stay for ever. */
async function records(): Promise<Readonly<Record<string, string>>[]> {
  const redis = connectRedis({ socketPath: join(site.dataDir, 'redis.sock') }, 'work');
  try {
    const { recordPrefix, queuePrefix } = createKeys('longhaul');
    await refuseLeaks({ redis, base: '{longhaul}', queuePrefix });
    const names = (await keysBelow(redis, '{longhaul}')).filter((name) => name.startsWith(recordPrefix));
    return await Promise.all(names.map((name) => redis.hgetall(name)));
  } finally {
    closeRedis(redis);
  }
}

/** Waits until no job is left unfinished: a worker that is killed at the end of a job may still have to say so. */
async function allEnded(states: readonly string[]): Promise<Readonly<Record<string, string>>[]> {
  return until(records, (all) => all.every(({ state }) => states.includes(state ?? '')), {
    what: `all records to be ${states.join(' or ')}`,
    limitMs: AFTER_KILL_MS,
  });
}

const killWorkers = async () => {
  for (const pid of await workersOf(site.dataDir)) process.kill(pid, 'SIGKILL');
};

describe('a scan in parts', () => {
  it('comes to the same when every worker is killed while parts are counted', { timeout: 300_000 }, async () => {
    const session = await init(await site.http({ ...FEW_FILES_A_PART, workers: 2 }));
    await disturb(session, killWorkers);
    expect(await allEnded(['completed'])).toHaveLength(2 * (PARTS + 1));
  });

  it('comes to the same when Redis is killed while parts are counted', { timeout: 300_000 }, async () => {
    const session = await init(await site.http({ ...FEW_FILES_A_PART, workers: 2 }));
    await disturb(session, () => killRedisOf(site.dataDir));
    expect(await allEnded(['completed'])).toHaveLength(2 * (PARTS + 1));
  });

  it('comes to the same when one of two workers is stopped, with every attempt unspent', {
    timeout: 300_000,
  }, async () => {
    const [leaving] = await Promise.all([site.worker(FEW_FILES_A_PART), site.worker(FEW_FILES_A_PART)]);
    const session = await init(await site.http({ ...FEW_FILES_A_PART, workers: 0 }));
    await disturb(session, async () => expect(await leaving.stop('SIGTERM')).toBe('exit 0'));
    const ended = await allEnded(['completed']);
    expect(ended).toHaveLength(2 * (PARTS + 1));
    expect(ended.map(({ attempt, crashes = '0' }) => [attempt, crashes])).toEqual(ended.map(() => ['1', '0']));
  });
});

describe('parts that wait at a gate', () => {
  const gatedParts = (count: number) => {
    const [gate, ledger] = [site.gate(), site.ledger()];
    const parts = Array.from({ length: count }, () => ({ gate: gate.path, ledger: ledger.path }));
    return { gate, ledger, args: { tool: 'gated', parts } };
  };
  const starts = (lines: readonly string[]) => lines.filter((line) => line.startsWith('start'));
  const onlyJob = async (session: WireSession) => {
    const { jobs } = (await session.result('list', 'list_jobs', {})).structuredContent ?? {};
    const [job, ...others] = [jobs].flat() as { job_id: string }[];
    expect(others).toEqual([]);
    return jobIdSchema.parse(job?.job_id);
  };

  it('are not done again when the worker dies that was about to park their job', { timeout: 300_000 }, async () => {
    const hold = site.gate('hold');
    const session = await init(await site.http({ args: FAN }));
    const { gate, ledger, args } = gatedParts(4);
    await gate.open();
    const call = await session.call(1, 'fanning', { ...args, hold: hold.path }, 't');
    // The job keeps one of two slots, and hears of no part's end.
    await until(
      async () => (await records()).filter(({ state }) => state === 'completed').length,
      (count) => count === 4,
      { what: 'the stored end of all parts', limitMs: AFTER_KILL_MS },
    );
    await killWorkers();
    await hold.open();
    const { result } = await call.response(1, AFTER_KILL_MS);
    expect(textOf(result).match(/opened/g)).toHaveLength(4);
    expectRising(progressOf(call));
    expect(starts(await ledger.lines())).toHaveLength(4);
    expect(await allEnded(['completed'])).toHaveLength(5);
  });

  it('are handed back by a worker that is stopped, with the attempt unspent', { timeout: 300_000 }, async () => {
    const leaving = await site.worker({ args: FAN });
    const session = await init(await site.http({ args: FAN, workers: 0 }));
    const { gate, ledger, args } = gatedParts(3);
    const call = await session.call(1, 'fanning', args, 't');
    await until(
      () => ledger.lines(),
      (lines) => lines.length === 2,
      { what: 'two parts at the gate', limitMs: AFTER_KILL_MS },
    );
    expect(await leaving.stop('SIGTERM')).toBe('exit 0');
    expect((await ledger.lines()).filter((line) => line.endsWith('shutdown'))).toHaveLength(2);
    await gate.open();
    await site.worker({ args: FAN });
    expect(textOf((await call.response(1, AFTER_KILL_MS)).result).match(/opened/g)).toHaveLength(3);
    expect(starts(await ledger.lines()).every((line) => line.endsWith('attempt 1'))).toBe(true);
    const ended = await allEnded(['completed']);
    expect(ended.map(({ crashes = '0' }) => crashes)).toEqual(ended.map(() => '0'));
  });

  it('end with their job when it is cancelled, and none begins afterwards', { timeout: 300_000 }, async () => {
    const session = await init(await site.http({ args: FAN }));
    const { gate, ledger, args } = gatedParts(5);
    const call = await session.call(1, 'fanning', args, 't');
    await until(
      () => ledger.lines(),
      (lines) => lines.length === 2,
      { what: 'two parts at the gate', limitMs: AFTER_KILL_MS },
    );
    const id = await onlyJob(session);
    const cancelled = await session.result(2, 'cancel_job', { job_id: id, reason: 'enough' });
    expect(cancelled.structuredContent).toMatchObject({ state: 'cancelled', already_ended: false });
    expect(textOf((await call.response(1)).result)).toContain('enough');
    expect(await allEnded(['cancelled'])).toHaveLength(6);
    // The records are told first. Whoever is still on its way to a handler at the gate must not find that open.
    await until(
      () => ledger.lines(),
      (lines) => lines.filter((line) => line.startsWith('abort')).length === 2,
      { what: 'both parts to be aborted', limitMs: AFTER_KILL_MS },
    );
    await gate.open();
    // Whatever came later than this would come before it in the queue.
    expect(textOf(await session.result(3, 'gated', { gate: gate.path }))).toContain('opened');
    const lines = await ledger.lines();
    expect(starts(lines)).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('abort'))).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('end'))).toEqual([]);
  });

  it('are never begun when their job is cancelled before it is run', { timeout: 300_000 }, async () => {
    const session = await init(await site.http({ args: FAN, workers: 0 }));
    const { gate, ledger, args } = gatedParts(2);
    await gate.open();
    const call = await session.call(1, 'fanning', args, 't');
    const id = await until(
      async () => (await session.result('count', 'list_jobs', {})).structuredContent?.total_count,
      (count) => count === 1,
      { what: 'an accepted job', limitMs: AFTER_KILL_MS },
    ).then(() => onlyJob(session));
    await session.result(2, 'cancel_job', { job_id: id });
    expect((await call.response(1)).result?.isError).toBe(true);
    await site.worker({ args: FAN });
    expect(textOf(await session.result(3, 'gated', { gate: gate.path }))).toContain('opened');
    expect(await ledger.lines()).toEqual([]);
    expect((await records()).map(({ state }) => state).sort()).toEqual(['cancelled', 'completed']);
  });

  it('are left alone by a worker that does not know their tool, until one comes that does', {
    timeout: 300_000,
  }, async () => {
    const ledger = site.ledger();
    const old = await site.worker({ args: FAN });
    const session = await init(await site.http({ args: FAN, workers: 0 }));
    const parts = ['one', 'two'].map((name) => ({ name, ledger: ledger.path }));
    const call = await session.call(1, 'fanning', { tool: 'far', parts }, 't');
    const id = await until(
      async () => (await session.result('parked', 'list_jobs', { states: ['parked'] })).structuredContent?.total_count,
      (count) => count === 1,
      { what: 'a parked job', limitMs: AFTER_KILL_MS },
    ).then(() => onlyJob(session));
    // The old worker has had the parts in its hands when they lie in the queue as delayed.
    await until(
      () => delayedParts([0, 1].map((index) => partId(id, partKey('parts', index)))),
      (count) => count === 2,
      { what: 'both parts to be left alone', limitMs: AFTER_KILL_MS },
    );
    expect(await ledger.lines()).toEqual([]);
    await site.worker({ args: [...FAN, ...FAR] });
    // Else it is a matter of luck who has them in hand when they are due, every ten seconds.
    await old.stop();
    expect(textOf((await call.response(1, AFTER_KILL_MS)).result)).toBe('one, two');
    expect((await ledger.lines()).sort()).toEqual(['start one attempt 1', 'start two attempt 1']);
    expect(await allEnded(['completed'])).toHaveLength(3);
  });
});

async function delayedParts(ids: readonly string[]): Promise<number> {
  const redis = connectRedis({ socketPath: join(site.dataDir, 'redis.sock') }, 'work');
  try {
    const scores = await redis.zmscore(`${createKeys('longhaul').queuePrefix}:analysis:delayed`, ...ids);
    return scores.filter((score) => score !== null).length;
  } finally {
    closeRedis(redis);
  }
}
