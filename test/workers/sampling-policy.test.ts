/** The sampling policy by itself, on fakes: what leaves the server, and how each candidate is judged. */
import { describe, expect, it } from 'vitest';
import type { Input, StoredReply } from '../../src/core/input.js';
import { answerTokens } from '../../src/core/sampling.js';
import type { SamplingLimits } from '../../src/core/sampling-limits.js';
import { heedModels } from '../../workers/policy/models.js';
import type { Admission } from '../../workers/policy/policy.js';
import { remembering } from '../../workers/policy/remember.js';
import { createFakeCore } from '../support/fakes/fake-core.js';
import { seedOf } from '../support/job-seeds.js';
import { policyOver } from '../support/policy.js';

const request = (text: string, maxTokens: number, more: object = {}) => ({
  messages: [{ role: 'user' as const, text }],
  maxTokens,
  ...more,
});
const said = (text: string, model = 'm'): StoredReply => ({
  kind: 'answered',
  value: { role: 'assistant', model, content: { type: 'text', text } },
});

async function setup(limits: Partial<SamplingLimits> = {}, session?: string) {
  const core = createFakeCore();
  const seed = seedOf(session === undefined ? {} : { session });
  await core.store.create(seed);
  await core.store.begin(seed, { workerId: 'w1', run: 'r1' });
  const redact = async (text: string) => text.replaceAll('hunter2', '[REDACTED]');
  const policy = policyOver(core, limits, redact).forRun(seed, 'r1');
  const inputs: Input[] = [];
  return {
    core,
    seed,
    policy,
    inputs,
    /** Judges a request and, if it is admitted, puts it among the job's questions. */
    async admit(key: string, maxTokens: number, { text = 'hi', behind = false } = {}): Promise<Admission> {
      const prepared = await policy.sampling(request(text, maxTokens), false);
      const admission = await policy.admit({ key, prepared, inputs, behind });
      const question = {
        key,
        kind: 'sampling' as const,
        request: prepared.sent ?? null,
        fingerprint: '',
        deadlineMs: 0,
      };
      if (admission.kind === 'ask') inputs.push({ question });
      return admission;
    },
    answer(key: string, reply: StoredReply): void {
      const at = inputs.findIndex(({ question }) => question.key === key);
      const question = inputs[at]?.question;
      if (question) inputs[at] = { question, reply };
    },
  };
}

describe('a request', () => {
  it('leaves without the secrets of its messages and system prompt, and is known by that', async () => {
    const { policy } = await setup();
    const prepared = await policy.sampling(request('pw hunter2', 10, { systemPrompt: 'also hunter2' }), false);
    expect(JSON.stringify(prepared)).not.toContain('hunter2');
    expect(prepared.sent).toMatchObject({
      systemPrompt: 'also [REDACTED]',
      messages: [{ role: 'user', content: { type: 'text', text: 'pw [REDACTED]' } }],
    });
    expect(prepared.asked).toEqual(prepared.sent);
  });

  it('is cut down to the tokens that one may ask for, and known by what was asked', async () => {
    const { policy } = await setup({ requestOutputTokens: 50 });
    const prepared = await policy.sampling(request('hi', 9_000), false);
    expect([prepared.sent, prepared.asked]).toMatchObject([{ maxTokens: 50 }, { maxTokens: 9_000 }]);
    expect((await policy.sampling(request('hi', 20), false)).sent).toMatchObject({ maxTokens: 20 });
  });

  it.each([0, -1, Number.NaN])('for %d tokens is a fault of its tool', async (maxTokens) => {
    const { policy } = await setup();
    await expect(policy.sampling(request('hi', maxTokens), false)).rejects.toThrow('above 0');
  });

  it('names the allowed models as hints, those it prefers first', async () => {
    const { policy } = await setup({ allowedModels: ['claude', 'gpt-5'] });
    const wish = request('hi', 10, { modelHints: ['gpt-5-mini', 'llama'] });
    const { sent, asked, models } = await policy.sampling(wish, false);
    expect(models).toEqual(['claude', 'gpt-5']);
    expect(sent).toMatchObject({
      modelPreferences: { hints: [{ name: 'gpt-5-mini' }, { name: 'claude' }, { name: 'gpt-5' }] },
    });
    expect(asked).toMatchObject({ modelPreferences: { hints: [{ name: 'gpt-5-mini' }, { name: 'llama' }] } });
  });
});

