/** Bearer tokens of whoever calls over HTTP: told apart by digests, in constant time. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Principal } from '../core/ids.js';

/** A token and whose it is; a principal may have several, as while one is replaced by another. */
export interface TokenEntry {
  readonly principal: Principal;
  readonly token: string;
}

/** Tells who may call. Holds digests only, so that no token can leak from it. */
export interface Login {
  /** Whether there are tokens at all. */
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

/** The token of an `Authorization` header; the scheme is named in any case (RFC 9110, 11.1). */
export function bearerToken(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
