/** The questions of one run: answered from the mailbox, or gathered until the handler can do nothing but wait. */
import { AppError } from '../src/core/errors.js';
import { fingerprint } from '../src/core/ids.js';
import { createTurns } from '../src/core/in-turn.js';
import type { Input, InputKind, Question, StoredReply } from '../src/core/input.js';
import type { JsonValue } from '../src/core/json.js';
import { heedModels } from './policy/models.js';
import type { Admission, Candidate } from './policy/policy.js';
import type { Prepared } from './policy/prepare.js';

/** A question as the context puts it. */
export interface Asked {
  readonly key: string;
  readonly kind: InputKind;
  /** Makes it ready; the run does not count as waiting meanwhile. */
  prepare(): Promise<Prepared>;
  /** Milliseconds to an answer; as configured for its kind unless said. */
  readonly timeoutMs?: number;
}

/** Milliseconds to an answer: by a client, and by whoever a job was handed over to. */
export interface AnswerTimes {
  readonly clientMs: number;
  readonly submissionMs: number;
}

/** What questions stand on. */
export interface QuestionsOptions {
  readonly times: AnswerTimes;
  /** Judges a sampling question that was never asked before. */
  admit(candidate: Candidate): Promise<Admission>;
  /** Stores a question with the reply it got here; throws if the run may not. */
  decide(decided: Required<Input>): Promise<void>;
}

/** What a run ends with that waits. */
export interface Waiting {
  /** All that is open, and is asked now if it was not before. */
  readonly open: readonly Question[];
  /** Whether it waits for a share of its session's budget, too. */
  readonly inLine: boolean;
}

/** See `createQuestions`. */
export interface Questions {
  /** Resolves with the reply if there is one; otherwise never, since the run ends by waiting. */
  ask(asked: Asked): Promise<StoredReply>;
  /** Whether an earlier run asked this and got its reply. */
  isAnswered(key: string): boolean;
  /** Notes that a step runs: while one does, the handler is not waiting. Call the result when it is done. */
  busy(): () => void;
  /** Keys of replies this run has not asked for yet. */
  readonly unvisited: ReadonlySet<string>;
  /** Resolves, with what is waited for, once the handler waits for nothing but answers. */
  readonly waiting: Promise<Waiting>;
}

/** Work between questions that takes longer belongs in a step, which is waited for as long as it runs. */
const GRACE_MS = 5_000;

/**
 * Builds the questions of a run from what the mailbox holds. A handler that asks otherwise than before is told so:
 * another request under a known key rejects at once, and a run that waits without having asked all it asked before
 * rejects `waiting`, after a time of grace for work of the handler's own; both with `replay_mismatch`.
 *
 * Questions are placed one by one in the order they were asked, so that the first that finds no room for now holds back
 * those after it. What is held back is stored nowhere: the run ends with what is open, and the run after an answer asks
 * again. Something is always open or in line then, since nothing else can take the room.
 */
export function createQuestions(known: readonly Input[], options: QuestionsOptions): Questions {
  const placing = createPlacing(known, options);
  const used = new Set<string>();
  const inTurn = createTurns();
  let running = 0;
  const end = createEnd();
  const grace = createGrace(() => {
    if (running === 0 && placing.unvisited.size > 0)
      end.fail(`it did not ask ${[...placing.unvisited].join(', ')} again`);
  });
  const settle = (): void => {
    const { open, held } = placing;
    if (open.size + held.size === 0 || running > 0) return;
    if (placing.unvisited.size === 0)
      end.wait({ open: [...open.values()], inLine: [...held.values()].includes('in line') });
    // Reading a file takes more than two turns: another branch of the handler may still be about to ask.
    else grace();
  };
  const busy = () => {
    running += 1;
    return () => {
      running -= 1;
      // Two turns of the event loop: siblings in a Promise.all ask in the same turn, continuations of a step in the next.
      setImmediate(() => setImmediate(settle));
    };
  };
  return {
    unvisited: placing.unvisited,
    isAnswered: placing.isAnswered,
    waiting: end.waiting,
    async ask(asked) {
      const { key } = asked;
      if (used.has(key))
        throw new Error(`the question ${JSON.stringify(key)} was asked twice in one run; keys name one question each`);
      used.add(key);
      const done = busy();
      const prepared = asked.prepare();
      // Its turn may come after it has failed.
      prepared.catch(() => undefined);
      const reply = await inTurn(async () => placing.place(asked, await prepared)).finally(done);
      return reply ?? new Promise<StoredReply>(() => undefined);
    },
    busy,
  };
}

