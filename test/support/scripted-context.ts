/** A handler's context whose model is the test: replies by question key, and every request it was asked. */

import type { HandOffReply } from '../../src/core/hand-off.js';
import { jobIdSchema, newJobId } from '../../src/core/ids.js';
import { type InputReply, NO_ABILITIES } from '../../src/core/input.js';
import type { SamplingAnswer, SamplingRequest } from '../../src/core/sampling.js';
import type { HandlerContext } from '../../src/core/tool.js';

/** See `scriptContext`. */
export interface ScriptedContext {
  readonly context: HandlerContext;
  /** Requests by their keys, in the order they were made. */
  readonly requests: ReadonlyMap<string, SamplingRequest>;
  /** Preliminary results that were handed over. */
  readonly handedOver: readonly object[];
}

/** An answer of the model: text, or anything as JSON; `stopReason` is `endTurn` unless said. */
export function modelSays(answer: unknown, stopReason = 'endTurn'): InputReply<SamplingAnswer> {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const truncated = stopReason === 'maxTokens';
  return { kind: 'answered', value: { text, toolCalls: [], model: 'test-model', stopReason, truncated } };
}

/** Builds the context; a question without a reply in the script fails the test that asks it. */
export function scriptContext(
  replies: Readonly<Record<string, InputReply<SamplingAnswer>>>,
  jobId: string = newJobId(),
  /** What is submitted once the work is handed over; a hand-off without it fails the test. */
  submitted?: HandOffReply,
): ScriptedContext {
  const requests = new Map<string, SamplingRequest>();
  const handedOver: object[] = [];
  const unasked = (what: string) => () => Promise.reject(new Error(`the handler was not expected to use ${what}`));
  const context: HandlerContext = {
    jobId: jobIdSchema.parse(jobId),
    principal: 'local',
    attempt: 1,
    signal: new AbortController().signal,
    allowedFolders: [],
    client: NO_ABILITIES,
    progress: () => undefined,
    log: () => undefined,
    async sample(key, request) {
      requests.set(key, request);
      const reply = replies[key];
      if (!reply) throw new Error(`the handler was not expected to ask ${key}`);
      return reply;
    },
    elicit: unasked('elicit'),
    roots: unasked('roots'),
    fanOut: unasked('fanOut'),
    async handOff(_key, { output }) {
      handedOver.push(output);
      if (!submitted) throw new Error('the handler was not expected to hand its work over');
      return submitted;
    },
    step: (_key, fn) => fn(),
    table: () => Promise.resolve(),
    sections: () => Promise.resolve([]),
    claimFolder: unasked('claimFolder'),
  };
  return { context, requests, handedOver };
}
