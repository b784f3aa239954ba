/** A tree to refactor and a job to do it: the test is the model and the user, and keeps the journal over re-runs. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { jobIdSchema, newJobId } from '../../../src/core/ids.js';
import { type InputReply, NO_ABILITIES } from '../../../src/core/input.js';
import type { JsonValue } from '../../../src/core/json.js';
import type { Redactor } from '../../../src/core/redaction.js';
import type { SamplingAnswer, SamplingRequest } from '../../../src/core/sampling.js';
import type { FolderClaim, HandlerContext } from '../../../src/core/tool.js';
import { refactorDirectory } from '../../../src/tools/refactor-directory.js';
import { createSyntax } from '../../../workers/analysis/syntax/syntax.js';
import { createRefactorDirectory } from '../../../workers/handlers/refactor-directory.js';
import { modelSays, scriptContext } from '../../support/scripted-context.js';

/** What the user's form says; `decline` and the like end it. */
export type Form = Record<string, unknown> | InputReply<never>['kind'];

/** What a test decides. */
export interface Script {
  readonly form?: Form;
  /** The model, by path; a file it is not asked about fails the test. */
  readonly model?: Readonly<Record<string, unknown>>;
  readonly client?: Partial<typeof NO_ABILITIES>;
  readonly redactor?: Redactor;
  readonly claim?: FolderClaim;
  readonly answerTokens?: number;
  readonly folder?: string;
  readonly jobId?: string;
  readonly signal?: AbortSignal;
  /** Steps of earlier runs; filled by this one. */
  readonly journal?: Map<string, JsonValue>;
  /** Called before each step that is done anew. */
  readonly beforeStep?: (key: string) => Promise<void> | void;
}

/** A tree in a folder of its own. */
export interface Tree {
  readonly root: string;
  put(path: string, content: string | Buffer): Promise<string>;
  remove(): Promise<void>;
}

/** What a run came to. */
export interface Run {
  readonly result: z.output<typeof refactorDirectory.output>;
  readonly text: string;
  /** What the model was asked, by path. */
  readonly asked: ReadonlyMap<string, SamplingRequest>;
  readonly forms: readonly string[];
}

/** Makes an empty tree. */
export async function plantTree(files: Readonly<Record<string, string | Buffer>> = {}): Promise<Tree> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-refactor-')));
  const put = async (path: string, content: string | Buffer) => {
    const place = join(root, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, content);
    return place;
  };
  for (const [path, content] of Object.entries(files)) await put(path, content);
  return { root, put, remove: () => rm(root, { recursive: true, force: true }) };
}

/** A whole file as the model's answer. */
export const rewrites = (content: string, summary = 'better') => modelSays({ content, summary });

/** Takes nothing out. */
export const seesNothing: Redactor = { redact: async (text) => ({ text, found: [] }) };

const syntax = createSyntax();

/** Runs the handler once and checks that its result fits the contract. */
export async function refactor(tree: Tree, script: Script = {}): Promise<Run> {
  const { redactor = seesNothing, answerTokens = 4_096, folder = tree.root } = script;
  const handler = createRefactorDirectory({ redactor, syntax, answerTokens });
  const asked = new Map<string, SamplingRequest>();
  const forms: string[] = [];
  const context = contextOf(tree, script, { asked, forms });
  const input = refactorDirectory.input.parse({ rel_path: folder });
  const result = refactorDirectory.output.parse(await handler(input, context));
  return { result, text: refactorDirectory.render(result, input), asked, forms };
}

function contextOf(
  tree: Tree,
  script: Script,
  { asked, forms }: { asked: Map<string, SamplingRequest>; forms: string[] },
): HandlerContext {
  const { form = { style: 'safe' }, model = {}, claim = { kind: 'held' }, journal = new Map() } = script;
  const { context } = scriptContext({});
  return {
    ...context,
    jobId: jobIdSchema.parse(script.jobId ?? newJobId()),
    allowedFolders: [tree.root],
    ...(script.signal && { signal: script.signal }),
    client: { ...NO_ABILITIES, sampling: true, elicitation: true, roots: true, ...script.client },
    async sample(key, request) {
      const path = key.replace(/^rewrite /, '');
      const reply = model[path];
      if (reply === undefined) throw new Error(`the handler was not expected to ask about ${path}`);
      asked.set(path, request);
      return reply as InputReply<SamplingAnswer>;
    },
    async elicit(_key, { message, fields }) {
      forms.push(message);
      if (script.client?.elicitation === false) return { kind: 'unsupported', missing: 'elicitation' };
      // The kinds a test names carry nothing that the handler looks at.
      if (typeof form === 'string') return { kind: form, message: 'no' } as InputReply<never>;
      return { kind: 'answered', value: fields.parse(form) };
    },
    claimFolder: async () => claim,
    async step<T extends JsonValue>(key: string, fn: () => Promise<T>): Promise<T> {
      if (journal.has(key)) return journal.get(key) as T;
      await script.beforeStep?.(key);
      const value = JSON.parse(JSON.stringify(await fn()));
      journal.set(key, value);
      return value;
    },
  };
}