describe('a form', () => {
  it('leaves without secrets in its words, while the values that come back stay as they are', async () => {
    const { policy } = await setup();
    const properties = {
      hunter2: { type: 'string', title: 'pw hunter2', description: 'hunter2', default: 'hunter2' },
      pick: { type: 'string', oneOf: [{ const: 'hunter2', title: 'is hunter2' }] },
    };
    const { asked } = await policy.form({ message: 'say hunter2', requestedSchema: { type: 'object', properties } });
    expect(asked).toEqual({
      message: 'say [REDACTED]',
      requestedSchema: {
        type: 'object',
        properties: {
          hunter2: { type: 'string', title: 'pw [REDACTED]', description: '[REDACTED]', default: '[REDACTED]' },
          pick: { type: 'string', oneOf: [{ const: 'hunter2', title: 'is [REDACTED]' }] },
        },
      },
    });
  });
});

describe('a candidate', () => {
  it('is asked while the job’s budget has room, waits while answers may leave some, and is exhausted if they cannot', async () => {
    const job = await setup({ jobOutputTokens: 100 });
    expect(await job.admit('a', 60)).toEqual({ kind: 'ask' });
    expect(await job.admit('b', 41)).toEqual({ kind: 'wait', inLine: false });
    expect(await job.admit('c', 40)).toEqual({ kind: 'ask' });
    expect(await job.admit('d', 101)).toMatchObject({ kind: 'decided', reply: { kind: 'exhausted', scope: 'job' } });
  });

  it('behind one that waits waits too, though it would fit', async () => {
    const job = await setup({ jobOutputTokens: 100 });
    expect(await job.admit('a', 10, { behind: true })).toEqual({ kind: 'wait', inLine: false });
    expect(await job.admit('a', 101, { behind: true })).toMatchObject({ kind: 'decided' });
  });

  it('has the room that an answer left over: what came counts, not what was reserved', async () => {
    const job = await setup({ jobOutputTokens: 100 });
    await job.admit('a', 100);
    expect(await job.admit('b', 75)).toMatchObject({ kind: 'wait' });
    job.answer('a', said('x'.repeat(100)));
    expect(await job.admit('b', 75)).toEqual({ kind: 'ask' });
    job.answer('b', { kind: 'refused', message: 'no' });
    expect(await job.admit('c', 76)).toMatchObject({ reply: { scope: 'job' } });
    expect(await job.admit('c', 75)).toEqual({ kind: 'ask' });
  });

  it('that is too large is exhausted before anything is reserved, and told its size', async () => {
    const job = await setup({ requestInputTokens: 25 }, 's');
    expect(await job.admit('a', 10, { text: 'x'.repeat(100) })).toEqual({ kind: 'ask' });
    expect(await job.admit('b', 10, { text: 'x'.repeat(101) })).toEqual({
      kind: 'decided',
      reply: { kind: 'exhausted', scope: 'input', message: expect.stringContaining('about 26 tokens and may have 25') },
    });
    expect(await job.admit('c', 10, { text: '木'.repeat(34) })).toMatchObject({ reply: { scope: 'input' } });
    expect(job.core.memory.budgets.get('s')?.reserved.size).toBe(1);
  });

  it('waits in line while other jobs hold the session’s budget, and is exhausted when they have spent it', async () => {
    const job = await setup({ sessionOutputTokens: 100 }, 's');
    const other = seedOf({ session: 's' });
    await job.core.store.create(other);
    await job.core.store.begin(other, { workerId: 'w2', run: 'r1' });
    const hold = { session: 's', id: other.id, run: 'r1', key: 'x', tokens: 60, limit: 100 };
    await job.core.ledger.reserve(hold);
    expect(await job.admit('a', 41)).toEqual({ kind: 'wait', inLine: true });
    expect(await job.policy.isInLine()).toBe(true);
    await job.core.ledger.settle('s', { id: other.id, run: 'r1' }, new Map([['x', 60]]));
    expect(await job.admit('a', 41)).toMatchObject({ reply: { kind: 'exhausted', scope: 'session' } });
    expect(await job.admit('b', 40)).toEqual({ kind: 'ask' });
  });

  it('of a client without sessions is held by its job’s budget alone', async () => {
    const job = await setup({ sessionOutputTokens: 5 });
    expect(await job.admit('a', 10)).toEqual({ kind: 'ask' });
    expect(job.core.memory.budgets.size).toBe(0);
  });

  it('of a run that lost its job ends that run', async () => {
    const job = await setup({}, 's');
    await job.core.store.begin(job.seed, { workerId: 'w2', run: 'r2' });
    await expect(job.admit('a', 10)).rejects.toMatchObject({ kind: 'superseded' });
  });
});

