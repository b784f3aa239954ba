/** The questions of one run: answered from the mailbox, or gathered until the handler can do nothing but wait. */
import { AppError } from '../src/core/errors.js';
import { fingerprint } from '../src/core/ids.js';
import type { Input, InputKind, Question, StoredReply } from '../src/core/input.js';
import type { JsonValue } from '../src/core/json.js';

/** A question as the context puts it. */
export interface Asked {
  readonly key: string;
  readonly kind: InputKind;
  readonly request: JsonValue;
  /** Milliseconds to an answer; as configured for its kind unless said. */
  readonly timeoutMs?: number;
}

/** Milliseconds to an answer: by a client, and by whoever a job was handed over to. */
export interface AnswerTimes {
  readonly clientMs: number;
  readonly submissionMs: number;
}

/** See `createQuestions`. */
export interface Questions {
  /** Resolves with the reply if there is one; otherwise never, since the run ends by waiting. */
  ask(asked: Asked): Promise<StoredReply>;
  /** Notes that a step runs: while one does, the handler is not waiting. Call the result when it is done. */
  busy(): () => void;
  /** Keys of replies this run has not asked for yet. */
  readonly unvisited: ReadonlySet<string>;
  /** Resolves, with every question that is open, once the handler waits for nothing but answers. */
  readonly waiting: Promise<readonly Question[]>;
}

/** Work between questions that takes longer belongs in a step, which is waited for as long as it runs. */
const GRACE_MS = 5_000;

/**
 * Builds the questions of a run from what the mailbox holds. A handler that asks otherwise than before is told so:
 * another request under a known key rejects at once, and a run that waits without having asked all it asked before
 * rejects `waiting`, after a time of grace for work of the handler's own; both with `replay_mismatch`.
 */
export function createQuestions(known: readonly Input[], times: AnswerTimes): Questions {
  const inputs = new Map(known.map((input) => [input.question.key, input]));
  const unvisited = new Set(inputs.keys());
  const used = new Set<string>();
  const open = new Map<string, Question>();
  let running = 0;
  const end = createEnd();
  const grace = createGrace(() => {
    if (running === 0 && unvisited.size > 0) end.fail(`it did not ask ${[...unvisited].join(', ')} again`);
  });
  const settle = (): void => {
    if (open.size === 0 || running > 0) return;
    if (unvisited.size === 0) end.wait([...open.values()]);
    // Reading a file takes more than two turns: another branch of the handler may still be about to ask.
    else grace();
  };
  // Two turns of the event loop: siblings in a Promise.all ask in the same turn, continuations of a step in the next.
  const settleSoon = (): void => {
    setImmediate(() => setImmediate(settle));
  };
  return {
    unvisited,
    waiting: end.waiting,
    async ask({ key, kind, request, timeoutMs = kind === 'submission' ? times.submissionMs : times.clientMs }) {
      const print = fingerprint(JSON.stringify([kind, request]));
      const input = inputs.get(key);
      if (used.has(key))
        throw new Error(`the question ${JSON.stringify(key)} was asked twice in one run; keys name one question each`);
      if (input && input.question.fingerprint !== print) throw mismatch(`it asked something else under the key ${key}`);
      used.add(key);
      unvisited.delete(key);
      if (input?.reply) return input.reply;
      if (kind === 'submission' && [...open.values()].some((other) => other.kind === kind))
        throw new Error(`${JSON.stringify(key)} is handed over beside another; a job hands over one thing at a time`);
      open.set(key, input?.question ?? { key, kind, request, fingerprint: print, deadlineMs: Date.now() + timeoutMs });
      settleSoon();
      return new Promise<StoredReply>(() => undefined);
    },
    busy() {
      running += 1;
      return () => {
        running -= 1;
        settleSoon();
      };
    },
  };
}

interface End {
  readonly waiting: Questions['waiting'];
  wait(questions: readonly Question[]): void;
  fail(what: string): void;
}

/** How a run ends that waits: settled once, whatever follows. */
function createEnd(): End {
  let wait: End['wait'] = () => undefined;
  let fail: (error: AppError) => void = () => undefined;
  const waiting = new Promise<readonly Question[]>((resolve, reject) => {
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
