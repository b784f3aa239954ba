/** The way to a server: one of our own as a child, or a running one by its URL. */
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { RawSettings } from '../config.js';
import { settlesWithin } from '../core/lifecycle.js';
import { readableLogLine } from './child-log.js';
import { createServerChild } from './server-child.js';

/** Which server to call. */
export type ServerChoice =
  | {
      readonly kind: 'child';
      readonly entry: string;
      readonly settings: RawSettings;
      /** Milliseconds its workers may take to finish work when it ends. */
      readonly graceMs: number;
      /** Whether its log is shown as it is, not in words. */
      readonly rawLog: boolean;
    }
  | { readonly kind: 'url'; readonly url: URL; readonly token?: string };

/** An unopened connection to a server. */
export interface ServerLink {
  readonly transport: Transport;
  /** In words, without a password. */
  readonly described: string;
  /** For a child: resolves when it has ended, with words on how. */
  readonly ended?: Promise<string>;
  /** Ends the session or the child; resolves when nothing of it is left. */
  close(): Promise<void>;
  /** Ends a child at once. */
  kill(): void;
}

/** The server's own grace, and what it needs beyond to stop its workers and the private Redis. */
const END_MARGIN_MS = 10_000;
const FAREWELL_LIMIT_MS = 2_000;
/** A call outlives a restart of the server: about two minutes of attempts. */
const RECONNECTION = {
  initialReconnectionDelay: 250,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 5_000,
  maxRetries: 30,
};

/** Prepares the connection; nothing is started before the client connects. `onLine` takes what a child says on stderr. */
export function openServer(choice: ServerChoice, onLine: (line: string) => void): ServerLink {
  if (choice.kind === 'url') return linkTo(choice);
  const { entry, settings, graceMs, rawLog } = choice;
  const onStderrLine = (line: string) => onLine(rawLog ? line : readableLogLine(line));
  const child = createServerChild({ entry, settings, endLimitMs: graceMs + END_MARGIN_MS, onStderrLine });
  return {
    transport: child,
    described: 'the server started for this call',
    ended: child.ended,
    close: () => child.close(),
    kill: child.kill,
  };
}

function linkTo({ url, token }: Extract<ServerChoice, { kind: 'url' }>): ServerLink {
  const transport = new StreamableHTTPClientTransport(new URL(`${url.origin}${url.pathname}${url.search}`), {
    reconnectionOptions: RECONNECTION,
    requestInit: { headers: credentialsOf(url, token) },
  });
  return {
    transport,
    described: `the server at ${url.origin}${url.pathname}`,
    async close() {
      // A server may hold a session for an hour; one that is done with is given back at once.
      await settlesWithin(transport.terminateSession(), FAREWELL_LIMIT_MS);
      await transport.close();
    },
    kill: () => undefined,
  };
}

/** A user and password in the URL are for a proxy before the server; `fetch` takes them as a header only (RFC 7617), which has no room for a token as well. */
function credentialsOf({ username, password }: URL, token: string | undefined): Record<string, string> {
  if (username === '' && password === '') return token === undefined ? {} : { authorization: `Bearer ${token}` };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
