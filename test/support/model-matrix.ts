/** Where the matrix of tools and models is played: an installation that waits long, one that does not, and the calls themselves. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { expectMarked, expectOutcome, type Family, OUTCOMES, type Outcome } from './model-outcomes.js';
import { type Driver, expectHealthy, type ModelCall, type ModelRun } from './model-wire.js';
import { CODE, MODELS, type ModelName, REWRITTEN } from './scripted-model.js';
import { type HttpServer, openSite, type Site } from './site.js';

const SUBJECT = { code: CODE, language: 'JavaScript' };

/** Every tool that asks the model, each depth for itself, and the arguments of a call of it. */
export const MODEL_TOOLS = [
  { label: 'review_code', tool: 'review_code', family: 'review', args: SUBJECT },
  { label: 'generate_tests', tool: 'generate_tests', family: 'tests', args: SUBJECT },
  { label: 'smart_review, quick', tool: 'smart_review', family: 'review', args: { ...SUBJECT, depth: 'quick' } },
  { label: 'smart_review, standard', tool: 'smart_review', family: 'review', args: { ...SUBJECT, depth: 'standard' } },
  { label: 'smart_review, deep', tool: 'smart_review', family: 'review', args: { ...SUBJECT, depth: 'deep' } },
  { label: 'analyze_repo', tool: 'analyze_repo', family: 'score', args: { metrics: ['complexity'] } },
  { label: 'refactor_directory', tool: 'refactor_directory', family: 'refactor', args: {} },
] as const satisfies readonly { label: string; tool: string; family: Family; args: object }[];

/** See `MODEL_TOOLS`. */
export type ModelTool = (typeof MODEL_TOOLS)[number];

/** Names of all models. */
export const MODEL_NAMES = Object.keys(MODELS) as readonly ModelName[];

/** An installation and the front end that a driver speaks to. */
export interface Stage {
  readonly site: Site;
  readonly server: HttpServer;
}

/** Settings under which answers of 5 MB come through, and each call is held by its own budget. */
const ROOMY = { LONGHAUL_MAX_BODY_BYTES: '16777216', LONGHAUL_SESSION_OUTPUT_TOKENS: '1000000000' };

/** Opens two installations for a file: `patient` waits for answers as ever, `hasty` no longer than a busy machine takes for one. */
export function useStages(): Readonly<Record<'patient' | 'hasty', () => Stage>> {
  return { patient: useStage({}), hasty: useStage({ LONGHAUL_INPUT_TIMEOUT_SECONDS: '3' }) };
}

function useStage(env: Readonly<Record<string, string>>): () => Stage {
  let stage: Stage | undefined;
  beforeAll(async () => {
    const site = await openSite();
    stage = { site, server: await site.http({ env: { ...ROOMY, ...env } }) };
  });
  afterAll(() => stage?.site.close());
  return () => {
    if (!stage) throw new Error('the stage of this file is not open');
    return stage;
  };
}

const FORM = { action: 'accept', content: { style: 'safe', dry_run: false, max_files: 5 } };

/** The argument by which a tool that works in a folder is told which. */
function wherein(family: Family, folder: string): object {
  if (family === 'refactor') return { rel_path: folder };
  return family === 'score' ? { repoPath: folder } : {};
}

/** A call that is ready to be made, and what it is held to when it has ended. */
export interface Cell {
  readonly call: ModelCall;
  /** Throws unless the call ended as the table says, or as is said here. */
  judge(run: ModelRun, outcome?: Outcome): Promise<void>;
}

/** Sets one cell of the table up. */
export async function plant({ site }: Stage, { tool, family, args }: ModelTool, name: ModelName): Promise<Cell> {
  const folder = await mkdtemp(join(site.root, 'code-'));
  const file = join(folder, 'a.js');
  await writeFile(file, CODE);
  const given = { ...args, ...wherein(family, relative(site.root, folder)) };
  return {
    call: { tool, args: given, model: MODELS[name], form: FORM },
    async judge(run, outcome = OUTCOMES[name][family]) {
      expectOutcome(run, family, outcome);
      expectMarked(run);
      const written = family === 'refactor' && outcome.useful;
      expect(await readFile(file, 'utf8')).toBe(written ? REWRITTEN : CODE);
    },
  };
}

/** Plays one cell: the call ends as the table says, and the server goes on as if nothing had happened. */
export async function play(stage: Stage, drive: Driver, tool: ModelTool, name: ModelName): Promise<ModelRun> {
  const cell = await plant(stage, tool, name);
  const run = await drive(cell.call);
  await cell.judge(run);
  await expectHealthy(stage.server);
  return run;
}
