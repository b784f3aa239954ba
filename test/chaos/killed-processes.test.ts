/** Kills each process of an installation in the middle of work and looks at what its clients see. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import { init, jobIdOf, type Reply, textOf, type WireSession } from '../support/http-wire.js';
import { killRedisOf, workersOf } from '../support/processes.js';
import { openSite, type Site } from '../support/site.js';

let site: Site;
beforeEach(async () => {
  site = await openSite();
});
afterEach(() => site.close());

const FILES = 20_000;
const isProgress = ({ method }: { method?: string }) => method === 'notifications/progress';

/** Makes a git work tree of `FILES` files of three lines; returns its path. */
function makeTree(): string {
  const tree = join(site.root, 'tree');
  for (let folder = 0; folder < FILES / 200; folder++) {
    mkdirSync(join(tree, `d${folder}`), { recursive: true });
    for (let file = 0; file < 200; file++) writeFileSync(join(tree, `d${folder}`, `f${file}.c`), '/* c */\nint x;\n\n');
  }
  execFileSync('git', ['init', '-q', tree]);
  return tree;
}

/** The progress values told on a reply, in order. */
function progressOf(reply: Reply): number[] {
  return reply
    .messages()
    .filter(isProgress)
    .map(({ params }) => Number(params?.progress));
}

function expectRising(values: readonly number[]): void {
  expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
}

async function job(session: WireSession, id: string): Promise<Record<string, unknown>> {
  return (await session.result(`look ${id}`, 'get_job', { job_id: id })).structuredContent ?? {};
}

/** The id of the only job. */
async function onlyJob(session: WireSession): Promise<string> {
  const listed = await session.result('list', 'list_jobs', {});
  const [first] = [listed.structuredContent?.jobs].flat() as { job_id: string }[];
  return first?.job_id ?? '';
}

describe('a worker that is killed', () => {
  it('in the middle of a scan costs neither the result nor the order of progress', async () => {
    const tree = makeTree();
    // In one piece: a death costs a scan in parts one of its parts, which `fan-out.test.ts` is about.
    const session = await init(await site.http({ env: { LONGHAUL_PART_FILES: '100000' } }));
    await session.result('up', 'echo', { text: 'the worker is up' });
    let scans = 0;
    const killInScan = async () => {
      scans += 1;
      const id = `scan ${scans}`;
      // Known before, so that the kill comes while the scan still counts.
      const workers = await workersOf(site.dataDir);
      const call = await session.call(id, 'analyze_codebase', { path: tree, use_cache: false }, id);
      await call.message((message) => isProgress(message) && /Counted/.test(String(message.params?.message)));
      for (const pid of workers) process.kill(pid, 'SIGKILL');
      const { result } = await call.response(id, 60_000);
      return { call, result, ended: await job(session, jobIdOf(result)) };
    };
    // Whoever is held up between the word and the kill comes too late for it.
    const isInScan = ({ ended }: Awaited<ReturnType<typeof killInScan>>) => ended.worker_crashes !== 0;
    const wait = { what: 'a kill in the middle of a scan', limitMs: 90_000 };
    const { call, result, ended } = await until(killInScan, isInScan, wait);

    expect(result?.structuredContent).toMatchObject({
      files_scanned: FILES,
      totals: { files: FILES, lines: 3 * FILES, code: FILES, comments: FILES, blanks: FILES },
    });
    expectRising(progressOf(call));
    expect(ended).toMatchObject({ state: 'completed', attempt: 1, worker_crashes: 1 });
  }, 240_000);

  it('has its job taken up again beside its supervisor, with the attempt unspent', async () => {
    const session = await init(await site.http());
    const [gate, ledger] = [site.gate(), site.ledger()];
    const call = await session.call(1, 'gated', { gate: gate.path, ledger: ledger.path, progress: [50] }, 't');
    // Progress tells of its place in the queue, too.
    await ledger.line('start');
    for (const pid of await workersOf(site.dataDir)) process.kill(pid, 'SIGKILL');
    await until(
      () => ledger.lines(),
      (lines) => lines.length === 2,
      { what: 'a second start', limitMs: 60_000 },
    );
    await gate.open();
    expect(textOf((await call.response(1)).result)).toContain('opened');
    expectRising(progressOf(call));
  });

  it('time and again by the same job is not fed that job for ever', async () => {
    const session = await init(await site.http());
    const ledger = site.ledger();
    const call = await session.call(1, 'gated', { gate: site.gate().path, ledger: ledger.path });
    for (let start = 1; start <= 4; start++) {
      await until(
        () => ledger.lines(),
        (lines) => lines.length === start,
        { what: `start ${start}`, limitMs: 30_000 },
      );
      for (const pid of await workersOf(site.dataDir)) process.kill(pid, 'SIGKILL');
    }
    const { result } = await call.response(1, 60_000);
    expect(result?.isError).toBe(true);
    expect(textOf(result)).toContain('lost hold of this job 4 times');
    expect(await job(session, jobIdOf(result))).toMatchObject({
      worker_crashes: 4,
      faults: Array(4).fill(expect.objectContaining({ code: 'worker_crashed' })),
    });
  });
});

describe('a front end that is killed', () => {
  it('leaves its scan to complete, and its result to a new session', async () => {
    const tree = makeTree();
    await site.worker();
    const first = await site.http({ workers: 0 });
    const call = await (await init(first)).call(1, 'analyze_codebase', { path: tree }, 't');
    await call.message(isProgress);
    await first.stop('SIGKILL');

    const session = await init(await site.http({ workers: 0 }));
    const id = await onlyJob(session);
    const waiting = await session.call(2, 'get_job', { job_id: id, wait_seconds: 60 });
    const ended = (await waiting.response(2, 90_000)).result;
    expect(ended?.structuredContent).toMatchObject({ state: 'completed', result: { files_scanned: FILES } });
  });
});

describe('a Redis that is killed', () => {
  it('loses no accepted job, and the call under way ends with its result', async () => {
    const session = await init(await site.http());
    const gate = site.gate();
    const calls = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        session.call(`call ${index}`, 'gated', { gate: gate.path, progress: [10] }, index),
      ),
    );
    await calls[0]?.message(isProgress);
    const accepted = async () =>
      Number((await session.result('count', 'list_jobs', {})).structuredContent?.total_count);
    await until(accepted, (count) => count === 20, { what: '20 accepted jobs' });
    await killRedisOf(site.dataDir);

    await gate.open();
    const results = await Promise.all(calls.map((call, index) => call.response(`call ${index}`, 60_000)));
    expect(results.map(({ result }) => textOf(result))).toEqual(Array(20).fill(expect.stringContaining('opened')));
  });
});

describe('a cancel between attempts', () => {
  it('ends the job at once, and no further attempt is made', async () => {
    const session = await init(await site.http());
    const ledger = site.ledger();
    const call = await session.call(1, 'flaky', { ledger: ledger.path });
    await ledger.line('start');
    const id = await onlyJob(session);
    await until(
      () => job(session, id),
      ({ state }) => state === 'delayed',
      { what: 'the job to wait for its next attempt' },
    );
    const cancelled = await session.result(2, 'cancel_job', { job_id: id, reason: 'enough' });
    expect(cancelled.structuredContent).toMatchObject({ state: 'cancelled', already_ended: false });
    expect(textOf((await call.response(1)).result)).toContain('enough');
    expect(await job(session, id)).toMatchObject({ state: 'cancelled', cancel_reason: 'enough', attempt: 1 });
    expect(await ledger.lines()).toHaveLength(1);
  });
});
