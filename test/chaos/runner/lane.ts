/** One client of the chaos run: a session of 2025 that is opened anew when it is lost, and the front ends it may ask. */
import { pause } from '../../../src/core/lifecycle.js';
import { init, post, type Reply, send, type WireSession } from '../../support/http-wire.js';
import type { Installation } from './installation.js';
import { ABILITIES } from './model.js';

/** A session as a client keeps it. */
export interface LaneSession extends Pick<WireSession, 'id' | 'headers'> {
  /** The front end that knows it. */
  readonly port: number;
}

/** See `createLane`. */
export interface Lane {
  /** The session, opened if there is none. */
  session(): Promise<LaneSession>;
  /** Forgets the session: no front end knows it any more. */
  drop(session: LaneSession): void;
  /** Sends a message of the session. */
  post(session: LaneSession, message: object): Promise<Reply>;
  /** Asks for the rest of a stream; undefined if the session is lost. */
  resume(session: LaneSession, lastEventId: string): Promise<Reply | undefined>;
  /** A front end for a request that needs no session. */
  nextPort(): number;
  /** Ends the session. */
  close(): Promise<void>;
}

const AGAIN_MS = 200;
/** A session whose front end does not answer for so long is given up. */
const PATIENCE_MS = 20_000;

/** Builds the lane; `first` says which front end it begins with. */
export function createLane({ frontEnds }: Installation, first: number): Lane {
  let turn = first;
  let opened: LaneSession | undefined;
  const nextPort = (): number => frontEnds[turn++ % frontEnds.length]?.port ?? 0;
  const open = async (): Promise<LaneSession> => {
    for (;;) {
      const port = nextPort();
      try {
        const session = await init({ port }, ABILITIES);
        const level = await session.request('level', 'logging/setLevel', { level: 'debug' });
        await level.response('level');
        return { id: session.id, headers: session.headers, port };
      } catch {
        await pause(AGAIN_MS);
      }
    }
  };
  return {
    nextPort,
    async session() {
      opened ??= await open();
      return opened;
    },
    drop(session) {
      if (opened?.id === session.id) opened = undefined;
    },
    post: ({ port, headers }, message) => post({ port }, { jsonrpc: '2.0', ...message }, headers),
    async resume({ port, headers }, lastEventId) {
      const giveUpAtMs = Date.now() + PATIENCE_MS;
      while (Date.now() < giveUpAtMs) {
        const wanted = { Accept: 'text/event-stream', ...headers, 'Last-Event-ID': lastEventId };
        const reply = await send({ port }, { method: 'GET', headers: wanted }).catch(() => undefined);
        if (reply?.status === 200) return reply;
        reply?.destroy();
        if (reply && reply.status >= 400 && reply.status < 500 && reply.status !== 409) return undefined;
        await pause(AGAIN_MS);
      }
      return undefined;
    },
    async close() {
      if (!opened) return;
      const { port, headers } = opened;
      await send({ port }, { method: 'DELETE', headers }).catch(() => undefined);
    },
  };
}
