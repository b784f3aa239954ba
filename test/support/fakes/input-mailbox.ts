/** The input mailbox in memory. */
import { AppError } from '../../../src/core/errors.js';
import type { Input } from '../../../src/core/input.js';
import type { InputMailbox } from '../../../src/core/ports.js';
import { fence, jsonCopy, type Memory } from './memory.js';

interface Claim {
  readonly asker: string;
  readonly untilMs: number;
}

/** Builds the mailbox over a shared memory. */
export function createFakeInputMailbox(memory: Memory): InputMailbox {
  const claims = new Map<string, Claim>();
  const find = (id: string, key: string) => memory.inputs.get(id)?.get(key);
  const announce = (id: string, type: 'question' | 'answer', key: string) =>
    memory.emit(id, { type, key }, memory.retention.eventsPerJob);
  const answer: InputMailbox['answer'] = async (id, key, reply) => {
    await memory.reach();
    const job = memory.live(id);
    if (!job || fence(job, job.run ?? '') === 'ended') return 'ended';
    const input = find(id, key);
    if (!input) return 'unknown';
    if (input.reply) return 'late';
    memory.inputs.get(id)?.set(key, { ...input, reply: jsonCopy(reply) });
    if (job.handOff?.key === key) job.handOff = { key, state: reply.kind === 'answered' ? 'submitted' : 'lapsed' };
    announce(id, 'answer', key);
    memory.wake(id, 'event');
    return 'stored';
  };
  return {
    async ask(id, run, questions) {
      await memory.reach();
      if (questions.some((question) => Buffer.byteLength(JSON.stringify(question)) > memory.retention.resultBytes))
        throw new AppError('result_too_large', 'A question is larger than a result may be.');
      const job = memory.live(id);
      const allowed = fence(job, run);
      if (!job || allowed !== 'written') return allowed;
      const inputs = memory.inputs.get(id) ?? new Map<string, Input>();
      memory.inputs.set(id, inputs);
      for (const question of questions) {
        if (question.kind === 'submission' && !inputs.get(question.key)?.reply)
          job.handOff = { key: question.key, state: 'awaited' };
        if (inputs.has(question.key)) continue;
        inputs.set(question.key, { question: jsonCopy(question) });
        announce(id, 'question', question.key);
      }
      const kinds = questions.map(({ kind }) => kind).filter((kind) => kind !== 'submission');
      if (kinds.length > 0) job.awaits = kinds.every((kind) => kind === 'part') ? 'parts' : 'client';
      job.keptUntilMs = memory.now() + memory.retention.activeTtlMs;
      memory.wake(id, 'event');
      return 'written';
    },
    async decide(id, run, decided) {
      await memory.reach();
      const job = memory.live(id);
      const allowed = fence(job, run);
      if (!job || allowed !== 'written') return allowed;
      const inputs = memory.inputs.get(id) ?? new Map<string, Input>();
      memory.inputs.set(id, inputs);
      if (!inputs.has(decided.question.key)) inputs.set(decided.question.key, jsonCopy(decided));
      job.keptUntilMs = memory.now() + memory.retention.activeTtlMs;
      return 'written';
    },
    async postpone(id, keys, deadlineMs) {
      await memory.reach();
      for (const key of keys) {
        const input = find(id, key);
        if (input && !input.reply) memory.inputs.get(id)?.set(key, { question: { ...input.question, deadlineMs } });
      }
    },
    answer,
    async answerAsPart(id, key, reply, part) {
      const held = fence(memory.live(part.id), part.run);
      return held === 'written' ? answer(id, key, reply) : 'ended';
    },
    async read(id) {
      await memory.reach();
      return [...(memory.inputs.get(id)?.values() ?? [])];
    },
    async openKeys(id) {
      await memory.reach();
      return [...(memory.inputs.get(id)?.values() ?? [])].flatMap(({ question, reply }) => (reply ? [] : question.key));
    },
    async claim(id, { asker, leaseMs, takeOver }) {
      await memory.reach();
      const job = memory.live(id);
      if (!job || fence(job, job.run ?? '') === 'ended') return false;
      const held = claims.get(id);
      if (!takeOver && held && held.asker !== asker && held.untilMs > memory.now()) return false;
      claims.set(id, { asker, untilMs: memory.now() + leaseMs });
      return true;
    },
    async unclaim(id, asker) {
      await memory.reach();
      if (claims.get(id)?.asker === asker) claims.delete(id);
    },
  };
}
