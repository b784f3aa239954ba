/** What a tool is: the contract both sides know, and the handler a worker runs. */
import type { z } from 'zod';
import type { ElicitationRequest, FormFields, FormValue } from './elicitation.js';
import { AppError } from './errors.js';
import type { LogLevel, Progress } from './events.js';
import type { HandOffReply, HandOffRequest } from './hand-off.js';
import type { JobId, Principal } from './ids.js';
import type { ClientAbilities, InputReply } from './input.js';
import type { JsonObject, JsonValue } from './json.js';
import { suggestion } from './nearest.js';
import type { FanOutRequest } from './part.js';
import type { SamplingAnswer, SamplingRequest } from './sampling.js';
import type { Section, SectionSize, TableRows } from './table.js';

/** Bounds of a tool's jobs; times in milliseconds. */
export interface ToolLimits {
  /** One attempt may run this long; 2,147,483,647 at most, which is some 24 days. */
  readonly timeoutMs: number;
  /** Attempts in all, the first included; only retryable errors are tried again. */
  readonly attempts: number;
  /** Wait before the second attempt; doubles with each further one, up to an hour. */
  readonly backoffMs: number;
}

/** Hints for the client, as MCP defines them (specification, section Tools). */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What a client sees of a tool. */
export interface PublishedTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** `^[a-z_]{1,64}$`, the subset every client and model provider accepts. */
  readonly name: string;
  readonly title: string;
  /** Under 2 kB, the critical part first. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  /** Renders a result as text for a person or a model; the front end caps its length. */
  render(output: z.output<Output>, input: z.output<Input>): string;
}

/** A tool whose calls are jobs: what a client sees and what a job of it may cost. */
export interface ToolContract<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject>
  extends PublishedTool<Input, Output> {
  readonly limits: ToolLimits;
  /** The queue its jobs wait in. */
  readonly queue: QueueName;
  /**
   * The arguments that hold text for a model, such as code: secrets are taken out of them before the job is stored, so that
   * neither the queue nor a handler ever has them.
   */
  readonly modelText?: readonly string[];
  /** The argument that names a folder to be read, checked against the allowed folders before a job is made. */
  readonly pathArgument?: string;
  /**
   * Further arguments that name files or folders to be read, one path or a list of them each; checked in the same way, and
   * always against the operator's folders and the client's roots.
   */
  readonly fileArguments?: readonly string[];
  /**
   * Where that folder must lie. `client_roots` is for tools that write: where the client offers roots, only inside them, and
   * relative paths start at the first of them. Default `allowed_folders`: the operator's folders or the client's roots.
   */
  readonly pathWithin?: 'allowed_folders' | 'client_roots';
}

/** The queues of the product; a worker's slots are counted per queue. */
export const QUEUE_NAMES = ['analysis', 'review'] as const;

/** See `QUEUE_NAMES`. */
export type QueueName = (typeof QUEUE_NAMES)[number];

