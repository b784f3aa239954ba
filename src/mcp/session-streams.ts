/** The event streams of one session: opened one at a time, replayed without a gap, and taken over from other front ends. */
import type {
  EventStore,
  JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createTurns } from '../core/in-turn.js';
import type { Replay } from '../core/session-ports.js';
import type { RequestId } from '../core/session-records.js';
import { placeOf } from './event-place.js';
import { createEventStore, type EventStoreParts } from './event-store.js';
import { errorMessage } from './incoming.js';
import { type LiveCall, type LiveCalls, requestAgain, resumedCall } from './open-call.js';
import type { SessionLink } from './session-link.js';
import type { MessageFacts } from './session-wire.js';

/** What the streams of a session stand on. */
export interface StreamParts {
  readonly link: SessionLink;
  readonly calls: LiveCalls;
  readonly owners: string;
  readonly sessionId: string;
  transport(): WebStandardStreamableHTTPServerTransport;
  factsOf(message: JSONRPCMessage): MessageFacts | undefined;
  /** Whether events are to be kept: not while a session is revived, nor before it is stored itself. */
  storing(): 'yes' | 'not_yet' | 'mute';
  isInFlight(id: RequestId): boolean;
  inUse(): boolean;
  onOver: EventStoreParts['onOver'];
}

/** See `createStreams`. */
export interface Streams {
  readonly eventStore: EventStore;
  /** Has the SDK take a request. */
  open(request: Request, body: unknown, live: LiveCall): Promise<Response>;
  /**
   * Answers a GET that comes back for the stream of an event; takes it over if its call is open and not served here. Rejects
   * while the events cannot be read.
   */
  replay(request: Request, lastEventId: string): Promise<Response>;
}

const ENDPOINT = 'http://localhost/mcp';

/** Builds the streams of one session. */
export function createStreams(parts: StreamParts): Streams {
  const { link, calls, factsOf, onOver } = parts;
  // The SDK does not say which request a stream is opened for, nor which one a replay is of.
  const inTurn = createTurns();
  let replaying: Promise<unknown> = Promise.resolve();
  const reader = createReader(link);
  const append: EventStoreParts['append'] = async (write) => {
    const storing = parts.storing();
    if (storing !== 'yes') return storing === 'mute' ? 'written' : 'unstored';
    const told = { ...write, inUse: parts.inUse() };
    return link.use((store) => store.append(link.session, told)).catch(() => 'unstored' as const);
  };
  const open: Streams['open'] = (request, body, live) =>
    inTurn(async () => {
      calls.byId.set(live.call.id, live);
      calls.opening = live;
      try {
        const response = await parts.transport().handleRequest(request, { parsedBody: body });
        if (response.status !== 200) forget(parts, live);
        return response;
      } finally {
        calls.opening = undefined;
      }
    });
  return {
    eventStore: createEventStore({
      ...{ calls, factsOf, append, onOver },
      replay: reader.replay,
      settled: async () => void (await replaying),
    }),
    open,
    async replay(request, lastEventId) {
      const taken = await takeOver(parts, lastEventId);
      if (taken) await goOn(parts, taken, { open, append });
      return inTurn(() => {
        const answered = reader.answering(() => parts.transport().handleRequest(request));
        replaying = answered.catch(() => undefined);
        return answered;
      });
    },
  };
}

/** Reads events for the SDK, which answers as if it were its own fault where they cannot be read. */
function createReader(link: SessionLink) {
  let unread: unknown;
  return {
    async replay(stream: string, after: number): Promise<Replay> {
      try {
        return await link.use((store) => store.replay(link.session, stream, after));
      } catch (error) {
        unread = error;
        throw error;
      }
    },
    /** What the SDK answers; rejects with why its events could not be read. */
    async answering(answer: () => Promise<Response>): Promise<Response> {
      unread = undefined;
      const response = await answer();
      if (unread !== undefined) throw unread;
      return response;
    },
  };
}

/** The SDK refused the request, so it is not open. */
function forget({ calls, link }: StreamParts, live: LiveCall): void {
  calls.byId.delete(live.call.id);
  if (live.admitted) link.try((store) => store.drop(link.session, live.call.id, live.owner));
}

/** Takes the call of an event's stream over; undefined if it is over, or served here. */
async function takeOver(parts: StreamParts, lastEventId: string): Promise<LiveCall | undefined> {
  const { link, calls, owners } = parts;
  const place = placeOf(lastEventId);
  const live = place && [...calls.byId.values()].find(({ call }) => call.stream === place.stream);
  if (!place || (live && parts.isInFlight(live.call.id))) return undefined;
  const owner = `${owners}${place.stream}.${Date.now()}`;
  const taken = await link.use((store) => store.takeOver(link.session, place.stream, owner));
  if (!taken) return undefined;
  await link.tell({ kind: 'taken', id: taken.call.id, owner }).catch(() => undefined);
  return resumedCall(taken, owner, place);
}

/** Begins a call again that another front end began. */
async function goOn(
  { sessionId }: StreamParts,
  live: LiveCall,
  { open, append }: Pick<Streams, 'open'> & Pick<EventStoreParts, 'append'>,
): Promise<void> {
  const { id, stream, method } = live.call;
  if (method === 'tools/call') {
    const response = await open(innerPost(sessionId), requestAgain(live.call), live);
    return response.body?.cancel();
  }
  // Such requests are answered at once and change nothing: their client may simply send them again.
  const why = `The front end that took ${method} died before it answered. Send the request again.`;
  const message = JSON.stringify(errorMessage(-32603, why, id));
  const event = { stream, number: live.number + 1, message };
  await append({ event, call: { id, owner: live.owner }, isLast: true });
}

/** A request of our own, as the transport wants to see one. */
export function innerPost(sessionId?: string): Request {
  const headers = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    // Only from this revision on the SDK names a stream before the handler of its request runs.
    'MCP-Protocol-Version': '2025-11-25',
    ...(sessionId !== undefined && { 'Mcp-Session-Id': sessionId }),
  };
  return new Request(ENDPOINT, { method: 'POST', headers });
}
