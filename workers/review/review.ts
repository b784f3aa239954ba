/** A review of numbered sources by the client's model: its phases in order, and what each came to. */
import type { Finding } from '../../src/core/finding.js';
import type { HandlerContext } from '../../src/core/tool.js';
import type { Chunk } from './chunks.js';
import { type ChunkFindings, findInChunk } from './find-phase.js';
import { chunksWith, type Fixed, judgeFixes, proposeFixes } from './fix-phase.js';
import type { CountSyntaxErrors } from './fixes.js';
import { type Judging, scoreAll, verifyChunk } from './judge-phase.js';
import { createPlacer, type LeftOut, lacksOf, leftOutOf, type Placed } from './place-findings.js';
import { phasesOf, type ReviewPlan } from './review-plan.js';
import type { ReviewSubject } from './review-questions.js';
import { type Branch, createRounds, type Rounds } from './rounds.js';
import { dropFindings, judge, NO_SCORES, type Scores } from './scores.js';
import type { Source } from './source.js';

/** What a review is of, and how deep it goes. */
export interface ReviewTask {
  readonly subject: ReviewSubject;
  readonly plan: ReviewPlan;
  readonly sources: readonly Source[];
  readonly chunks: readonly Chunk[];
  readonly countSyntaxErrors: CountSyntaxErrors;
  /** Hears how far the review is: a share from 0 to 1, and what is being done. */
  onProgress(share: number, message: string): void;
}

/** What a review came to. */
export interface Review {
  /** Of each chunk, in order. */
  readonly chunks: readonly ChunkFindings[];
  readonly findings: readonly Finding[];
  readonly leftOut: readonly LeftOut[];
  readonly fixed?: Fixed;
  /** Absent if none were asked for. */
  readonly scores?: Scores;
  readonly verdict?: string;
  /** What phases after the first lack, as sentences. */
  readonly lacks: readonly string[];
  /** What the reader should know, though nothing is missing. */
  readonly notes: readonly string[];
}

/** Reviews; nothing is asked after the first phase unless it was heard. */
export async function review(context: Pick<HandlerContext, 'sample'>, task: ReviewTask): Promise<Review> {
  const { plan } = task;
  const phases = phasesOf(plan);
  const rounds = createRounds(context, phases);
  const stage = createStages(task, phases);
  const first = await find(task, rounds, stage('Looking for issues', task.chunks.length));
  const place = createPlacer();
  const heard = first.filter((chunk) => chunk.heard);
  if (heard.length === 0) return { chunks: first, findings: [], leftOut: [], lacks: [], notes: [] };
  const found = place(heard.map(reportedIn));
  const deeper = plan.deepens ? await deepen({ task, rounds, heard, found }, stage('Looking again', heard.length)) : [];
  const placed = deeper.length === 0 ? found : place([...heard, ...deeper].map(reportedIn));
  const judged = await judgeAll({ task, rounds, placed, chunks: heard.map(({ chunk }) => chunk) }, stage);
  const lacks = deeper.flatMap(({ chunk, lacks: own }) =>
    own.map((lack) => `The second look at chunk ${chunk.number}: ${lack}`),
  );
  return {
    ...judged,
    chunks: first,
    leftOut: [...placed.leftOut, ...judged.leftOut],
    lacks: [...lacksOf(placed), ...lacks, ...judged.lacks],
  };
}

/** Tells one more part of a phase as done. */
type Tick = () => void;

/** Makes the phases share the way from 0 to 1 evenly; within a phase each part counts alike. */
function createStages({ onProgress }: ReviewTask, phases: number): (message: string, parts: number) => Tick {
  let before = 0;
  return (message, parts) => {
    const start = before / phases;
    let done = 0;
    before = Math.min(phases, before + 1);
    onProgress(start, parts > 1 ? `${message}: ${parts} chunks` : message);
    return () => {
      done += 1;
      const share = Math.min(1, start + done / Math.max(1, parts) / phases);
      onProgress(share, parts > 1 ? `${message}: ${done} of ${parts} chunks` : `${message}: done`);
    };
  };
}

function find({ chunks, plan, subject }: ReviewTask, rounds: Rounds, tick: Tick): Promise<readonly ChunkFindings[]> {
  return inParallel(rounds, chunks, tick, (branch, chunk) =>
    findInChunk(branch, chunk, { subject, effort: plan.effort, name: 'find' }),
  );
}

interface Deepening {
  readonly task: ReviewTask;
  readonly rounds: Rounds;
  readonly heard: readonly ChunkFindings[];
  readonly found: Placed;
}

function deepen({ task, rounds, heard, found }: Deepening, tick: Tick): Promise<readonly ChunkFindings[]> {
  const within = chunksWith(
    heard.map(({ chunk }) => chunk),
    found.findings,
  );
  return inParallel(rounds, heard, tick, (branch, { chunk }) => {
    const known = within.find((one) => one.chunk === chunk)?.findings ?? [];
    return findInChunk(branch, chunk, { subject: task.subject, effort: 'low', name: 'deepen', known });
  });
}

