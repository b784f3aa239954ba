/** The input mailbox on Redis: one hash a job with its questions and first replies; the claim to ask lies in the record. */
import { AppError } from '../core/errors.js';
import type { HandOffState } from '../core/hand-off.js';
import type { JobId } from '../core/ids.js';
import { type Input, type Question, questionSchema, replySchema, type StoredReply } from '../core/input.js';
import type { Answering, InputMailbox, RunOf } from '../core/ports.js';
import type { RedisContext, Retention } from './context.js';
import { answerScript, askScript, claimScript, decideScript, postponeScript, unclaimScript } from './input-scripts.js';
import { fencedWrite, oneOf } from './replies.js';

const ANSWERINGS = ['stored', 'late', 'unknown', 'ended'] as const;

interface Answer {
  readonly id: JobId;
  readonly key: string;
  readonly reply: StoredReply;
}

/** Builds the mailbox. */
export function createInputMailbox({ redis, keys, retention }: RedisContext): InputMailbox {
  const { activeTtlMs, eventsPerJob } = retention;
  const all = (id: Parameters<InputMailbox['read']>[0]) => [keys.record(id), keys.inputs(id), keys.events(id)];
  const answer = async ({ id, key, reply }: Answer, part?: RunOf): Promise<Answering> => {
    const after: HandOffState = reply.kind === 'answered' ? 'submitted' : 'lapsed';
    const args = [key, JSON.stringify(reply), eventsPerJob, keys.wake(id), after, part?.run ?? '', reply.kind];
    return oneOf(ANSWERINGS, await answerScript(redis, [...all(id), keys.record(part?.id ?? id)], args));
  };
  return {
    async ask(id, run, questions) {
      const threes = questions.flatMap((question) => storedQuestion(question, retention));
      return fencedWrite(await askScript(redis, all(id), [run, activeTtlMs, eventsPerJob, keys.wake(id), ...threes]));
    },
    async decide(id, run, { question, reply }) {
      const args = [run, activeTtlMs, question.key, JSON.stringify(question), JSON.stringify(reply)];
      return fencedWrite(await decideScript(redis, all(id).slice(0, 2), args));
    },
    async postpone(id, questionKeys, deadlineMs) {
      await postponeScript(redis, all(id).slice(0, 2), [deadlineMs, ...questionKeys]);
    },
    answer: (id, key, reply) => answer({ id, key, reply }),
    answerAsPart: (id, key, reply, part) => answer({ id, key, reply }, part),
    async read(id) {
      return inputsOf(await redis.hgetall(keys.inputs(id)));
    },
    async openKeys(id) {
      const fields = await redis.hkeys(keys.inputs(id));
      const answered = new Set(fields.filter((field) => field.startsWith('a:')).map((field) => field.slice(2)));
      const asked = fields.filter((field) => field.startsWith('q:')).map((field) => field.slice(2));
      return asked.filter((key) => !answered.has(key));
    },
    async claim(id, { asker, leaseMs, takeOver }) {
      return (await claimScript(redis, [keys.record(id)], [asker, leaseMs, takeOver ? 1 : 0])) === 1;
    },
    async unclaim(id, asker) {
      await unclaimScript(redis, [keys.record(id)], [asker]);
    },
  };
}

function storedQuestion(question: Question, { resultBytes }: Retention): (string | number)[] {
  const json = JSON.stringify(question);
  const bytes = Buffer.byteLength(json);
  if (bytes > resultBytes)
    throw new AppError(
      'result_too_large',
      `What the job wanted to ask or hand over is ${bytes} bytes of JSON; a job may store ${resultBytes}. Narrow the request and run it again.`,
    );
  return [question.key, json, question.kind];
}

function inputsOf(hash: Readonly<Record<string, string>>): Input[] {
  return Object.entries(hash).flatMap(([field, text]) => {
    if (!field.startsWith('q:')) return [];
    const reply = hash[`a:${field.slice(2)}`];
    const laterMs = hash[`d:${field.slice(2)}`];
    const asked = questionSchema.parse(JSON.parse(text));
    const question = laterMs === undefined ? asked : { ...asked, deadlineMs: Number(laterMs) };
    return [reply === undefined ? { question } : { question, reply: replySchema.parse(JSON.parse(reply)) }];
  });
}
