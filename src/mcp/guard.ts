/** Stands between a transport and the SDK's server and holds the promises neither of them keeps. */
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';

type RequestId = string | number;

/** What a guarded transport tells its owner. */
export interface GuardHooks {
  /** The client gave up a request that was under way. */
  onCancelled?(id: RequestId): void;
  /** A request was dropped because one with its id is still under way. */
  onDuplicate?(id: RequestId): void;
}

/** A transport with a memory of what is under way. */
export interface GuardedTransport extends Transport {
  /** Whether a request with this id is still unanswered. */
  isInFlight(id: RequestId): boolean;
  /** How many requests are unanswered. */
  inFlight(): number;
  /** The reason the client gave with its cancel; undefined if it did not cancel. */
  cancelReason(id: RequestId): string | undefined;
}

const NO_REASON = 'cancelled by the client';
/** Cancels remembered at most, in case a handler never asks. */
const REMEMBERED = 1_000;

/**
 * Guards a transport: ids under way are not reused, nothing about a request is sent after its response or its cancel,
 * malformed cancels are ignored (2025-11-25, Cancellation), and `2025-03-26` is offered its predecessor.
 */
export function guardTransport(inner: Transport, hooks: GuardHooks = {}): GuardedTransport {
  const open = new Set<RequestId>();
  const cancelled = new Map<RequestId, string>();

  const cancel = (id: RequestId, reason: unknown): void => {
    if (cancelled.size >= REMEMBERED) cancelled.delete(cancelled.keys().next().value ?? id);
    cancelled.set(id, typeof reason === 'string' && reason !== '' ? reason.slice(0, 500) : NO_REASON);
    open.delete(id);
  };
  const guarded: GuardedTransport = {
    start: () => inner.start(),
    close: () => inner.close(),
    send: (message, options) => {
      if (isResponse(message)) {
        if (message.id !== undefined) open.delete(message.id);
      } else if (options?.relatedRequestId !== undefined && !open.has(options.relatedRequestId)) {
        return Promise.resolve();
      }
      return inner.send(message, options);
    },
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
    isInFlight: (id) => open.has(id),
    inFlight: () => open.size,
    cancelReason: (id) => cancelled.get(id),
  };
  inner.onclose = () => guarded.onclose?.();
  inner.onerror = (error) => guarded.onerror?.(error);
  inner.onmessage = (message, extra) => {
    if (isJSONRPCRequest(message)) {
      if (open.has(message.id)) return hooks.onDuplicate?.(message.id);
      cancelled.delete(message.id);
      open.add(message.id);
      return guarded.onmessage?.(offerable(message), extra);
    }
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled')
      return guarded.onmessage?.(message, extra);
    const id = cancelledId(message);
    if (id === undefined || !open.has(id)) return;
    cancel(id, message.params?.reason);
    guarded.onmessage?.(message, extra);
    hooks.onCancelled?.(id);
  };
  return guarded;
}

function isResponse(message: JSONRPCMessage) {
  return isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
}

function cancelledId(message: { params?: { [key: string]: unknown } | undefined }): RequestId | undefined {
  const id = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/**
 * Only 2025-03-26 has batches, so it is not served. Left alone, the SDK would offer the newest revision to a client that
 * cannot know it; every client of 2025-03-26 knows 2024-11-05.
 */
function offerable<M extends JSONRPCMessage>(message: M): M {
  if (!isInitializeRequest(message) || message.params.protocolVersion !== '2025-03-26') return message;
  return { ...message, params: { ...message.params, protocolVersion: '2024-11-05' } };
}
