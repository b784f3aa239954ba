/** Stands between a transport and the SDK's server and holds the promises neither of them keeps. */
import type { JSONRPCMessage, JSONRPCNotification, Transport } from '@modelcontextprotocol/server';
import { isInitialize, isNotification, isRequest, isResponse } from './message-kind.js';

type RequestId = string | number;

/** What a guarded transport tells its owner. */
export interface GuardHooks {
  /** The client gave up a request that was under way. */
  onCancelled?(id: RequestId): void;
  /** A request was left to another front end. */
  onForgone?(id: RequestId): void;
  /** A request was dropped because one with its id is still under way. */
  onDuplicate?(id: RequestId): void;
}

/** A transport with a memory of what is under way. */
export interface GuardedTransport extends Transport {
  /** Whether a request with this id is still unanswered. */
  isInFlight(id: RequestId): boolean;
  /** How many requests are unanswered. */
  inFlight(): number;
  /** Leaves a request to another front end: its handler is aborted, and nothing more is sent about it. */
  forgo(id: RequestId): void;
}

/** Why a request is aborted that is left to another front end. */
const FORGONE = 'longhaul: another front end goes on with the request';

const NO_REASON = 'cancelled by the client';

/**
 * Guards a transport: ids under way are not reused, nothing about a request is sent after its response or its cancel,
 * malformed cancels are ignored (2025-11-25, Cancellation), and `2025-03-26` is offered its predecessor.
 * A cancelled request's signal aborts with the client's reason as a string; see `clientsReason`.
 */
export function guardTransport(inner: Transport, hooks: GuardHooks = {}): GuardedTransport {
  const open = new Set<RequestId>();
  const settling = new Set<RequestId>();

  /** One response a request and none after its cancel; about a request nothing but the withdrawal of what was asked for it. */
  const maySend = (message: JSONRPCMessage, about: RequestId | undefined): boolean => {
    if (isResponse(message)) return message.id === undefined || open.delete(message.id);
    return about === undefined || open.has(about) || (isCancel(message) && settling.has(about));
  };
  const receive: NonNullable<Transport['onmessage']> = (message, extra) => {
    if (isRequest(message)) {
      if (open.has(message.id)) return hooks.onDuplicate?.(message.id);
      open.add(message.id);
      return guarded.onmessage?.(offerable(message), extra);
    }
    if (!isCancel(message)) return guarded.onmessage?.(message, extra);
    const id = cancelledId(message);
    if (id === undefined || !open.delete(id)) return;
    settling.add(id);
    // By then the SDK has carried the cancel out, and withdrawn what was asked of the client on behalf of the request.
    setImmediate(settled, id);
    guarded.onmessage?.(withReason(message), extra);
  };
  const settled = (id: RequestId): void => {
    settling.delete(id);
    hooks.onCancelled?.(id);
  };
  const guarded: GuardedTransport = {
    ...passOn(inner),
    send: (message, options) =>
      maySend(message, options?.relatedRequestId) ? inner.send(message, options) : Promise.resolve(),
    get sessionId() {
      return inner.sessionId;
    },
    isInFlight: (id) => open.has(id),
    inFlight: () => open.size,
    forgo(id) {
      if (open.delete(id)) guarded.onmessage?.(forgoing(id));
      setImmediate(() => hooks.onForgone?.(id));
    },
  };
  passEnds(inner, guarded);
  inner.onmessage = (message, extra) => {
    // The SDK carries out a cancel a turn later, and would then abort whatever has taken over the id.
    const id = isRequest(message) ? message.id : cancelledId(message);
    if (id !== undefined && settling.has(id)) setImmediate(receive, message, extra);
    else receive(message, extra);
  };
  return guarded;
}

/** What a transport does that stands before another one and has nothing to add. */
function passOn(inner: Transport): Omit<Transport, 'send' | 'sessionId'> {
  return {
    start: () => inner.start(),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
  };
}

/** Has what ends a transport end the one that stands before it. */
function passEnds(inner: Transport, outer: Transport): void {
  inner.onclose = () => outer.onclose?.();
  inner.onerror = (error) => outer.onerror?.(error);
}

function forgoing(id: RequestId): JSONRPCNotification {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: FORGONE } };
}

/** Why the client gave up the request of this signal; undefined if it did not, but was lost, waits still or is served elsewhere. */
export function clientsReason(signal: AbortSignal): string | undefined {
  const reason: unknown = signal.reason;
  return typeof reason === 'string' && reason !== FORGONE ? reason : undefined;
}

function isCancel(message: JSONRPCMessage): message is JSONRPCNotification {
  return isNotification(message) && message.method === 'notifications/cancelled';
}

function withReason(cancel: JSONRPCNotification): JSONRPCNotification {
  return { ...cancel, params: { ...cancel.params, reason: reasonOf(cancel) } };
}

/** Why the client cancels, in its words or ours. */
export function reasonOf(cancel: JSONRPCNotification): string {
  const reason = cancel.params?.reason;
  return typeof reason === 'string' && reason !== '' ? reason.slice(0, 500) : NO_REASON;
}

/** Which request a message cancels; undefined if it is no well-formed cancel. */
export function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  const id = isCancel(message) ? message.params?.requestId : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/**
 * Only 2025-03-26 has batches, so it is not served. Left alone, the SDK would offer the newest revision to a client that
 * cannot know it; every client of 2025-03-26 knows 2024-11-05.
 */
function offerable<M extends JSONRPCMessage>(message: M): M {
  if (!isInitialize(message) || message.params?.protocolVersion !== '2025-03-26') return message;
  return { ...message, params: { ...message.params, protocolVersion: '2024-11-05' } };
}
