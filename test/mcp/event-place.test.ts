/** What a client has heard is known from its last event id, also of events that Redis could not take. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newJobId } from '../../src/core/ids.js';
import { eventIdOf, placeOf } from '../../src/mcp/event-place.js';
import { createEventStore, type EventStoreParts } from '../../src/mcp/event-store.js';
import { type LiveCall, resumedCall } from '../../src/mcp/open-call.js';
import type { MessageFacts } from '../../src/mcp/session-wire.js';

describe('an event id', () => {
  it.each([
    { stream: 'abc_-1', number: 0 },
    { stream: 'abc', number: 12, told: { cursor: '17-3', progress: 5 } },
    { stream: 'abc', number: 12, told: { cursor: '17-3' } },
    ...[0.5, 5.000001, 1e-7, -3, 1.5e21, 0.1 + 0.2].map((progress) => ({
      stream: 'abc',
      number: 12,
      told: { cursor: undefined, progress },
    })),
  ])('says the same as it was made of: %j', (place) => {
    expect(placeOf(eventIdOf(place))).toEqual(place);
  });

  it('holds any progress, also that of many signs of life', () => {
    const small = fc.double({ min: 0, max: 1e-5, noNaN: true });
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.oneof(small, finite), (progress) => {
        const place = { stream: 'abc', number: 12, told: { cursor: undefined, progress } };
        // Numbers are written as `String` does, which knows no negative zero.
        expect(placeOf(eventIdOf(place))?.told?.progress).toBe(progress === 0 ? 0 : progress);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '',
    'abc',
    'abc.',
    'ab.1',
    'abc.x',
    'abc.1.2',
    'abc.1.2-3',
    'abc.1.2-3.x',
    'abc.1.-.1',
    `abc.${'1'.repeat(16)}`,
  ])('is none of ours: %j', (id) => expect(placeOf(id)).toBeUndefined());
});

/** A call whose progress is stored or not, as `came` says, one event after the other. */
function stream(came: readonly ('written' | 'unstored')[]) {
  const job = newJobId();
  const call = { v: 1, id: 1, stream: 'stream1', method: 'tools/call', job } as const;
  const live: LiveCall = { call, owner: 'a', admitted: true, number: 0, told: {}, hasGap: false, asked: new Map() };
  const facts = new WeakMap<JSONRPCMessage, MessageFacts>();
  const outcomes = [...came];
  const parts: EventStoreParts = {
    calls: { byId: new Map([[1, live]]), opening: undefined },
    factsOf: (message) => facts.get(message),
    append: async () => outcomes.shift() ?? 'written',
    replay: async () => ({ kind: 'known', events: [] }),
    settled: async () => undefined,
    onOver: () => undefined,
  };
  const store = createEventStore(parts);
  return {
    call,
    async tell(progress: number | undefined, cursor?: string) {
      const message: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/progress' };
      facts.set(message, { about: 1, isLast: false, cursor, progress });
      return store.storeEvent('sdk', message);
    },
  };
}

describe('a call that another front end goes on with', () => {
  it('begins after what its client heard and the log lacks', async () => {
    const { call, tell } = stream(['written', 'unstored', 'unstored']);
    await tell(1, '5-0');
    await tell(2, '6-0');
    const last = await tell(2.000001);

    const seen = placeOf(last) ?? { stream: '', number: 0 };
    const resumed = resumedCall({ call, lastNumber: 1, cursor: '5-0', progress: 1, questions: [] }, 'b', seen);
    expect(resumed).toMatchObject({ number: 3, told: { cursor: '6-0', progress: 2.000001 }, hasGap: true });
    expect(resumed.resumed).toMatchObject({ cursor: '6-0', progress: 2.000001 });
  });

  it('is told of the gap by every later id, though what follows is stored', async () => {
    const { tell } = stream(['unstored', 'written']);
    await tell(7, '9-1');

    expect(placeOf(await tell(undefined, '9-2'))?.told).toEqual({ cursor: '9-2', progress: 7 });
  });

  it('begins after what the log holds where that is later, or nothing is missing', async () => {
    const { call, tell } = stream([]);
    const id = await tell(1, '5-0');

    expect(placeOf(id)).toEqual({ stream: 'stream1', number: 1 });
    const taken = { call, lastNumber: 4, cursor: '10-0', progress: 3, questions: [] };
    const resumed = resumedCall(taken, 'b', { stream: 'stream1', number: 1, told: { cursor: '9-5', progress: 2 } });
    expect(resumed).toMatchObject({ number: 4, told: { cursor: '10-0', progress: 3 } });
  });
});