/** All branches of a phase are asked together: what is independent costs one round. */
function inParallel<Item, Result>(
  rounds: Rounds,
  items: readonly Item[],
  tick: Tick,
  ask: (branch: Branch, item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  return rounds.phase((branch) =>
    Promise.all(
      items.map(async (item) => {
        const result = await ask(branch(), item);
        tick();
        return result;
      }),
    ),
  );
}

function reportedIn({ findings, chunk }: ChunkFindings) {
  return { findings, shown: [...new Set(chunk.parts.map(({ source }) => source))] };
}

interface JudgeTask {
  readonly task: ReviewTask;
  readonly rounds: Rounds;
  readonly placed: Placed;
  /** Those that were heard. */
  readonly chunks: readonly Chunk[];
}

type Judged = Pick<Review, 'findings' | 'leftOut' | 'fixed' | 'scores' | 'verdict' | 'lacks' | 'notes'>;

/** Fixes are asked for beside the first phase that judges; a finding that is dropped takes its fix along. */
async function judgeAll(judging: JudgeTask, stage: (message: string, parts: number) => Tick): Promise<Judged> {
  const { task, rounds, placed, chunks } = judging;
  const { plan } = task;
  const within = chunksWith(chunks, placed.findings);
  const parts = within.length * (Number(plan.fixes) + Number(plan.verifies)) + Number(plan.scores && !plan.verifies);
  if (parts === 0 && !plan.scores) return { findings: placed.findings, leftOut: [], lacks: [], notes: [] };
  const tick = stage(plan.fixes ? 'Asking for fixes and judging' : 'Judging', parts);
  const [proposals, verdicts, early] = await rounds.phase((branch) =>
    Promise.all([
      plan.fixes ? all(within, (one) => proposeFixes(branch(), one, task.subject), tick) : [],
      plan.verifies ? all(within, (one) => verifyChunk(branch(), one, task.subject), tick) : [],
      plan.scores && !plan.verifies ? ticked(score(judging, branch(), placed.findings), tick) : undefined,
    ]),
  );
  const verified = dropFindings(
    placed.findings,
    verdicts.flatMap(({ judgement }) => judgement?.drop ?? []),
  );
  const scored = plan.verifies && plan.scores ? await scoreLast(judging, verified.findings, stage) : early;
  const held = hold(verified.findings, scored);
  const fixed = plan.fixes ? await offer(task, held.findings, proposals) : undefined;
  const leftOut = [...verified.dropped, ...held.dropped].map(({ finding, reason }) =>
    leftOutOf(finding, `dropped by the model: ${reason}`),
  );
  return {
    findings: held.findings,
    leftOut,
    ...(fixed && { fixed }),
    ...(plan.scores && { scores: held.scores }),
    ...(scored?.judgement?.summary && { verdict: scored.judgement.summary }),
    lacks: [...verdicts, ...(scored ? [scored] : []), ...(fixed ? [fixed] : [])].flatMap((one) => one.lacks),
    notes: [...verified.notes, ...held.notes],
  };
}

function all<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result>,
  tick: Tick,
): Promise<Result[]> {
  return Promise.all(items.map((item) => ticked(ask(item), tick)));
}

async function ticked<Result>(work: Promise<Result>, tick: Tick): Promise<Result> {
  const result = await work;
  tick();
  return result;
}

function scoreLast(judging: JudgeTask, findings: readonly Finding[], stage: (message: string, parts: number) => Tick) {
  const tick = stage('Scoring', 1);
  return judging.rounds.phase((branch) => ticked(score(judging, branch(), findings), tick));
}

function score({ task, chunks }: JudgeTask, branch: Branch, findings: readonly Finding[]): Promise<Judging> {
  const [only, ...others] = chunks;
  const lines = chunks.reduce((sum, { parts }) => sum + parts.reduce((own, part) => own + part.lines.length, 0), 0);
  const files = new Set(chunks.flatMap(({ parts }) => parts.map(({ source }) => source.path)));
  const about = `${files.size} ${files.size === 1 ? 'file' : 'files'}, ${lines} lines, ${findings.length} findings`;
  return scoreAll(branch, task.subject, { chunk: others.length === 0 ? only : undefined, findings, about });
}

function hold(findings: readonly Finding[], judging: Judging | undefined) {
  if (judging?.judgement) return judge(findings, judging.judgement);
  return { findings, dropped: [], notes: [], scores: NO_SCORES };
}

async function offer(
  task: ReviewTask,
  findings: readonly Finding[],
  proposals: readonly Awaited<ReturnType<typeof proposeFixes>>[],
): Promise<Fixed> {
  const judged = await judgeFixes(
    proposals.flatMap(({ fixes }) => fixes),
    findings,
    task,
  );
  return { ...judged, lacks: [...new Set(proposals.flatMap(({ lacks }) => lacks))] };
}
