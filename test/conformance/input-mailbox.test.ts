/** What every input mailbox must do: ask each question once, keep the first reply, let one front end ask at a time. */
import { describe, expect, it } from 'vitest';
import { LOG_START } from '../../src/core/events.js';
import type { JobId } from '../../src/core/ids.js';
import type { Question, StoredReply } from '../../src/core/input.js';
import { until } from '../support/gate.js';
import { cancelled, completed, seedOf } from '../support/job-seeds.js';
import { type Core, PLACES, useCore } from '../support/places.js';

const questionOf = (key: string, overrides: Partial<Question> = {}): Question => ({
  key,
  kind: 'sampling',
  request: { prompt: `about ${key}` },
  fingerprint: `print of ${key}`,
  deadlineMs: Date.now() + 60_000,
  ...overrides,
});
const answered = (value: string): StoredReply => ({ kind: 'answered', value });

async function running(core: Core, ...keys: readonly string[]): Promise<JobId> {
  const seed = seedOf();
  await core.store.create(seed);
  await core.store.begin(seed, { workerId: 'w1', run: 'r1' });
  if (keys.length > 0) {
    await core.mailbox.ask(
      seed.id,
      'r1',
      keys.map((key) => questionOf(key)),
    );
  }
  return seed.id;
}

async function told(core: Core, id: JobId): Promise<string[]> {
  const events = (await core.log.read(id, LOG_START, 100)).map((stored) => stored.event);
  return events.flatMap((event) => ('key' in event ? [`${event.type} ${event.key}`] : []));
}

describe.each(PLACES)('questions on $name', (place) => {
  const core = useCore(place);

  it('a question is kept as it was asked, and announced', async () => {
    const id = await running(core());
    const question = questionOf('a "b" ü', { kind: 'elicitation', request: { fields: [1, null, 'ü'] } });
    expect(await core().mailbox.ask(id, 'r1', [question])).toBe('written');
    expect(await core().mailbox.read(id)).toEqual([{ question }]);
    expect(await told(core(), id)).toEqual(['question a "b" ü']);
  });

  it('a job that asked nothing has an empty mailbox', async () => {
    expect(await core().mailbox.read(await running(core()))).toEqual([]);
  });

  it('a question asked again stays as it was and is not announced again', async () => {
    const id = await running(core(), 'a');
    await core().mailbox.ask(id, 'r1', [questionOf('a', { deadlineMs: 1 }), questionOf('b')]);
    const inputs = await core().mailbox.read(id);
    expect(inputs.map(({ question }) => question.key).sort()).toEqual(['a', 'b']);
    expect(inputs.find(({ question }) => question.key === 'a')?.question.deadlineMs).toBeGreaterThan(1);
    expect(await told(core(), id)).toEqual(['question a', 'question b']);
  });

  it('a superseded run, an ended job and an unknown one ask nothing', async () => {
    const id = await running(core());
    const seed = (await core().store.get(id))?.seed ?? seedOf();
    await core().store.begin(seed, { workerId: 'w2', run: 'r2' });
    expect(await core().mailbox.ask(id, 'r1', [questionOf('a')])).toBe('superseded');
    await core().store.end(id, cancelled());
    expect(await core().mailbox.ask(id, 'r2', [questionOf('a')])).toBe('ended');
    expect(await core().mailbox.ask(seedOf().id, 'r1', [questionOf('a')])).toBe('ended');
    expect(await core().mailbox.read(id)).toEqual([]);
  });

  it('questions live as long as an unfinished job and are forgotten with its end', async () => {
    const id = await running(core(), 'a');
    const { record = 0, inputs = -1 } = await core().lifetimes(id);
    expect(Math.abs(record - inputs)).toBeLessThan(5_000);
    await core().store.end(id, completed());
    expect(await core().lifetimes(id)).not.toHaveProperty('inputs');
    expect(await core().mailbox.read(id)).toEqual([]);
  });
});

describe.each(PLACES)('questions that need no client on $name', (place) => {
  const core = useCore(place);
  const exhausted: StoredReply = { kind: 'exhausted', scope: 'job', message: 'all is used' };

  it('a question is kept with the reply it was decided with, announced to nobody, and the first decision stands', async () => {
    const id = await running(core());
    const question = questionOf('a');
    expect(await core().mailbox.decide(id, 'r1', { question, reply: exhausted })).toBe('written');
    const again = { question: questionOf('a', { request: 'other' }), reply: answered('x') };
    expect(await core().mailbox.decide(id, 'r1', again)).toBe('written');
    expect(await core().mailbox.read(id)).toEqual([{ question, reply: exhausted }]);
    expect(await core().mailbox.answer(id, 'a', answered('x'))).toBe('late');
    expect(await told(core(), id)).toEqual([]);
  });

  it('a question that is with the client is not decided any more', async () => {
    const id = await running(core(), 'a');
    await core().mailbox.decide(id, 'r1', { question: questionOf('a'), reply: exhausted });
    expect((await core().mailbox.read(id)).map(({ reply }) => reply)).toEqual([undefined]);
  });

  it('a superseded run and an ended job decide nothing', async () => {
    const id = await running(core());
    const decided = { question: questionOf('a'), reply: exhausted };
    expect(await core().mailbox.decide(id, 'r0', decided)).toBe('superseded');
    await core().store.end(id, cancelled());
    expect(await core().mailbox.decide(id, 'r1', decided)).toBe('ended');
    expect(await core().mailbox.read(id)).toEqual([]);
  });
});