describe('an answer', () => {
  const question = { key: 'a', kind: 'sampling' as const, request: {}, fingerprint: '', deadlineMs: 0 };
  const heed = (reply: StoredReply, models?: string[]) =>
    heedModels({ question: { ...question, ...(models && { models }) }, reply });

  it('counts by all it holds', () => {
    const content = [
      { type: 'text', text: 'x'.repeat(8) },
      { type: 'thinking', thinking: 'y'.repeat(400) },
    ];
    expect(answerTokens({ content })).toBeGreaterThan(102);
    expect(answerTokens({ content: { type: 'text', text: '' } })).toBe(0);
    expect(answerTokens('not an answer at all')).toBeGreaterThan(0);
  });

  it.each(['claude-sonnet-4-20250514', 'us.anthropic.CLAUDE-SONNET-4'])('of %s passes for claude-sonnet-4', (model) => {
    expect(heed(said('hi', model), ['gpt', 'claude-sonnet-4'])).toEqual(said('hi', model));
  });

  it('of a model that is not allowed, or of none, does not count, with both names', () => {
    expect(heed(said('hi', 'llama-3'), ['claude', 'gpt'])).toEqual({
      kind: 'failed',
      message:
        'its answer came from the model "llama-3", and only claude, gpt may answer here (LONGHAUL_ALLOWED_MODELS)',
    });
    const nameless: StoredReply = { kind: 'answered', value: { content: { type: 'text', text: 'hi' } } };
    expect(heed(nameless, ['claude'])).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('without a'),
    });
    expect(heed(nameless)).toEqual(nameless);
  });
});

describe('a remembered redaction', () => {
  const setupMemory = () => {
    const done: string[] = [];
    const redact = remembering(async (text) => {
      done.push(text);
      if (text === 'fails') throw new Error('too slow');
      return text.replaceAll('hunter2', '[REDACTED]');
    });
    return { done, redact };
  };

  it('is done once for a text, with secrets or without, and comes to the same', async () => {
    const { done, redact } = setupMemory();
    for (let times = 0; times < 3; times++) {
      expect(await redact('pw hunter2')).toBe('pw [REDACTED]');
      expect(await redact('clean')).toBe('clean');
    }
    expect(done).toEqual(['pw hunter2', 'clean']);
  });

  it('is tried again after it failed', async () => {
    const { done, redact } = setupMemory();
    for (let times = 0; times < 2; times++) await expect(redact('fails')).rejects.toThrow('too slow');
    expect(done).toHaveLength(2);
  });

  it('of texts too large to be kept is done anew, and keeps out nothing else', async () => {
    const { done, redact } = setupMemory();
    const large = `hunter2${'x'.repeat(9 * 1_048_576)}`;
    await redact(large);
    await redact(large);
    await redact('clean');
    await redact('clean');
    expect(done.map((text) => text.length)).toEqual([large.length, large.length, 5]);
  });
});
