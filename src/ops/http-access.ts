/** Who may do what at the ops listener: by where it listens, by tokens, and by what a browser says of where it comes from. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { bearerToken, type Login } from '../web/login.js';
import { hostName, isLoopbackName } from '../web/loopback.js';
import type { OpsNeed } from './http-routes.js';

/** By what access is judged. */
export interface OpsAccessRules {
  /** Whether only this machine reaches the listener. */
  readonly onLoopback: boolean;
  /** Whether anything may be changed at all. */
  readonly write: boolean;
  /** Tokens that may do all that may be done here. */
  readonly operators: Login;
  /** Tokens that may look only; where there are any, nobody looks without a token. */
  readonly readers: Login;
  /** Host names trusted beside addresses and those of this machine. */
  readonly allowedHosts: readonly string[];
}

/** What came of judging a request; `challenge` asks a browser for name and password. */
export type Judgement =
  | { readonly kind: 'pass'; readonly operator: string | undefined }
  | { readonly kind: 'refused'; readonly status: 401 | 403; readonly why: string; readonly challenge?: true };

/** Whether a token was sent with a request that is none of those known. */
export function isUnknownToken({ headers }: IncomingMessage, { operators, readers }: OpsAccessRules): boolean {
  const token = tokenOf(headers.authorization);
  return token !== undefined && operators.ownerOf(token) === undefined && readers.ownerOf(token) === undefined;
}

const refused = (status: 401 | 403, why: string): Judgement => ({ kind: 'refused', status, why });
const challenge = (why: string): Judgement => ({ kind: 'refused', status: 401, why, challenge: true });

const HOW = 'Send Authorization: Bearer TOKEN; a browser asks for it as the password, under any name.';
const NO_WRITES =
  'Nothing is changed here: this listener only shows. Start it with --ops-write (LONGHAUL_OPS_WRITE=true) and a token in ' +
  'LONGHAUL_OPS_TOKENS, or use `longhaul jobs`.';

/** Judges whether a request may have what it needs. */
export function judgeAccess(req: IncomingMessage, needs: OpsNeed, rules: OpsAccessRules): Judgement {
  if (!isOwnOrigin(req, needs)) {
    return refused(403, 'Pages of other origins may neither read nor change anything here.');
  }
  if (needs === 'write' && !rules.write) return refused(403, NO_WRITES);
  const token = tokenOf(req.headers.authorization);
  const operator = token === undefined ? undefined : rules.operators.ownerOf(token);
  const reader = token === undefined ? undefined : rules.readers.ownerOf(token);
  if (operator !== undefined) return { kind: 'pass', operator };
  if (needs === 'write') {
    if (reader !== undefined)
      return refused(403, 'This token may look, and change nothing: it is one of LONGHAUL_OPS_READ_TOKENS.');
    return challenge(`A change needs a token of LONGHAUL_OPS_TOKENS. ${HOW}`);
  }
  if (reader !== undefined) return { kind: 'pass', operator: reader };
  if (token !== undefined) return challenge(`This token is not known here. ${HOW}`);
  return judgeAnonymous(req, needs, rules);
}

/** A page of another site can make a browser call a name that leads here, but not one of an address or of this machine. */
function judgeAnonymous(req: IncomingMessage, needs: OpsNeed, rules: OpsAccessRules): Judgement {
  const pass: Judgement = { kind: 'pass', operator: undefined };
  const { onLoopback, operators, readers, allowedHosts } = rules;
  const isTrusted = isTrustedHost(req.headers.host, allowedHosts);
  if (needs === 'nothing' && isTrusted) return pass;
  // Through a proxy a stranger comes from loopback as well, under the proxy's name, or as what the proxy says of itself.
  const isLocal = isLoopbackName(hostName(req.headers.host) ?? '') && !isForwarded(req);
  if (onLoopback && !readers.required && isLocal) return pass;
  if (operators.required || readers.required) return challenge(`Looking in needs a token. ${HOW}`);
  return refused(
    403,
    'Who comes by another name than localhost, or through a proxy, needs a token here. Give operators some with LONGHAUL_OPS_TOKENS.',
  );
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

function isForwarded({ headers }: IncomingMessage): boolean {
  return FORWARDED.some((name) => headers[name] !== undefined);
}

function isTrustedHost(host: string | undefined, allowedHosts: readonly string[]): boolean {
  const name = hostName(host);
  if (name === undefined) return false;
  return isLoopbackName(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || allowedHosts.includes(name);
}

/** Browsers name the page's origin with every change, and send their credentials whatever page asks: only this one may. */
function isOwnOrigin({ headers }: IncomingMessage, needs: OpsNeed): boolean {
  const { origin, host, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  // A link from anywhere may lead to a page here, but to no change; another port of this machine is the same site.
  if (origin === undefined && needs === 'write') return site === undefined || site === 'same-origin' || site === 'none';
  if (origin === undefined) return site !== 'cross-site' || mode === 'navigate';
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** A token comes as a bearer's, or as the password of any name. */
function tokenOf(header: string | undefined): string | undefined {
  const basic = /^basic +(\S+) *$/i.exec(header ?? '')?.[1];
  if (basic === undefined) return bearerToken(header);
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : pair.slice(colon + 1);
}
