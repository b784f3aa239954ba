/** Puts a job's open questions to the client of a 2025-era call, on the call's own stream, one asker at a time. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { JobId } from '../core/ids.js';
import type { Question, StoredReply } from '../core/input.js';
import { pause } from '../core/lifecycle.js';
import type { Jobs } from '../jobs/jobs.js';
import type { ToolCall } from './call.js';
import { abilitiesOf, replyOf, replyOfError, requestOf } from './input-wire.js';

/** See `createAsker`. */
export interface Asker {
  /** Looks for open questions and asks those that nobody asks yet. */
  look(): void;
  /** Withdraws what is still asked (the client hears `notifications/cancelled`) and asks no more. */
  stop(): void;
}

/** A front end that dies leaves its questions to others after this long. */
const LEASE_MS = 15_000;
/** Accepts whatever a client answers; reading it is our business, and the SDK's schemas are stricter than clients. */
const anything = z.unknown();
const MALFORMED: StoredReply = { kind: 'refused', message: 'its answer was malformed' };

/** Builds the asker of one attached call. A lost connection leaves questions open for the next call that attaches. */
export function createAsker(call: ToolCall, jobs: Jobs, id: JobId): Asker {
  const stopped = new AbortController();
  const signal = AbortSignal.any([stopped.signal, call.ctx.mcpReq.signal]);
  const asker = randomUUID();
  const asking = new Set<string>();
  const abilities = abilitiesOf(call.era.capabilities);
  const warn = (err: unknown) => call.frontEnd.log.warn({ err, jobId: id }, 'a question could not be asked');

  const ask = async (question: Question): Promise<void> => {
    const { key } = question;
    const claim = { key, asker, leaseMs: LEASE_MS };
    // Somebody else may hold the claim and die with it, so it is tried again while the question is open.
    while (!(await jobs.claim(id, claim))) {
      await pause(LEASE_MS / 3, signal);
      if (signal.aborted || !(await isOpen(jobs, id, key))) return;
    }
    const renewal = setInterval(() => jobs.claim(id, claim).catch(() => undefined), LEASE_MS / 3);
    try {
      const reply = await put(call, question, signal);
      if (reply) await jobs.answer(id, key, reply);
      else await jobs.unclaim(id, claim);
    } finally {
      clearInterval(renewal);
    }
  };
  const start = (question: Question): void => {
    if (asking.has(question.key) || !abilities[question.kind]) return;
    asking.add(question.key);
    ask(question)
      .catch(warn)
      .finally(() => asking.delete(question.key));
  };
  return {
    look() {
      const open = jobs.inputs(id).then((inputs) => inputs.filter(({ reply }) => !reply));
      open.then((inputs) => inputs.forEach(({ question }) => start(question)), warn);
    },
    stop: () => stopped.abort(),
  };
}

async function isOpen(jobs: Jobs, id: JobId, key: string): Promise<boolean> {
  return (await jobs.inputs(id)).some(({ question, reply }) => question.key === key && !reply);
}

/** Asks once; undefined if the question stays open because the call is over or its client is gone. */
async function put(call: ToolCall, question: Question, signal: AbortSignal): Promise<StoredReply | undefined> {
  const timeout = Math.max(1, question.deadlineMs - Date.now());
  try {
    const result = await call.ctx.mcpReq.send(requestOf(question), anything, { timeout, signal });
    return replyOf(question.kind, result) ?? MALFORMED;
  } catch (error) {
    return signal.aborted ? undefined : replyOfError(error);
  }
}