describe.each(PLACES)('deadlines on $name', (place) => {
  const core = useCore(place);
  const deadlines = async (id: JobId) => {
    const inputs = await core().mailbox.read(id);
    return Object.fromEntries(inputs.map(({ question }) => [question.key, question.deadlineMs]));
  };

  it('are moved for open questions only, and nothing else of them is changed', async () => {
    const id = await running(core());
    await core().mailbox.ask(id, 'r1', [questionOf('a', { deadlineMs: 1 }), questionOf('b', { deadlineMs: 2 })]);
    await core().mailbox.answer(id, 'b', answered('x'));
    await core().mailbox.postpone(id, ['a', 'b', 'unknown'], 9_999_999_999_999);
    expect(await deadlines(id)).toEqual({ a: 9_999_999_999_999, b: 2 });
    expect(await told(core(), id)).toEqual(['question a', 'question b', 'answer b']);
  });

  it('of an ended job are not moved', async () => {
    const id = await running(core(), 'a');
    await core().store.end(id, cancelled());
    await core().mailbox.postpone(id, ['a'], 5);
    expect(await core().lifetimes(id)).not.toHaveProperty('inputs');
  });
});

describe.each(PLACES)('replies on $name', (place) => {
  const core = useCore(place);

  it('the first reply stands, and is announced once', async () => {
    const id = await running(core(), 'a');
    expect(await core().mailbox.answer(id, 'a', answered('first'))).toBe('stored');
    expect(await core().mailbox.answer(id, 'a', { kind: 'timed_out' })).toBe('late');
    expect(await core().mailbox.read(id)).toMatchObject([{ reply: answered('first') }]);
    expect(await told(core(), id)).toEqual(['question a', 'answer a']);
  });

  it('of many replies at once, one is stored', async () => {
    const id = await running(core(), 'a');
    const replies = Array.from({ length: 20 }, (_, index) => core().mailbox.answer(id, 'a', answered(String(index))));
    const answerings = await Promise.all(replies);
    expect(answerings.filter((answering) => answering === 'stored')).toHaveLength(1);
    const winner = answerings.indexOf('stored');
    expect(await core().mailbox.read(id)).toMatchObject([{ reply: answered(String(winner)) }]);
  });

  it('a reply to what was never asked changes nothing', async () => {
    const id = await running(core(), 'a');
    expect(await core().mailbox.answer(id, 'b', answered('x'))).toBe('unknown');
    expect(await told(core(), id)).toEqual(['question a']);
  });

  it('a reply to an ended or unknown job changes nothing', async () => {
    const id = await running(core(), 'a');
    await core().store.end(id, cancelled());
    expect(await core().mailbox.answer(id, 'a', answered('x'))).toBe('ended');
    expect(await core().mailbox.answer(seedOf().id, 'a', answered('x'))).toBe('ended');
    expect(await core().lifetimes(id)).not.toHaveProperty('inputs');
  });

  it('a reply is taken while the job is parked and no run holds it', async () => {
    const id = await running(core(), 'a');
    await core().store.leave(id, 'r1', 'parked');
    expect(await core().mailbox.answer(id, 'a', { kind: 'refused', message: 'no "thanks"' })).toBe('stored');
    expect(await core().mailbox.read(id)).toMatchObject([{ reply: { kind: 'refused', message: 'no "thanks"' } }]);
  });
});

