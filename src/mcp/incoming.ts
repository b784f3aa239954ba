/** Judges a parsed JSON value as a JSON-RPC message before the SDK sees it: ids, shape, no batches. */
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';

/** A message, or why it is none. `id` is set when the sender can be told which request is meant. */
export type Incoming =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'invalid'; readonly why: string; readonly id?: string | number };

/** The JSON-RPC error of an invalid message; the id is left out where there is none, never `null` (2025-11-25, JSONRPCErrorResponse). */
export function errorMessage(code: number, message: string, id?: string | number) {
  return { jsonrpc: '2.0' as const, ...(id !== undefined && { id }), error: { code, message } };
}

/** Judges one value. Batches are refused: no revision served here allows them. */
export function readMessage(value: unknown): Incoming {
  if (Array.isArray(value)) return invalid('batches are not supported; send one message a request');
  if (typeof value !== 'object' || value === null) return invalid('expected a JSON-RPC 2.0 object');
  if ('id' in value && !isRequestId(value.id)) {
    return invalid('id must be a string or a whole number that JSON carries exactly');
  }
  const id = 'id' in value && isRequestId(value.id) ? value.id : undefined;
  try {
    return { kind: 'message', message: parseJSONRPCMessage(value) };
  } catch {
    return invalid('expected a JSON-RPC 2.0 request, notification or response', 'method' in value ? id : undefined);
  }
}

/** Numbers beyond 2^53 arrive rounded, so answering them would answer another id. */
function isRequestId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function invalid(why: string, id?: string | number): Incoming {
  return { kind: 'invalid', why, ...(id !== undefined && { id }) };
}
