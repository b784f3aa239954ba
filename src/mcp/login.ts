/** Who a request over HTTP belongs to: judged by its bearer token, and carried with the request to whoever asks. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { AppError } from '../core/errors.js';
import { LOCAL_PRINCIPAL, type Principal } from '../core/ids.js';
import { refuse } from './http-gate.js';

/** A token and whose it is; a principal may have several, as while one is replaced by another. */
export interface TokenEntry {
  readonly principal: Principal;
  readonly token: string;
}

/** Tells who may call. Holds digests only, so that no token can leak from it. */
export interface Login {
  /** Whether callers need a token; if not, everybody is the one local user. */
  readonly required: boolean;
  /** Whose token this is; the time it takes does not depend on how much of it is right. */
  ownerOf(token: string): Principal | undefined;
  /** Has an answer to the bearer of this token break off should the token be withdrawn before the answer has ended. */
  bind(token: string, answer: ServerResponse): void;
  /** Lets other tokens count from now on; where none were needed, none are. */
  replace(tokens: readonly TokenEntry[]): void;
}

/** Builds the login; without tokens there is none. */
export function createLogin(tokens: readonly TokenEntry[]): Login {
  const digests = (entries: readonly TokenEntry[]) =>
    entries.map(({ principal, token }) => ({ principal, digest: digestOf(token) }));
  const bound = new Map<ServerResponse, Buffer>();
  let known = digests(tokens);
  const required = known.length > 0;
  const ownerOf = (given: Buffer): Principal | undefined => {
    // Every digest is compared, in constant time each: neither the token nor its place in the list can be timed.
    const matching = known.filter(({ digest }) => timingSafeEqual(digest, given));
    return matching[0]?.principal;
  };
  return {
    required,
    ownerOf: (token) => ownerOf(digestOf(token)),
    bind(token, answer) {
      bound.set(answer, digestOf(token));
      answer.once('close', () => bound.delete(answer));
    },
    replace(others) {
      if (!required) return;
      known = digests(others);
      for (const [answer, digest] of bound) if (ownerOf(digest) === undefined) answer.destroy();
    },
  };
}

/**
 * Finds out whose request this is, and remembers it for `requestOwner`. Refuses one without a good token with 401, as RFC
 * 6750 and the specification (2025-11-25, Authorization, Token Handling) have it; a token in the URL counts for nothing.
 * Returns whether the request may go on; if not, it has been answered.
 */
export function passLogin(req: IncomingMessage, res: ServerResponse, login: Login): boolean {
  const token = bearerToken(req.headers.authorization);
  const owner = login.required ? token && login.ownerOf(token) : LOCAL_PRINCIPAL;
  if (owner) {
    owners.set(req, owner);
    if (login.required && token !== undefined) login.bind(token, res);
    // As the SDK hands it on to the servers it makes for single requests; the token itself goes nowhere.
    Object.assign(req, { auth: { token: '', clientId: owner, scopes: [] } satisfies AuthInfo });
    return true;
  }
  res.setHeader('WWW-Authenticate', token === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
  const fault = token === undefined ? 'This server takes only callers with a token' : 'This token is not known here';
  refuse(res, 401, `${fault}. Send Authorization: Bearer TOKEN, with a token from the operator.`, -32001);
  return false;
}

const owners = new WeakMap<IncomingMessage, Principal>();

/** Whose a request is that has passed the login. */
export function requestOwner(req: IncomingMessage): Principal {
  return known(owners.get(req));
}

/** As `requestOwner`, for what the SDK hands on of a request. */
export function authOwner(auth: AuthInfo | undefined): Principal {
  return known(auth?.clientId);
}

/** Nobody's request must not become the local user's by an oversight. */
function known(owner: Principal | undefined): Principal {
  if (owner === undefined) throw new AppError('internal', 'A request was not asked whose it is.');
  return owner;
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The scheme is named in any case (RFC 9110, 11.1). */
function bearerToken(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
