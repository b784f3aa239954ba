/** Who a request over HTTP belongs to: judged by its bearer token, and carried with the request to whoever asks. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { AppError } from '../core/errors.js';
import { LOCAL_PRINCIPAL, type Principal } from '../core/ids.js';
import { bearerToken, type Login } from '../web/login.js';
import { refuse } from './http-gate.js';

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
