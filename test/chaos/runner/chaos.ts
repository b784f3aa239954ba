/** One chaos run: an installation of real processes, the jobs of a seed, the faults of a seed, and what came of both. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { abortableWith } from '../../../src/core/abort.js';
import { pause } from '../../../src/core/lifecycle.js';
import { closeRedis, connectRedis } from '../../../src/redis/connection.js';
import { killAllOf, processesOf } from '../../support/processes.js';
import { createControl, watchFromAside } from './control.js';
import { gatherEvidence, queuedJobs } from './evidence.js';
import { startFaults } from './faults.js';
import { type Installation, openInstallation } from './installation.js';
import { judgeJob, judgeRemains, variantOf } from './judge.js';
import { createLane, type Lane } from './lane.js';
import { judgeProbes } from './outage.js';
import { type PlannedJob, planCalm, planJobs } from './plan.js';
import { playJob, type Stage } from './play.js';
import type { Findings } from './report.js';
import { makeTrees } from './trees.js';
import { noteOutcome, outcomeOfJob, type SeenOutcome, type Witness } from './witness.js';

/** What to run. */
export interface ChaosOptions {
  readonly seed: number;
  readonly jobs: number;
  /** After so many minutes no further job is begun; what was begun must have ended a few minutes later. */
  readonly minutes: number;
  /** Clients side by side. */
  readonly lanes: number;
  /** Jobs between two faults at most; fewer make a short run as hard as a long one. */
  readonly gapJobs?: number;
  /** Leaves the folder with its logs where it is. */
  readonly keep?: boolean;
  /** Ends the run early; what has not ended then counts as lost. */
  readonly signal?: AbortSignal;
  say(words: string): void;
}

/** A job that was begun last may need several recoveries. */
const LAST_JOBS_MS = 180_000;
const CALM_LANES = 4;
/** What a run leaves in the queue, such as parts of cancelled scans, must be gone after this. */
const SETTLE_LIMIT_MS = 120_000;
/** Every so many jobs are looked at by a session of their own as well. */
const SESSION_SHARE = 5;

/** Runs it; nothing is left running, whatever comes of it. */
export async function runChaos(options: ChaosOptions): Promise<Findings> {
  const installation = await openInstallation();
  options.say(`seed ${options.seed}; the logs are in ${installation.folder}`);
  try {
    return await disturb(options, installation);
  } finally {
    await installation.stop();
    await installation.dispose(options.keep);
    await killAllOf(installation.folder);
  }
}

async function disturb(options: ChaosOptions, installation: Installation): Promise<Findings> {
  const { seed, say } = options;
  const startedMs = Date.now();
  const places = { ledger: join(installation.folder, 'ledger'), trees: await makeTrees(installation.root) };
  await installation.start();
  const stopped = options.signal ?? new AbortController().signal;
  const closing = abortableWith(stopped, options.minutes * 60_000).signal;
  const over = abortableWith(stopped, options.minutes * 60_000 + LAST_JOBS_MS).signal;
  const stage = { control: createControl(installation), places, closing, over };
  const planned = planJobs(seed, options.jobs, options.lanes);
  const calm = await playLanes(installation, stage, spread(planCalm(planned.flat()), CALM_LANES));
  say(`${calm.length} jobs ended undisturbed after ${seconds(startedMs)}`);

  const disturbance = startFaults(options, installation);
  const witnesses = await playLanes(installation, stage, planned, (ended) => {
    disturbance.jobEnded();
    if (ended % 100 === 0) say(`${ended} jobs ended, ${disturbance.faults.length} faults, after ${seconds(startedMs)}`);
  });
  await disturbance.end();
  const { faults } = disturbance;
  say(`${witnesses.length} jobs and ${faults.length} faults are over after ${seconds(startedMs)}`);

  const wrongs = await askAgain(stage, witnesses);
  const evidence = await settled(installation, places.ledger);
  const outcomes = new Map(calm.flatMap((one) => (one.outcome ? [[variantOf(one), one.outcome] as const] : [])));
  const standards = { calm: outcomes as ReadonlyMap<string, SeenOutcome>, evidence, faults };
  wrongs.push(...[...calm, ...witnesses].flatMap((witness) => judgeJob(witness, standards)));
  wrongs.push(...judgeProbes(faults.flatMap(({ probes = [] }) => probes)));
  wrongs.push(...judgeRemains(evidence, [...calm, ...witnesses]));
  wrongs.push(...(await leftovers(installation)));
  return { seed, planned: options.jobs, witnesses, faults, evidence, wrongs, tookMs: Date.now() - startedMs };
}

