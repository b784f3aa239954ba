/** The token budget of one job, read from its mailbox: what answers used, and what open questions may still use. */
import type { Input, Question } from '../../src/core/input.js';
import { answerTokens } from '../../src/core/sampling.js';

/** Estimated output tokens. */
export interface Spending {
  /** By answers that came. */
  readonly used: number;
  /** By questions that lie with the client. */
  readonly reserved: number;
}

/** Adds up what a job's sampling questions have used and reserved. */
export function spendingOf(inputs: readonly Input[]): Spending {
  let used = 0;
  let reserved = 0;
  for (const { question, reply } of inputs) {
    if (question.kind !== 'sampling') continue;
    if (reply) used += tokensOfReply({ question, reply });
    else reserved += tokensOf(question);
  }
  return { used, reserved };
}

/** What the answered sampling questions of a job have used, by key. */
export function usedByKey(inputs: readonly Input[]): ReadonlyMap<string, number> {
  return new Map(
    inputs.flatMap(({ question, reply }): [string, number][] =>
      reply && question.kind === 'sampling' ? [[question.key, tokensOfReply({ question, reply })]] : [],
    ),
  );
}

/** What a question reserves: all the output it may get. */
export function tokensOf(question: Pick<Question, 'request'>): number {
  const { maxTokens } = Object(question.request);
  return typeof maxTokens === 'number' ? maxTokens : 0;
}

/** Nothing came of a question that has a reply other than an answer. */
function tokensOfReply({ reply }: Required<Input>): number {
  return reply.kind === 'answered' ? answerTokens(reply.value) : 0;
}
