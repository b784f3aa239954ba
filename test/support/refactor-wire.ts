/** A scripted client that has a folder refactored, on raw messages of either era: its roots, its user and its model. */
import { m26, type WireMessage, type WireResult, type WireSession } from './http-wire.js';
import { isQuestion, says } from './questions-wire.js';

/** What the client says; an answer may be an error on the 2025 wire, and a list is used up one by one. */
export interface RefactorScript {
  /** Whole answers to `roots/list`. */
  readonly roots?: object;
  /** Whole answers to the form, one a showing; the last stays. */
  readonly forms?: readonly object[];
  /** What the model makes of a file: its new content, or any answer as an object. */
  model?(path: string): string | object;
}

/** How a call went: its result, and what the client was asked, by method. */
export interface RefactorRun {
  readonly result: WireResult;
  readonly asked: readonly WireMessage[];
}

/** Wrong or missing answers, as errors. */
export const REFUSES = { code: -32603, message: 'not today' };

type Params = { readonly messages?: readonly { readonly content?: { readonly text?: string } }[] };

/** The path a question about a file names. */
export function pathAsked({ params }: Pick<WireMessage, 'params'>): string {
  const [message] = (params as Params | undefined)?.messages ?? [];
  return JSON.parse(/ file ("(?:[^"\\]|\\.)*") below/.exec(message?.content?.text ?? '')?.[1] ?? '""');
}

/** The questions of one kind. */
export function askedFor(run: RefactorRun, method: string): readonly WireMessage[] {
  return run.asked.filter((one) => one.method === method);
}

function answerTo(question: Pick<WireMessage, 'method' | 'params'>, script: RefactorScript, shown: number): object {
  if (question.method === 'roots/list') return script.roots ?? { roots: [] };
  if (question.method === 'elicitation/create')
    return script.forms?.[Math.min(shown, script.forms.length) - 1] ?? { action: 'cancel' };
  const answer = script.model?.(pathAsked(question)) ?? '';
  return typeof answer === 'string' ? says(JSON.stringify({ content: answer, summary: 'better' })) : answer;
}

let calls = 0;

/** Calls on a 2025 session and answers all it is asked, as it comes. */
export async function refactor25(session: WireSession, args: object, script: RefactorScript): Promise<RefactorRun> {
  calls += 1;
  const id = `refactor-${calls}`;
  const reply = await session.call(id, 'refactor_directory', args);
  const asked: WireMessage[] = [];
  for (;;) {
    const isNew = (one: WireMessage) => isQuestion(one) && !asked.some((known) => known.id === one.id);
    const next = await reply.message((one) => isNew(one) || (one.id === id && one.method === undefined), 60_000);
    if (next.method === undefined) return { result: resultOf(next), asked };
    asked.push(next);
    const answer = answerTo(next, script, asked.filter(({ method }) => method === next.method).length);
    if (answer === REFUSES) await session.refuse(next.id, REFUSES.code, REFUSES.message);
    else await session.answer(next.id, answer);
  }
}

type Rounds = WireResult & {
  readonly inputRequests?: Readonly<
    Record<string, { readonly method: string; readonly params?: WireMessage['params'] }>
  >;
};

/** Calls as a 2026-07-28 client does, with a retry for each round; `asked` holds the questions of all rounds. */
export async function refactor26(
  target: { readonly port: number },
  args: object,
  script: RefactorScript & { readonly capabilities: object },
): Promise<RefactorRun & { readonly rounds: number }> {
  const asked: WireMessage[] = [];
  let retry = {};
  for (let rounds = 0; ; rounds++) {
    calls += 1;
    const params = { name: 'refactor_directory', arguments: args, ...retry };
    const { capabilities } = script;
    const reply = await m26(target, `refactor-${calls}`, ['tools/call', params], { capabilities });
    const result: Rounds = resultOf(await reply.message(({ method }) => method === undefined, 30_000));
    if (result.resultType !== 'input_required') return { result, asked, rounds };
    const inputResponses: Record<string, object> = {};
    for (const [key, { method, params: asks }] of Object.entries(result.inputRequests ?? {})) {
      const question = { method, ...(asks && { params: asks }) };
      asked.push(question);
      inputResponses[key] = answerTo(question, script, asked.filter((one) => one.method === method).length);
    }
    retry = { inputResponses, ...(result.requestState !== undefined && { requestState: result.requestState }) };
  }
}

function resultOf({ result, error }: WireMessage): WireResult {
  if (!result) throw new Error(`a protocol error came: ${JSON.stringify(error)}`);
  return result;
}