/** What a handler may use while it runs. */
export interface HandlerContext {
  readonly jobId: JobId;
  readonly principal: Principal;
  /** From 1. */
  readonly attempt: number;
  /** Aborts with an `AbortReason`; a handler must stop within a second of it. */
  readonly signal: AbortSignal;
  /** Absolute folders the job may read; a handler that reads paths checks against them. */
  readonly allowedFolders: readonly string[];
  /** Reports progress; values that do not rise are left out, and bursts are thinned. */
  progress(progress: Progress): void;
  /** Logs to the calling client; `data` is a message or any JSON value. */
  log(level: LogLevel, data: JsonValue): void;
  /** What the calling client declared it can be asked. */
  readonly client: ClientAbilities;
  /**
   * Asks the calling client's model, once in the job's life. While no answer is there the job holds no worker slot: the run
   * ends here and starts again from the top when there is one. Never rejects for want of an answer; see `InputReply`.
   */
  sample(key: string, request: SamplingRequest): Promise<InputReply<SamplingAnswer>>;
  /** As `sample`, with a form for the user; what comes back fits `fields`, or the form is shown again with what is wrong, twice. */
  elicit<Fields extends FormFields>(
    key: string,
    request: ElicitationRequest<Fields>,
  ): Promise<InputReply<FormValue<Fields>>>;
  /** As `sample`, for the folders the client works in: absolute paths of its `file:` roots. */
  roots(key: string): Promise<InputReply<readonly string[]>>;
  /**
   * Hands the rest of the work to whoever called, for a client that cannot be asked: the call returns `output` at once, and
   * the job waits, without a slot, for `submit_review` by any call of its owner. One hand-off at a time. Rejects if `output`
   * does not fit the contract.
   */
  handOff(key: string, request: HandOffRequest): Promise<HandOffReply>;
  /**
   * Runs parts of the work as jobs of their own, on whatever workers there are, and resolves with their results in order.
   * While they run the job holds no slot. Rejects with the error of a part that failed; cancelling the job stops them all.
   * `parts` must be the same in every run of the job: take them from a step.
   */
  fanOut(key: string, request: FanOutRequest): Promise<readonly JsonObject[]>;
  /**
   * Runs `fn` once in the job's life: after a crash or hand-back its journaled result is returned instead. What JSON cannot
   * hold is lost in the first run already; a result of undefined is null.
   */
  step<T extends JsonValue>(key: string, fn: () => Promise<T>): Promise<T>;
  /**
   * Writes rows of a table beside the result, which is read a page at a time once the job completed: for what is too much to
   * return. Rows written again under the same section and `slice` (default 0) replace the earlier ones, so that a re-run
   * changes nothing. They are read by slices: first those of the job itself, then those of its parts in the order of the
   * parts. What does not fit 64 MiB a job, compressed, is left out, and its pages say so. A part writes tables of its job.
   */
  table(section: Section, rows: TableRows, slice?: number): Promise<void>;
  /** The tables the job has so far, by name, those of its parts included; empty for a part. */
  sections(): Promise<readonly SectionSize[]>;
  /**
   * Takes a folder, with all in it, for this job alone among the jobs of the installation, until the job ends in any way;
   * a re-run finds it taken already. `folder` is an absolute real path.
   */
  claimFolder(folder: string): Promise<FolderClaim>;
}

/** Whether a folder is the job's own now; `taken` names the living job that has it, a folder in it or one around it. */
export type FolderClaim = { readonly kind: 'held' } | { readonly kind: 'taken'; readonly by: JobId };

/** Does a tool's work; what it throws ends the attempt, and an `AppError` that is `retryable` is tried again. */
export type Handler<Contract extends ToolContract = ToolContract> = (
  input: z.output<Contract['input']>,
  context: HandlerContext,
) => Promise<z.input<Contract['output']>>;

/** A contract with its handler: what a tool file exports. */
export interface Tool {
  readonly contract: ToolContract;
  readonly handler: Handler;
}

/** Joins a contract and its handler, keeping their types in step. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  contract: ToolContract<Input, Output>,
  handler: Handler<ToolContract<Input, Output>>,
): Tool {
  // The handler only ever receives what `contract.input` parsed, so widening its parameter is sound.
  return { contract: contract as unknown as ToolContract, handler: handler as unknown as Handler };
}

/** Parses a call's arguments; throws `invalid_arguments` naming every field at fault and the nearest known name. */
export function parseArguments(contract: PublishedTool, args: unknown): JsonObject {
  const parsed = strictOf(contract.input).safeParse(args ?? {});
  if (parsed.success) return parsed.data as JsonObject;
  const known = Object.keys(contract.input.shape);
  const faults = parsed.error.issues.map((issue) => describeIssue(issue, known));
  throw new AppError(
    'invalid_arguments',
    `Invalid arguments for ${contract.name}: ${faults.join('; ')}. Correct them and call again; nothing was started.`,
  );
}

/** A schema compiles itself when it is first used, so each contract's strict form is made once, not for every call. */
const strictForms = new WeakMap<z.ZodObject, z.ZodObject>();

function strictOf(schema: z.ZodObject): z.ZodObject {
  const known = strictForms.get(schema) ?? schema.strict();
  strictForms.set(schema, known);
  return known;
}

function describeIssue(issue: z.core.$ZodIssue, known: readonly string[]): string {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `unknown argument ${JSON.stringify(key)} (${suggestion(key, known)})`).join('; ');
  }
  const path = issue.path.map(String).join('.') || 'arguments';
  return `${path}: ${issue.message}`;
}
