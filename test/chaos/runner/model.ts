/** The scripted model and user of the chaos run: they answer the same question always in the same way. */
import type { WireMessage } from '../../support/http-wire.js';
import { FINDING, readQuestion, rightAnswer } from '../../support/scripted-model.js';

/** What a client declares: one that can be asked for everything, and one that has no model. */
export const CLIENTS = {
  asked: { sampling: {}, elicitation: {}, roots: {} },
  'without a model': { elicitation: {}, roots: {} },
} as const;

/** See `CLIENTS`. */
export type ClientKind = keyof typeof CLIENTS;

/** What is submitted for every job that is handed over. */
export const SUBMISSION = {
  findings: [FINDING],
  summary: 'One fault.',
  scores: { security: 4, correctness: 9, performance: 9, readability: 9 },
} as const;

const FORMS: Readonly<Record<string, object>> = {
  v0: { action: 'accept', content: { name: 'Ada', age: 36 } },
  v1: { action: 'decline' },
  v2: { action: 'cancel' },
};

const METHODS = ['sampling/createMessage', 'elicitation/create', 'roots/list'];

/** Whether a message is a question of the server's. */
export function isQuestion({ id, method = '' }: WireMessage): boolean {
  return id !== undefined && METHODS.includes(method);
}

/** The result that answers a question. */
export function answerOf({ method, params }: Pick<WireMessage, 'method' | 'params'>): object {
  if (method === 'roots/list') return { roots: [] };
  if (method === 'elicitation/create') return formAnswer(String(params?.message));
  const text = JSON.stringify(params);
  const own = /\]\] question (\d+) (\d+)/.exec(text);
  return says(own ? `answer ${own[1]} ${own[2]}` : JSON.stringify(rightAnswer(readQuestion(params).form)));
}

function formAnswer(message: string): object {
  const variant = /form (\w+)/.exec(message)?.[1] ?? '';
  const answer = FORMS[variant];
  if (!answer) throw new Error(`a form that is not known: ${message}`);
  return answer;
}

function says(text: string): object {
  return { role: 'assistant', model: 'chaos', stopReason: 'endTurn', content: { type: 'text', text } };
}
