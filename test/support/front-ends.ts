/** Three front ends of one installation with a worker beside them, for sessions that belong to none of them. */
import { init, sessionAt, type WireSession } from './http-wire.js';
import { QUIZ } from './questions-wire.js';
import { type HttpServer, openSite, type Site } from './site.js';

/** Settings of all of them: room for everything at once, and the quiz tool. */
export const REPLICA_ENV = { ...QUIZ, LONGHAUL_CONCURRENCY: 'analysis=20,review=20' };

/** See `openFrontEnds`. */
export interface FrontEnds {
  readonly site: Site;
  readonly servers: readonly [HttpServer, HttpServer, HttpServer];
  /** One session as each of them sees it; it began at the first, or at the one named, which stands in for that. */
  everywhere(capabilities?: object, at?: HttpServer): Promise<readonly [WireSession, WireSession, WireSession]>;
  /** A further front end, there to be killed. */
  victim(): Promise<HttpServer>;
  close(): Promise<void>;
}

/** Starts them. */
export async function openFrontEnds(): Promise<FrontEnds> {
  const site = await openSite();
  const plain = () => site.http({ workers: 0, env: REPLICA_ENV, alone: true });
  const [a, b, c] = await Promise.all([plain(), plain(), plain(), site.worker({ env: REPLICA_ENV })]);
  return {
    site,
    servers: [a, b, c],
    victim: plain,
    async everywhere(capabilities = {}, at = a) {
      const session = await init(at, capabilities);
      return [session, sessionAt(b, session), sessionAt(c, session)];
    },
    close: () => site.close(),
  };
}