describe.each(PLACES)('hand-offs on $name', (place) => {
  const core = useCore(place, { resultBytes: 5_000 });
  const handOff = async (id: JobId) => (await core().store.get(id))?.handOff;
  const handed = (key: string) => questionOf(key, { kind: 'submission', request: { output: { word: key } } });

  it('a hand-off is noted in the record, and other questions are not', async () => {
    const id = await running(core(), 'a');
    expect(await handOff(id)).toBeUndefined();
    await core().mailbox.ask(id, 'r1', [questionOf('b'), handed('h')]);
    expect(await handOff(id)).toEqual({ key: 'h', state: 'awaited' });
    await core().mailbox.answer(id, 'b', answered('x'));
    expect(await handOff(id)).toEqual({ key: 'h', state: 'awaited' });
  });

  it('the record tells parts from questions to a client, which count before parts', async () => {
    const id = await running(core());
    const awaits = async () => (await core().store.get(id))?.awaits;
    const part = questionOf('count/0', { kind: 'part' });
    await core().mailbox.ask(id, 'r1', [handed('h')]);
    expect(await awaits()).toBeUndefined();
    await core().mailbox.ask(id, 'r1', [part]);
    expect(await awaits()).toBe('parts');
    await core().mailbox.ask(id, 'r1', [part, questionOf('b')]);
    expect(await awaits()).toBe('client');
    await core().mailbox.ask(id, 'r1', [questionOf('b'), part]);
    expect(await awaits()).toBe('client');
  });

  it('the first reply decides whether it was submitted or lapsed, and asking again does not undo that', async () => {
    for (const [reply, state] of [
      [answered('x'), 'submitted'],
      [{ kind: 'timed_out' }, 'lapsed'],
    ] as const) {
      const id = await running(core());
      await core().mailbox.ask(id, 'r1', [handed('h')]);
      expect(await core().mailbox.answer(id, 'h', reply)).toBe('stored');
      expect(await core().mailbox.answer(id, 'h', answered('late'))).toBe('late');
      expect(await core().mailbox.answer(id, 'h', { kind: 'timed_out' })).toBe('late');
      await core().mailbox.ask(id, 'r1', [handed('h')]);
      expect(await handOff(id)).toEqual({ key: 'h', state });
    }
  });

  it('the next hand-off takes the place of the last', async () => {
    const id = await running(core());
    await core().mailbox.ask(id, 'r1', [handed('h')]);
    await core().mailbox.answer(id, 'h', answered('x'));
    await core().mailbox.ask(id, 'r1', [handed('h'), handed('i')]);
    expect(await handOff(id)).toEqual({ key: 'i', state: 'awaited' });
  });

  it('an end leaves it as it was, in the record and in a listing', async () => {
    const id = await running(core());
    await core().mailbox.ask(id, 'r1', [handed('h')]);
    await core().store.end(id, cancelled());
    expect(await core().mailbox.answer(id, 'h', answered('x'))).toBe('ended');
    expect(await handOff(id)).toEqual({ key: 'h', state: 'awaited' });
    const [listed] = (await core().store.list({ limit: 1 })).jobs;
    expect(listed?.handOff).toEqual({ key: 'h', state: 'awaited' });
  });

  it('what is larger than a result may be is refused, and nothing of it is stored', async () => {
    const id = await running(core());
    const large = questionOf('h', { kind: 'submission', request: { output: { word: 'ü'.repeat(2_500) } } });
    await expect(core().mailbox.ask(id, 'r1', [questionOf('a'), large])).rejects.toMatchObject({
      code: 'result_too_large',
    });
    expect(await core().mailbox.read(id)).toEqual([]);
    expect(await handOff(id)).toBeUndefined();
  });
});

describe.each(PLACES)('claims to ask on $name', (place) => {
  const core = useCore(place);
  const claim = (id: JobId, asker: string, leaseMs = 60_000) => core().mailbox.claim(id, { asker, leaseMs });

  it('one asks at a time, and may renew its claim', async () => {
    const id = await running(core(), 'a');
    const claims = await Promise.all(['x', 'y', 'z'].map((asker) => claim(id, asker)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    const holder = ['x', 'y', 'z'][claims.indexOf(true)] ?? '';
    expect(await claim(id, holder)).toBe(true);
  });

  it('a claim given up is free at once, but only its holder can give it up', async () => {
    const id = await running(core(), 'a');
    await claim(id, 'x');
    await core().mailbox.unclaim(id, 'y');
    expect(await claim(id, 'y')).toBe(false);
    await core().mailbox.unclaim(id, 'x');
    expect(await claim(id, 'y')).toBe(true);
  });

  it('a claim ends with its lease', async () => {
    const id = await running(core(), 'a');
    await claim(id, 'x', 50);
    await until(
      () => claim(id, 'y'),
      (free) => free,
      { what: 'the lease to end' },
    );
    expect(await claim(id, 'x')).toBe(false);
  });

  it('a claim taken over is lost to its holder until the new one gives it up', async () => {
    const id = await running(core(), 'a');
    await claim(id, 'x');
    expect(await core().mailbox.claim(id, { asker: 'y', leaseMs: 60_000, takeOver: true })).toBe(true);
    expect(await claim(id, 'x')).toBe(false);
    expect(await claim(id, 'y')).toBe(true);
    await core().mailbox.unclaim(id, 'y');
    expect(await claim(id, 'x')).toBe(true);
  });

  it('a claim outlasts questions and runs, and is had before there is a question', async () => {
    const id = await running(core());
    expect(await claim(id, 'x')).toBe(true);
    await core().mailbox.ask(id, 'r1', [questionOf('a')]);
    await core().store.leave(id, 'r1', 'parked');
    await core().mailbox.answer(id, 'a', answered('x'));
    expect(await claim(id, 'y')).toBe(false);
    expect((await core().store.get(id))?.state).toBe('parked');
  });

  it('nobody asks on behalf of a job that ended or never was', async () => {
    const id = await running(core(), 'a');
    await core().store.end(id, cancelled());
    expect(await claim(id, 'x')).toBe(false);
    expect(await core().mailbox.claim(id, { asker: 'x', leaseMs: 1_000, takeOver: true })).toBe(false);
    expect(await claim(seedOf().id, 'x')).toBe(false);
    await core().mailbox.unclaim(id, 'x');
  });
});
