/** Cancels that race with two busy workers: none is lost, and no handler outlives its cancel. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JobId } from '../../src/core/ids.js';
import type { Handler } from '../../src/core/tool.js';
import type { Cancellation } from '../../src/jobs/cancel.js';
import { createJobs, type Jobs } from '../../src/jobs/jobs.js';
import { createLogger } from '../../src/logger.js';
import { createExecutor } from '../../workers/executor.js';
import { ALONE } from '../support/alone.js';
import { until, within } from '../support/gate.js';
import { type Core, openRedis } from '../support/places.js';
import { policyOver } from '../support/policy.js';
import { testRedactor } from '../support/redactor.js';
import { type TestRedis, testRedis } from '../support/redis.js';
import { echoContract } from '../support/tools.js';

const ROUNDS = 600;
/** Rounds under way at once, so that jobs wait, run and end while others are cancelled. */
const LANES = 12;
const LONGEST_WORK_MS = 60;
/** This share of the handlers works until it is aborted, so that one whose cancel is lost cannot hide behind its end. */
const ENDLESS_SHARE = 0.25;
const ENDLESS_MS = 30_000;
/** Drawn up to this long, and longer the busier the machine is: see `createPace`. */
const LONGEST_WAIT_MS = 90;
/** Within a second on a quiet machine; one whose cancel is lost goes on for half a minute. */
const BOUND_MS = 15_000;

/** One job of the race as its test saw it. */
interface Round {
  readonly id: JobId;
  readonly answer: Cancellation;
  /** When the cancel was answered. */
  readonly atMs: number;
}

/** When a handler began and ended. */
interface Run {
  readonly startMs: number;
  endMs?: number;
}

/** The runs of the handler by job. */
type Runs = Map<string, Run[]>;

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

/** Works for a random while, stops when told to, and keeps a record of both. */
function recordingHandler(runs: Runs): Handler {
  return async (_input, { jobId, signal }) => {
    const run: Run = { startMs: Date.now() };
    runs.set(jobId, [...(runs.get(jobId) ?? []), run]);
    const workMs = Math.random() < ENDLESS_SHARE ? ENDLESS_MS : Math.random() * LONGEST_WORK_MS;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, workMs);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    run.endMs = Date.now();
    signal.throwIfAborted();
    return { word: 'done' };
  };
}

async function startWorkers(core: Core, runs: Runs): Promise<void> {
  const { store, log, journal, mailbox, folders, tables } = core;
  const tools = new Map([['echo', { contract: echoContract(), handler: recordingHandler(runs) }]]);
  for (const workerId of ['w1', 'w2']) {
    const run = createExecutor({
      ...ALONE,
      policy: policyOver(core),
      ...{
        store,
        log,
        journal,
        mailbox,
        folders,
        tables,
        queue: core.queue,
        redactor: testRedactor(),
        tools,
        workerId,
      },
      inputTimeoutMs: 60_000,
      submissionTimeoutMs: 60_000,
      logger: createLogger('test', 'silent'),
      shutdown: new AbortController().signal,
    });
    await core.consumer({ queue: 'analysis', concurrency: 4, workerId, run }).start();
  }
}

/** How long to wait before a cancel. */
interface Pace {
  waitMs(): number;
  note(answer: Cancellation): void;
}

/** A race whose jobs are slower than its cancels is none: while too few of the last jobs completed, cancels come later. */
function createPace(): Pace {
  let longestMs = LONGEST_WAIT_MS;
  let completed = 0.5;
  return {
    waitMs: () => Math.random() * longestMs,
    note({ kind }) {
      completed += ((kind === 'already_ended' ? 1 : 0) - completed) / 20;
      longestMs = Math.max(LONGEST_WAIT_MS, longestMs * (completed < 0.25 ? 1.1 : 0.95));
    },
  };
}

async function playRound(jobs: Jobs, pace: Pace): Promise<Round> {
  const request = { principal: 'alice', args: { word: 'hello' }, allowedFolders: [] };
  const { id } = await jobs.submit(echoContract(), request);
  await new Promise((resolve) => setTimeout(resolve, pace.waitMs()));
  const answer = await jobs.cancel(id, 'alice', 'race');
  pace.note(answer);
  return { id, answer, atMs: Date.now() };
}

async function playAll(jobs: Jobs): Promise<Round[]> {
  const rounds: Round[] = [];
  const pace = createPace();
  let begun = 0;
  const lane = async () => {
    while (begun < ROUNDS) {
      begun += 1;
      rounds.push(await playRound(jobs, pace));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return rounds;
}

/** Holds one job to its promises; answers how it ended. */
async function judge(core: Core, { id, answer, atMs }: Round, runs: readonly Run[]): Promise<string> {
  const promised = answer.kind === 'cancelled' ? 'cancelled' : 'completed';
  if (answer.kind === 'already_ended') expect(answer.state).toBe('completed');
  expect((await core.store.get(id))?.state).toBe(promised);
  expect((await core.store.outcome(id))?.state).toBe(promised);
  expect(runs.length).toBeLessThanOrEqual(1);
  for (const run of runs) expect((run.endMs ?? Number.POSITIVE_INFINITY) - atMs).toBeLessThan(BOUND_MS);
  return promised;
}

it(`of ${ROUNDS} cancels at random moments none is lost, and none leaves a handler running`, async () => {
  const core = await openRedis(server);
  try {
    const runs: Runs = new Map();
    const { store, log, queue, mailbox, ledger, tables } = core;
    const jobs = createJobs({ store, log, queue, mailbox, ledger, tables, redactor: testRedactor(), now: Date.now });
    await startWorkers(core, runs);
    const rounds = await within(playAll(jobs), { what: 'all rounds', limitMs: 90_000, seen: () => runs.size });
    const open = () => [...runs.values()].flat().filter((run) => run.endMs === undefined).length;
    await until(open, (count) => count === 0, { what: 'every handler to end', limitMs: BOUND_MS });
    await until(
      () => queue.counts('analysis'),
      (counts) => counts.waiting + counts.active + counts.delayed === 0,
      { what: 'an empty queue' },
    );

    const ends: string[] = [];
    for (const round of rounds) ends.push(await judge(core, round, runs.get(round.id) ?? []));
    // A race that always ends in the same way is none.
    expect(ends.filter((end) => end === 'cancelled').length).toBeGreaterThan(ROUNDS / 10);
    expect(ends.filter((end) => end === 'completed').length).toBeGreaterThan(ROUNDS / 10);
    expect(ends).toHaveLength(ROUNDS);
  } finally {
    await core.close();
  }
}, 180_000);