/** Plays each list by a client of its own, all at the same time. */
async function playLanes(
  installation: Installation,
  stage: Omit<Stage, 'lane'> & { readonly closing: AbortSignal },
  lists: readonly (readonly PlannedJob[])[],
  onEnded: (ended: number) => void = () => undefined,
): Promise<Witness[]> {
  const witnesses: Witness[] = [];
  const play = async (lane: Lane, jobs: readonly PlannedJob[]) => {
    for (const job of jobs) {
      if (stage.closing.aborted) break;
      witnesses.push(await playJob({ ...stage, lane }, job));
      onEnded(witnesses.length);
    }
    await lane.close();
  };
  await Promise.all(lists.map((jobs, index) => play(createLane(installation, index), jobs)));
  return witnesses;
}

/** Asks for every job once more, from aside and in sessions of later: the outcome is the same, and cancelled stays cancelled. */
async function askAgain({ control }: Pick<Stage, 'control'>, witnesses: readonly Witness[]): Promise<string[]> {
  const wrongs: string[] = [];
  for (const [index, witness] of witnesses.entries()) {
    const { jobId, outcome, job } = witness;
    if (jobId === undefined || !outcome) continue;
    try {
      await watchFromAside(control, witness, 1);
      if (index % SESSION_SHARE !== 0) continue;
      const seen = outcomeOfJob(witness, await control.lookInSession(jobId));
      if (seen) noteOutcome(witness, seen, 'a later session');
      else wrongs.push(`${job.key}: a later session does not see it ended`);
    } catch (error) {
      wrongs.push(`${job.key}: it cannot be asked for: ${String(error)}, ${String(Object(error).cause)}`);
    }
  }
  return wrongs;
}

/** Waits until the queue is empty, then reads all there is. */
async function settled({ redis, namespace }: Installation, ledger: string) {
  const connection = connectRedis({ socketPath: redis.socketPath }, 'work');
  try {
    const giveUpAtMs = Date.now() + SETTLE_LIMIT_MS;
    while ((await queuedJobs(connection, namespace)).length > 0 && Date.now() < giveUpAtMs) await pause(200);
    return await gatherEvidence(connection, namespace, ledger);
  } finally {
    closeRedis(connection);
  }
}

/** Stops everything; what runs or lies around after that is wrong. */
async function leftovers(installation: Installation): Promise<string[]> {
  const { folder, redis } = installation;
  const killed = await installation.stop();
  const running = (await processesOf(folder)).filter(({ pid }) => pid !== redis.pid());
  const files = await Promise.all(['tmp', 'data'].map(async (name) => readdir(join(folder, name))));
  const halves = (await readdir(join(folder, 'cache'), { recursive: true })).filter((name) => /tmp|part/.test(name));
  return [
    ...killed.map((name) => `${name} did not stop when it was asked to`),
    ...running.map(({ pid, command }) => `process ${pid} is left: ${command}`),
    ...[...files.flat(), ...halves].map((name) => `the file ${name} is left`),
  ];
}

function spread(jobs: readonly PlannedJob[], lanes: number): PlannedJob[][] {
  return Array.from({ length: lanes }, (_, lane) => jobs.filter((_job, index) => index % lanes === lane));
}

function seconds(sinceMs: number): string {
  return `${Math.round((Date.now() - sinceMs) / 1_000)} s`;
}
