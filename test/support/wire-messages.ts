/** Writes and reads JSON-RPC messages as the wire cases do, whichever transport carries them. */
import { MODERN, type WireMessage } from './http-wire.js';

/** A message with the moment it came, in milliseconds since the epoch; an event of an SSE stream is one too. */
export interface Seen {
  readonly atMs: number;
  readonly message?: WireMessage;
}

/** The values of a progress notification. */
export interface SeenProgress {
  readonly atMs: number;
  readonly token: unknown;
  readonly progress: number;
  readonly message: unknown;
}

/** Parses a text as exactly one JSON-RPC 2.0 message; undefined if it is anything else. */
export function readWireMessage(text: string): WireMessage | undefined {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'jsonrpc') !== '2.0') return undefined;
  const has = (name: string) => Object.hasOwn(value, name);
  const isRequest = typeof Reflect.get(value, 'method') === 'string' && !has('result') && !has('error');
  const isResponse = !has('method') && has('result') !== has('error') && (has('id') || has('error'));
  return isRequest || isResponse ? value : undefined;
}

/** A 2026-07-28 request as one message; `meta` adds to `_meta`. */
export function modernMessage(id: unknown, method: string, params: object = {}, meta: object = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
}

/** A request of 2025. */
export function requestMessage(id: unknown, method: string, params?: object) {
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

/** A notification. */
export function notification(method: string, params?: object) {
  return { jsonrpc: '2.0', method, ...(params && { params }) };
}

/** A client's cancel of one of its requests. */
export function cancelMessage(requestId: unknown, reason?: string) {
  return notification('notifications/cancelled', { requestId, ...(reason !== undefined && { reason }) });
}

/** The progress notifications among messages; those of one token if it is given. */
export function progressAmong(seen: readonly Seen[], ...only: [] | [token: unknown]): SeenProgress[] {
  const updates = seen.flatMap(({ atMs, message }) => {
    if (message?.method !== 'notifications/progress') return [];
    const { progressToken: token, progress, message: text } = message.params ?? {};
    return [{ atMs, token, progress: Number(progress), message: text }];
  });
  return only.length === 0 ? updates : updates.filter(({ token }) => token === only[0]);
}

/** The log messages among messages, as level and data. */
export function logsAmong(seen: readonly Seen[]): { readonly level: unknown; readonly data: unknown }[] {
  return seen.flatMap(({ message }) => {
    if (message?.method !== 'notifications/message') return [];
    return [{ level: message.params?.level, data: message.params?.data }];
  });
}

/** The responses to one id, in order. */
export function responsesTo(seen: readonly Seen[], id: unknown): WireMessage[] {
  return seen.flatMap(({ message }) => (message && message.id === id && message.method === undefined ? [message] : []));
}

/** Whether each value is larger than the one before. */
export function risesStrictly(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value > (values[index - 1] ?? Number.NaN));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
