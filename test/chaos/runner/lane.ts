/** One client of the chaos run: its sessions of 2025, each opened anew when it is lost, and the front ends it may ask. */
import { pause } from '../../../src/core/lifecycle.js';
import { init, post, type Reply, send, type WireSession } from '../../support/http-wire.js';
import type { Installation } from './installation.js';
import { CLIENTS, type ClientKind } from './model.js';

/** A session as a client keeps it: any front end knows it. */
export type LaneSession = Pick<WireSession, 'id' | 'headers'>;

/** See `createLane`. */
export interface Lane {
  /** The session of a client of this kind, opened if there is none. */
  session(kind: ClientKind): Promise<LaneSession>;
  /** Forgets the session: no front end knows it any more. */
  drop(session: LaneSession): void;
  /** Sends a message of the session to the next front end that takes it; undefined if none did. */
  post(session: LaneSession, message: object): Promise<Reply | undefined>;
  /** Asks the next front end that answers for the rest of a stream; says if the session is lost, or the stream was never stored. */
  resume(session: LaneSession, lastEventId: string): Promise<Reply | 'no session' | 'no stream'>;
  /** A front end for a request that needs no session. */
  nextPort(): number;
  /** Ends the sessions. */
  close(): Promise<void>;
}

const AGAIN_MS = 200;
/** A session whose front end does not answer for so long is given up. */
const PATIENCE_MS = 60_000;

/** Statuses of a front end that cannot serve at the moment. */
const AWAY = [502, 503];

/** Builds the lane; `first` says which front end it begins with. */
export function createLane({ frontEnds }: Installation, first: number): Lane {
  let turn = first;
  const opened = new Map<ClientKind, LaneSession>();
  const nextPort = (): number => frontEnds[turn++ % frontEnds.length]?.port ?? 0;
  const open = async (kind: ClientKind): Promise<LaneSession> => {
    const giveUpAtMs = Date.now() + PATIENCE_MS;
    while (Date.now() < giveUpAtMs) {
      const port = nextPort();
      try {
        const { id, headers } = await init({ port }, CLIENTS[kind]);
        // One that was opened while Redis was out of reach is known to its own front end only, until that has stored it.
        const message = { jsonrpc: '2.0', id: 'level', method: 'logging/setLevel', params: { level: 'debug' } };
        const level = await post({ port: nextPort() }, message, headers);
        if ((await level.response('level')).result) return { id, headers };
      } catch {
        await pause(AGAIN_MS);
      }
    }
    throw new Error(`no front end opened a session in ${PATIENCE_MS} ms`);
  };
  return {
    nextPort,
    async session(kind) {
      const known = opened.get(kind) ?? (await open(kind));
      opened.set(kind, known);
      return known;
    },
    drop({ id }) {
      for (const [kind, session] of opened) if (session.id === id) opened.delete(kind);
    },
    async post({ headers }, message) {
      const giveUpAtMs = Date.now() + PATIENCE_MS;
      while (Date.now() < giveUpAtMs) {
        const sent = post({ port: nextPort() }, { jsonrpc: '2.0', ...message }, headers);
        const reply = await sent.catch((error: unknown) => isRefused(error));
        if (typeof reply === 'object' && !AWAY.includes(reply.status)) return reply;
        // One that may have been taken is not sent twice.
        if (reply === false) return undefined;
        if (typeof reply === 'object') reply.destroy();
        await pause(AGAIN_MS);
      }
      return undefined;
    },
    async resume({ headers }, lastEventId) {
      const giveUpAtMs = Date.now() + PATIENCE_MS;
      let last = 'nothing';
      while (Date.now() < giveUpAtMs) {
        const wanted = { Accept: 'text/event-stream', ...headers, 'Last-Event-ID': lastEventId };
        const sent = send({ port: nextPort() }, { method: 'GET', headers: wanted });
        const reply = await sent.catch((error: unknown) => String(error));
        if (typeof reply === 'object' && reply.status === 200) return reply;
        last = typeof reply === 'object' ? `${reply.status} ${await reply.text().catch(String)}` : reply;
        if (typeof reply === 'object') reply.destroy();
        if (typeof reply === 'object' && reply.status === 404) return 'no session';
        if (typeof reply === 'object' && reply.status === 400) return 'no stream';
        await pause(AGAIN_MS);
      }
      // Nobody says that the session is lost: no front end has answered.
      throw new Error(`no front end resumed a stream in ${PATIENCE_MS} ms; the last said ${last}`);
    },
    async close() {
      for (const { headers } of opened.values())
        await send({ port: nextPort() }, { method: 'DELETE', headers }).catch(() => undefined);
    },
  };
}

/** Whether nothing of a request can have reached anybody. */
function isRefused(error: unknown): boolean {
  return Object(error).code === 'ECONNREFUSED';
}
