/** What every store of sessions must do: one owner a stream, events in order, a bounded log, and nothing left of what has ended. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newJobId } from '../../src/core/ids.js';
import type { Admission, SessionStore, StreamEvent } from '../../src/core/session-ports.js';
import type { OpenCall, OpenQuestion, SessionHint } from '../../src/core/session-records.js';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { DEFAULT_RETENTION } from '../../src/redis/context.js';
import { createKeys } from '../../src/redis/keys.js';
import { createSessionStore, type SessionLimits } from '../../src/redis/session-store.js';
import { createFakeSessionStore } from '../support/fakes/session-store.js';
import { until } from '../support/gate.js';
import { keysBelow, refuseLeaks } from '../support/key-checker.js';
import { addressOf } from '../support/places.js';
import { type TestRedis, testRedis } from '../support/redis.js';

const LIMITS: SessionLimits = { idleMs: 60_000, leaseMs: 30_000, events: 6, eventBytes: 200 };
const STATE = { initialized: false, rootsChanges: 0 };
const RECORD = { v: 1, principal: 'local', protocolVersion: '2025-11-25', params: { capabilities: { roots: {} } } };

interface Opened {
  readonly store: SessionStore;
  close(): Promise<void>;
}

let server: TestRedis;
beforeAll(async () => {
  server = await testRedis();
});
afterAll(() => server.stop());

/** Closes with the check that every key expires, or that none is left. */
function openRedisStore(limits: SessionLimits): Opened {
  const address = addressOf(server);
  const redis = connectRedis(address, 'work');
  const subscriber = connectRedis(address, 'subscribe');
  const namespace = `test-${randomUUID()}`;
  const keys = createKeys(namespace);
  return {
    store: createSessionStore({ redis, keys, retention: DEFAULT_RETENTION }, subscriber, limits),
    async close() {
      const base = `{${namespace}}`;
      await refuseLeaks({ redis, base, queuePrefix: keys.queuePrefix });
      const left = await keysBelow(redis, base);
      if (left.length > 0) await redis.unlink(...left);
      closeRedis(redis);
      closeRedis(subscriber);
    },
  };
}

const PLACES = [
  {
    name: 'the fake',
    open: (limits: SessionLimits): Opened => ({ store: createFakeSessionStore(limits), close: async () => {} }),
  },
  { name: 'Redis', open: openRedisStore },
];

const callOf = (id: string | number, more: Partial<OpenCall> = {}): OpenCall => ({
  v: 1,
  id,
  stream: `stream-${typeof id}-${id}`,
  method: 'tools/call',
  ...more,
});
const admission = (id: string | number, owner: string, more: Partial<OpenCall> = {}): Admission => ({
  call: callOf(id, more),
  owner,
});
const eventOf = (stream: string, number: number, more: Partial<StreamEvent> = {}): StreamEvent => ({
  stream,
  number,
  message: `"${number}"`,
  ...more,
});
const messagesOf = async (store: SessionStore, stream: string, after: number) => {
  const replay = await store.replay('s', stream, after);
  return replay.kind === 'known' ? replay.events.map(({ message }) => message) : replay.kind;
};

