/** What a scripted client does with questions: knows them on a stream, answers them, and reads what the handler got. */
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Reply, textOf, type WireMessage, type WireResult, type WireSession } from './http-wire.js';

/** Everything a client can be asked. */
export const WILLING = { sampling: {}, elicitation: {}, roots: {} } as const;

/** The settings that load the quiz tool beside the scripted ones. */
export const QUIZ = { LONGHAUL_TOOLS: fileURLToPath(new URL('./quiz-tools.mjs', import.meta.url)) } as const;

const METHODS = ['sampling/createMessage', 'elicitation/create', 'roots/list'];

/** Whether a message is a question of the server's. */
export function isQuestion({ id, method = '' }: WireMessage): boolean {
  return id !== undefined && METHODS.includes(method);
}

/** Every question that came on a stream, in order. */
export function questionsOn(stream: Pick<Reply, 'messages'>): WireMessage[] {
  return stream.messages().filter(isQuestion);
}

/** Ids of the questions the server withdrew on a stream. */
export function withdrawnOn(stream: Pick<Reply, 'messages'>): unknown[] {
  return stream
    .messages()
    .flatMap(({ method, params }) => (method === 'notifications/cancelled' ? [params?.requestId] : []));
}

/** Which question it is, by the words of the scripted tools; `roots` for the one that has none. */
export function wordsOf({ method, params }: WireMessage): string {
  if (method === 'roots/list') return 'roots';
  if (method === 'elicitation/create') return String(params?.message);
  const [{ content } = {}] = (params?.messages ?? []) as { content?: { text?: string } }[];
  return String(content?.text);
}

/** Waits for the question with these words on a stream. */
export function question(stream: Reply, words: string, limitMs?: number): Promise<WireMessage> {
  return stream.message((message) => isQuestion(message) && wordsOf(message) === words, limitMs);
}

/** A model's answer in the plainest shape. */
export function says(text: string) {
  return { role: 'assistant', model: 'm', content: { type: 'text', text } };
}

/** A filled-in form. */
export function fills(content: unknown) {
  return { action: 'accept', content };
}

/** What a scripted handler got for each of its questions. */
export function repliesIn(result: WireResult | undefined): Record<string, unknown>[] {
  if (!result || result.isError) throw new Error(`the call failed: ${JSON.stringify(result)}`);
  return JSON.parse(textOf(result));
}

/** Answers a question and expects it to be accepted as every answer is, whether anybody waits for it or not. */
export async function answerTo(session: WireSession, { id }: WireMessage, result: object): Promise<void> {
  const reply = await session.answer(id, result);
  expect([reply.status, await reply.text()]).toEqual([202, '']);
}
