/** Sends one request to where it may go: to a checked address, within a time, and no further than that server's answer. */
import { lookup as resolveName } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { abortableWith } from '../core/abort.js';
import { isPublicAddress } from './public-address.js';

/** Where it goes, and how. */
export interface PostOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  /** Whether it may go to an address that is not public. */
  readonly anyAddress: boolean;
  readonly signal: AbortSignal;
  /** Finds the addresses of a name; the system's resolver unless given. */
  readonly resolve?: typeof resolveName;
}

/** What came of it: an answer, or in words why there was none. */
export type Posted =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'failed'; readonly why: string };

/** Why a URL that names an address, and no host to resolve, may not be posted to; undefined if it may. */
export function refusalOf({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && !isPublicAddress(host) ? refusal(host) : undefined;
}

/** Posts the body. A redirect is an answer and not followed: where it leads was not checked. */
export async function post(options: PostOptions): Promise<Posted> {
  const { url, anyAddress } = options;
  // A name is checked once it is resolved; an address is connected to without that.
  const refused = anyAddress ? undefined : refusalOf(url);
  if (refused !== undefined) return { kind: 'failed', why: refused };
  const limit = abortableWith(options.signal, options.timeoutMs);
  try {
    const response = await answerTo(options, limit.signal);
    // What it says does not matter, however much that is.
    response.destroy();
    return { kind: 'answered', status: response.statusCode ?? 0, retryAfterMs: retryAfterMs(response) };
  } catch (error) {
    const why = limit.signal.aborted ? `no answer within ${options.timeoutMs} ms` : reasonOf(error);
    return { kind: 'failed', why };
  } finally {
    limit.release();
  }
}

function answerTo(options: PostOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const { url, headers, body, anyAddress, resolve = resolveName } = options;
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((answer, reject) => {
    const sent: ClientRequest = send(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // A connection of its own, made to an address that was checked for it.
      agent: false,
      lookup: checkedLookup(resolve, anyAddress),
      signal,
    });
    sent.once('response', answer);
    sent.on('error', reject);
    // As when it switches to another protocol: neither an answer nor an error, and nothing more to abort.
    sent.once('close', () => reject(new Error('the connection ended without an answer')));
    sent.end(body);
  });
}

/**
 * Resolves a name for a connection and gives only addresses that may be connected to. The connection is made to what is given here,
 * so a name that says something else a moment later (DNS rebinding) leads nowhere else.
 */
function checkedLookup(resolve: typeof resolveName, anyAddress: boolean): LookupFunction {
  return (name, options, callback) => {
    resolve(name, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const allowed = found.filter(({ address }) => anyAddress || isPublicAddress(address));
      const [first] = allowed;
      if (!first) return callback(new Error(refusal(found.map(({ address }) => address).join(', '))), []);
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

function refusal(address: string): string {
  return (
    `${address} is not an address of the public internet; ` +
    'if the webhook is meant to be there, set LONGHAUL_WEBHOOK_ADDRESSES=any'
  );
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs({ headers }: IncomingMessage): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  return cause instanceof Error ? cause.message : String(cause);
}