describe.each(PLACES)('sessions on $name', ({ open }) => {
  let opened: Opened[] = [];
  afterEach(async () => {
    for (const one of opened) await one.close();
    opened = [];
  });
  async function setup(limits: Partial<SessionLimits> = {}): Promise<SessionStore> {
    const one = open({ ...LIMITS, ...limits });
    opened.push(one);
    await one.store.create('s', RECORD, STATE);
    return one.store;
  }

  it('a session is found as it was agreed on, and one that nobody opened is gone', async () => {
    const store = await setup();
    expect(await store.read('s')).toEqual(RECORD);
    expect(await store.admit('s', { hold: false })).toMatchObject({ kind: 'live', state: STATE });
    expect(await store.read('other')).toBeUndefined();
    expect(await store.admit('other', { hold: false })).toEqual({ kind: 'gone' });
  });

  it('a session created again stays as it was', async () => {
    const store = await setup();
    await store.change('s', { kind: 'level', level: 'error' });
    await store.create('s', { ...RECORD, principal: 'other' }, STATE);
    expect((await store.read('s'))?.principal).toBe('local');
    expect(await store.admit('s', { hold: false })).toMatchObject({ state: { logLevel: 'error' } });
  });

  it('what the client says is found by whoever asks next', async () => {
    const store = await setup();
    await store.change('s', { kind: 'level', level: 'warning' });
    await store.change('s', { kind: 'initialized' });
    await store.change('s', { kind: 'roots', roots: [{ uri: 'file:///a', folder: '/a' }], at: 0 });
    expect(await store.admit('s', { hold: false })).toMatchObject({
      state: { logLevel: 'warning', initialized: true, roots: [{ uri: 'file:///a', folder: '/a' }], rootsChanges: 0 },
    });
  });

  it('roots that were asked for before they changed are not kept', async () => {
    const store = await setup();
    await store.change('s', { kind: 'roots_changed' });
    await store.change('s', { kind: 'roots', roots: [{ uri: 'file:///old' }], at: 0 });
    const admitted = await store.admit('s', { hold: false });
    expect(admitted).toMatchObject({ state: { rootsChanges: 1 } });
    expect(admitted.kind === 'live' && admitted.state.roots).toBeUndefined();
  });

  it('an id under way is refused to a second request, and 1 is not "1"', async () => {
    const store = await setup();
    const admit = (id: string | number, owner: string) =>
      store.admit('s', { hold: true, admission: admission(id, owner) });
    expect((await admit(1, 'a')).kind).toBe('live');
    expect((await admit(1, 'b')).kind).toBe('duplicate');
    expect((await admit('1', 'b')).kind).toBe('live');
    await store.drop('s', 1);
    expect((await admit(1, 'b')).kind).toBe('live');
  });

  it('what a front end left under an id gives way to its own next request', async () => {
    const store = await setup();
    await store.admit('s', { hold: true, admission: admission(1, 'a.1') });
    const again = { ...admission(1, 'a.2', { stream: 'second' }), ownedBefore: 'a.' };
    expect((await store.admit('s', { hold: true, admission: again })).kind).toBe('live');
    const foreign = { ...admission(1, 'b.1'), ownedBefore: 'b.' };
    expect((await store.admit('s', { hold: true, admission: foreign })).kind).toBe('duplicate');
  });

  it('events of a stream come back after any of them, in order, without those of others', async () => {
    const store = await setup();
    for (const number of [1, 2, 3]) {
      await store.append('s', { event: eventOf('a', number) });
      await store.append('s', { event: eventOf('b', number, { message: '"other"' }) });
    }
    expect(await messagesOf(store, 'a', 0)).toEqual(['"1"', '"2"', '"3"']);
    expect(await messagesOf(store, 'a', 2)).toEqual(['"3"']);
    expect(await messagesOf(store, 'a', 3)).toEqual([]);
    expect(await messagesOf(store, 'c', 0)).toBe('unknown');
  });

  it('a stream that has no event yet is known as long as its call is open', async () => {
    const store = await setup();
    await store.admit('s', { hold: true, admission: admission(1, 'a', { stream: 'x' }) });
    expect(await messagesOf(store, 'x', 0)).toEqual([]);
    await store.drop('s', 1);
    expect(await messagesOf(store, 'x', 0)).toBe('unknown');
  });

  it.each([
    ['events', {}],
    ['bytes', { events: 100, eventBytes: 20 }],
  ])('the log is bounded by its %s, and a client is told when what it missed is forgotten', async (_, limits) => {
    const store = await setup(limits);
    for (let number = 1; number <= 10; number += 1) await store.append('s', { event: eventOf('a', number) });
    expect(await messagesOf(store, 'a', 0)).toBe('unknown');
    expect(await messagesOf(store, 'a', 8)).toEqual(['"9"', '"10"']);
  });

  it('only the owner of a call writes its stream; the response ends the call', async () => {
    const store = await setup();
    await store.admit('s', { hold: true, admission: admission(1, 'a', { stream: 'x' }) });
    const write = (owner: string, number: number, isLast = false) =>
      store.append('s', { event: eventOf('x', number), call: { id: 1, owner }, isLast });
    expect(await write('b', 1)).toBe('lost');
    expect(await write('a', 1)).toBe('written');
    expect(await write('a', 2, true)).toBe('written');
    expect(await write('a', 3)).toBe('lost');
    expect(await store.takeOver('s', 'x', 'b')).toBeUndefined();
    expect(await messagesOf(store, 'x', 0)).toEqual(['"1"', '"2"']);
  });

  it('a call that is taken over is found as far as its client was told, and its first owner writes no more', async () => {
    const store = await setup();
    const job = newJobId();
    await store.admit('s', { hold: true, admission: admission(1, 'a', { stream: 'x', job, tool: 'slow' }) });
    await store.admit('s', { hold: true, admission: admission(2, 'a', { stream: 'y' }) });
    const call = { id: 1, owner: 'a' };
    const question: OpenQuestion = { v: 1, wireId: 'q.1', callId: 1, job, key: 'k', kind: 'sampling' };
    await store.append('s', { event: eventOf('x', 1, { cursor: '10-2', progress: 0.5 }), call });
    await store.append('s', { event: eventOf('x', 2, { cursor: '9-11', progress: 0.75 }), call, question });
    await store.append('s', { event: eventOf('y', 1, { cursor: '99-0', progress: 9 }), call: { id: 2, owner: 'a' } });
    expect(await store.takeOver('s', 'x', 'b')).toEqual({
      call: callOf(1, { stream: 'x', job, tool: 'slow' }),
      lastNumber: 2,
      cursor: '10-2',
      progress: 0.75,
      questions: [question],
    });
    expect(await store.append('s', { event: eventOf('x', 3), call })).toBe('lost');
    expect(await store.append('s', { event: eventOf('x', 3), call: { id: 1, owner: 'b' } })).toBe('written');
  });

  it('a note is kept only of the owner', async () => {
    const store = await setup();
    const [first, second] = [newJobId(), newJobId()];
    await store.admit('s', { hold: true, admission: admission(1, 'a', { stream: 'x' }) });
    await store.note('s', admission(1, 'a', { stream: 'x', job: first }));
    await store.note('s', admission(1, 'b', { stream: 'x', job: second }));
    expect((await store.takeOver('s', 'x', 'c'))?.call.job).toBe(first);
  });

  it('a call is dropped once, and only as that of the owner who is named', async () => {
    const store = await setup();
    await store.admit('s', { hold: true, admission: admission(1, 'a') });
    expect(await store.drop('s', 1, 'b')).toBeUndefined();
    expect(await store.drop('s', 1, 'a')).toEqual(callOf(1));
    expect(await store.drop('s', 1)).toBeUndefined();
  });

  it('a question is settled once', async () => {
    const store = await setup();
    const question: OpenQuestion = { v: 1, wireId: 'q.1', callId: 1, kind: 'roots' };
    await store.append('s', { event: eventOf('x', 1), question });
    expect(await store.question('s', 'q.1')).toEqual(question);
    expect(await store.settle('s', 'q.1')).toEqual(question);
    expect(await store.settle('s', 'q.1')).toBeUndefined();
    expect(await store.question('s', 'q.1')).toBeUndefined();
  });

  it('an end says what was open, and leaves nothing', async () => {
    const store = await setup();
    const question: OpenQuestion = { v: 1, wireId: 'q.1', callId: 1, kind: 'roots' };
    await store.admit('s', { hold: true, admission: admission(1, 'a') });
    await store.append('s', { event: eventOf('x', 1), question });
    expect(await store.end('s')).toEqual({ principal: 'local', calls: [callOf(1)], questions: [question] });
    expect(await store.end('s')).toBeUndefined();
    expect(await store.admit('s', { hold: false })).toEqual({ kind: 'gone' });
    expect(await store.append('s', { event: eventOf('x', 2) })).toBe('gone');
    expect(await messagesOf(store, 'x', 0)).toBe('unknown');
  });

  it('a session whose time is over is gone, and is named to whoever ends such sessions', async () => {
    const store = await setup({ idleMs: 1 });
    await until(
      () => store.expired(),
      (names) => names.length > 0,
      { what: 'the session to expire' },
    );
    expect(await store.admit('s', { hold: false })).toEqual({ kind: 'gone' });
    expect(await store.expired()).toEqual(['s']);
    await store.end('s');
    expect(await store.expired()).toEqual([]);
  });

  it('the session idle longest makes room, and none that is held', async () => {
    const store = await setup();
    expect(await store.room(2)).toEqual({ kind: 'room' });
    await store.create('t', RECORD, STATE);
    await store.admit('s', { hold: true });
    expect(await store.room(2)).toEqual({ kind: 'end', session: 't' });
    await store.admit('t', { hold: true });
    expect(await store.room(2)).toEqual({ kind: 'full' });
    await store.rest('t');
    expect(await store.room(2)).toEqual({ kind: 'end', session: 't' });
  });

  it('a request does not shorten the hold of another front end', async () => {
    const store = await setup();
    await store.admit('s', { hold: true });
    await store.admit('s', { hold: false });
    expect(await store.room(1)).toEqual({ kind: 'full' });
  });

  it('a front end that has done with a session does not end the hold of another, where a call of it is open', async () => {
    const store = await setup();
    await store.admit('s', { hold: true, admission: admission(1, 'a') });
    await store.admit('s', { hold: true, admission: admission(2, 'b') });
    const last = { call: { id: 2, owner: 'b' }, isLast: true };
    expect(await store.append('s', { event: eventOf('x2', 1), ...last })).toBe('written');
    await store.rest('s');
    expect(await store.room(1)).toEqual({ kind: 'full' });
    await store.append('s', { event: eventOf('x1', 1), call: { id: 1, owner: 'a' }, isLast: true });
    expect(await store.room(1)).toEqual({ kind: 'end', session: 's' });
  });

  describe('of the questions to one client', () => {
    const asked = { owner: 'a', limit: 2, leaseMs: 30_000, isPut: false };
    const standing = (store: SessionStore, names: readonly string[], more: object = {}) =>
      Promise.all(names.map((name) => store.stand('s', { ...asked, name, ...more })));

    it('as many as may be are placed, whoever asks, and the first of those that wait is next', async () => {
      const store = await setup();
      expect(await standing(store, ['1', '2'])).toEqual(['placed', 'placed']);
      expect(await standing(store, ['3', '4'], { owner: 'b' })).toEqual(['waiting', 'waiting']);
      expect(await store.stepAside('s', '1', 'a')).toBe(true);
      expect(await standing(store, ['4', '3', '2'])).toEqual(['waiting', 'placed', 'placed']);
      expect(await store.stand('another', { ...asked, name: '5' })).toBe('placed');
      for (const name of ['2', '3']) expect(await store.stepAside('s', name)).toBe(true);
      expect(await store.stepAside('s', '4')).toBe(false);
    });

    it('one keeps its place with whoever goes on with it, and only that one gives it up', async () => {
      const store = await setup();
      await standing(store, ['1', '2', '3']);
      expect(await standing(store, ['1'], { owner: 'b' })).toEqual(['placed']);
      await store.stepAside('s', '1', 'a');
      expect(await standing(store, ['3'])).toEqual(['waiting']);
      await store.stepAside('s', '1', 'b');
      expect(await standing(store, ['3'])).toEqual(['placed']);
    });

    it('one that nobody asks for any more loses its place, and one that was put still counts', async () => {
      const store = await setup();
      await standing(store, ['dead', 'alive'], { leaseMs: 50 });
      await until(
        async () => (await standing(store, ['next', 'alive']))[0],
        (came) => came === 'placed',
        { what: 'the lease of the dead to be over' },
      );
      expect(await standing(store, ['late'])).toEqual(['waiting']);
      expect(await standing(store, ['put'], { isPut: true })).toEqual(['placed']);
      await store.stepAside('s', 'next');
      expect(await standing(store, ['late'])).toEqual(['waiting']);
    });
  });

  it('a hint reaches every listener as it was told, until it stops listening', async () => {
    const store = await setup();
    const heard: unknown[] = [];
    const stop = store.onHint((hint) => heard.push(hint));
    const hints: SessionHint[] = [
      { session: 's', from: 'a', kind: 'changed' },
      { session: 's', from: 'a', kind: 'cancel', id: '1', reason: 'enough' },
      { session: 's', from: 'a', kind: 'answer', message: { jsonrpc: '2.0', id: 'q', result: { a: 'ü' } } },
      { session: 's', from: 'a', kind: 'taken', id: 1, owner: 'b' },
      { session: 's', from: 'a', kind: 'place' },
      { session: 's', from: 'a', kind: 'ended' },
    ];
    // A subscription may take a moment; nothing is promised before it.
    await until(
      async () => {
        await store.tell({ session: 'probe', from: 'a', kind: 'changed' });
        return heard.length;
      },
      (count) => count > 0,
      { what: 'the first hint' },
    );
    for (const hint of hints) await store.tell(hint);
    const own = () => heard.filter((hint) => typeof hint === 'object' && (hint as SessionHint).session === 's');
    await until(own, (seen) => seen.length === hints.length, { what: 'all hints' });
    expect(own()).toEqual(hints);
    stop();
  });
});