interface Placing {
  /** The reply, if there is one already. */
  place(asked: Asked, prepared: Prepared): Promise<StoredReply | undefined>;
  readonly unvisited: ReadonlySet<string>;
  isAnswered(key: string): boolean;
  readonly open: ReadonlyMap<string, Question>;
  /** Questions that found no room for now, by what they wait for. */
  readonly held: ReadonlyMap<string, 'answers' | 'in line'>;
}

function createPlacing(known: readonly Input[], { times, admit, decide }: QuestionsOptions): Placing {
  const inputs = new Map(known.map((input) => [input.question.key, input]));
  const unvisited = new Set(inputs.keys());
  const open = new Map<string, Question>();
  const held = new Map<string, 'answers' | 'in line'>();
  const admitted = async (question: Question, prepared: Prepared): Promise<StoredReply | undefined> => {
    const { key } = question;
    const admission = await admit({ key, prepared, inputs: [...inputs.values()], behind: held.size > 0 });
    if (admission.kind === 'wait') held.set(key, admission.inLine ? 'in line' : 'answers');
    if (admission.kind === 'ask') open.set(key, question);
    if (admission.kind === 'ask') inputs.set(key, { question });
    if (admission.kind !== 'decided') return undefined;
    // Nobody will read the request, and one that is too large is not worth keeping.
    await decide({ question: { ...question, request: null }, reply: admission.reply });
    return admission.reply;
  };
  return {
    unvisited,
    isAnswered: (key) => inputs.get(key)?.reply !== undefined,
    open,
    held,
    async place({ key, kind, timeoutMs = kind === 'submission' ? times.submissionMs : times.clientMs }, prepared) {
      const print = fingerprintOf(kind, prepared.asked);
      const input = inputs.get(key);
      if (input && input.question.fingerprint !== print) throw mismatch(`it asked something else under the key ${key}`);
      unvisited.delete(key);
      if (input?.reply) return heedModels({ question: input.question, reply: input.reply });
      if (kind === 'submission' && [...open.values()].some((other) => other.kind === kind))
        throw new Error(`${JSON.stringify(key)} is handed over beside another; a job hands over one thing at a time`);
      if (input) open.set(key, input.question);
      if (input) return undefined;
      const question = questionOf({ key, kind, timeoutMs }, prepared);
      if (kind === 'sampling') return admitted(question, prepared);
      open.set(key, question);
      return undefined;
    },
  };
}

/** A question as it is stored, to be answered within so many milliseconds. */
export function questionOf(
  { key, kind, timeoutMs }: { key: string; kind: InputKind; timeoutMs: number },
  { asked, sent = asked, models }: Prepared,
): Question {
  return {
    key,
    kind,
    request: sent,
    fingerprint: fingerprintOf(kind, asked),
    timeoutMs,
    deadlineMs: Date.now() + timeoutMs,
    ...(models && { models: [...models] }),
  };
}

function fingerprintOf(kind: InputKind, asked: JsonValue): string {
  return fingerprint(JSON.stringify([kind, asked]));
}

interface End {
  readonly waiting: Questions['waiting'];
  wait(waiting: Waiting): void;
  fail(what: string): void;
}

/** How a run ends that waits: settled once, whatever follows. */
function createEnd(): End {
  let wait: End['wait'] = () => undefined;
  let fail: (error: AppError) => void = () => undefined;
  const waiting = new Promise<Waiting>((resolve, reject) => {
    wait = resolve;
    fail = reject;
  });
  // Nobody may be listening when a handler ends by itself.
  waiting.catch(() => undefined);
  return { waiting, wait, fail: (what) => fail(mismatch(what)) };
}

/** Begun again and again, calls back when the time of grace since the first beginning is over. */
function createGrace(over: () => void): () => void {
  let begun = false;
  return () => {
    if (begun) return;
    begun = true;
    setTimeout(() => {
      begun = false;
      over();
    }, GRACE_MS).unref();
  };
}

function mismatch(what: string): AppError {
  return new AppError(
    'replay_mismatch',
    `The tool asked other questions when it was run again: ${what}. A handler must ask the same for the same input and answers; this is a fault in the tool.`,
  );
}
