/** The SDK's event store over the sessions' store: names streams so that any front end can go on with them, and numbers their events. */
import type { EventId, EventStore, JSONRPCMessage, StreamId } from '@modelcontextprotocol/server';
import type { EventWrite, EventWriting, Replay } from '../core/session-ports.js';
import { eventIdOf, placeOf, type Told } from './event-place.js';
import { errorMessage } from './incoming.js';
import type { LiveCall, LiveCalls } from './open-call.js';
import type { MessageFacts } from './session-wire.js';

/** What the event store of one session stands on. */
export interface EventStoreParts {
  readonly calls: LiveCalls;
  factsOf(message: JSONRPCMessage): MessageFacts | undefined;
  /** Stores an event; `unstored` if the store is away, which must not keep it from a client that listens. */
  append(write: EventWrite): Promise<EventWriting | 'unstored'>;
  replay(stream: string, after: number): Promise<Replay>;
  /** Resolves once no stream is just being replayed: what came meanwhile must not overtake it, nor miss it. */
  settled(): Promise<void>;
  /** Its response is on its way, or another front end has taken the call. */
  onOver(live: LiveCall, why: 'answered' | 'lost' | 'gone'): void;
}

/** The SDK's name of the stream that belongs to no request, and ours. */
const STANDALONE = { sdk: '_GET_stream', name: 'get' };

/** Builds the event store of one session. */
export function createEventStore(parts: EventStoreParts): EventStore {
  const { calls } = parts;
  const store = createWriter(parts);
  let replay: { readonly lastId: EventId; readonly found: Replay } | undefined;

  /** A stream that nobody here writes is known to the SDK by no name; any will do. */
  const sdkStreamOf = (stream: string): StreamId => {
    if (stream === STANDALONE.name) return STANDALONE.sdk;
    return [...calls.byId.values()].find(({ call }) => call.stream === stream)?.sdkStream ?? stream;
  };
  return {
    async storeEvent(sdkStream, message) {
      if (Object.keys(message).length === 0) return prime(calls, sdkStream);
      const facts = parts.factsOf(message);
      const live = facts?.about === undefined ? undefined : calls.byId.get(facts.about);
      if (live) live.sdkStream = sdkStream;
      const id = await store(live, message, facts);
      await parts.settled();
      return id;
    },
    async getStreamIdForEventId(lastId) {
      const place = placeOf(lastId);
      if (!place) return undefined;
      replay = { lastId, found: await parts.replay(place.stream, place.number) };
      return replay.found.kind === 'known' ? sdkStreamOf(place.stream) : undefined;
    },
    async replayEventsAfter(lastId, { send }) {
      const place = placeOf(lastId);
      if (!place || replay?.lastId !== lastId || replay.found.kind !== 'known') throw new Error('unknown event id');
      const { events } = replay.found;
      replay = undefined;
      for (const { number, message } of events)
        await send(eventIdOf({ stream: place.stream, number }), JSON.parse(message));
      return sdkStreamOf(place.stream);
    },
  };
}

/** The first event of a call's stream gives the client a place to come back to; it is no message, and not stored. */
function prime({ opening }: LiveCalls, sdkStream: StreamId): EventId {
  if (!opening) throw new Error('a stream was opened for no request');
  opening.sdkStream = sdkStream;
  return eventIdOf({ stream: opening.call.stream, number: 0 });
}

type Writer = (live: LiveCall | undefined, message: JSONRPCMessage, facts?: MessageFacts) => Promise<EventId>;

/** Stores one message after the other, and says when a call is over by that. */
function createWriter(parts: EventStoreParts): Writer {
  let standalone = 0;
  return async (live, message, facts) => {
    // Front ends number the stream that belongs to none of them by the clock.
    standalone = Math.max(standalone + 1, Date.now());
    const stream = live?.call.stream ?? STANDALONE.name;
    const number = live ? ++live.number : standalone;
    const isLast = facts?.isLast === true;
    const came = await parts.append({
      event: { stream, number, message: keptOf(live, message), cursor: facts?.cursor, progress: facts?.progress },
      ...(live?.admitted && !facts?.isUnowned && { call: { id: live.call.id, owner: live.owner } }),
      ...(facts?.question && { question: facts.question }),
      isLast,
    });
    if (live && (came === 'lost' || came === 'gone')) {
      parts.onOver(live, came);
      throw new Error('another front end writes this stream');
    }
    if (live && isLast) parts.onOver(live, 'answered');
    return eventIdOf({ stream, number, told: live && note(live, facts, came) });
  };
}

/** What a client has heard that the log lacks; undefined while it lacks nothing. */
function note(live: LiveCall, facts: MessageFacts | undefined, came: EventWriting | 'unstored'): Told | undefined {
  live.told = { cursor: facts?.cursor ?? live.told.cursor, progress: facts?.progress ?? live.told.progress };
  live.hasGap ||= came === 'unstored';
  return live.hasGap ? live.told : undefined;
}

/** Listings are large, the same for everybody, and asked for again more cheaply than kept for every client that might come back. */
const LISTINGS = ['tools/list', 'resources/list', 'resources/templates/list'];

function keptOf(live: LiveCall | undefined, message: JSONRPCMessage): string {
  const isListing = live !== undefined && LISTINGS.includes(live.call.method) && 'result' in message;
  if (!isListing) return JSON.stringify(message);
  return JSON.stringify(
    errorMessage(
      -32603,
      `The answer to ${live.call.method} was sent and is not kept. Send the request again.`,
      live.call.id,
    ),
  );
}
