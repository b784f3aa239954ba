/**
 * Tells the kinds of JSON-RPC messages apart by what sets them apart. Only for messages that were read by `readMessage`, or that the SDK
 * made: the SDK's own predicates parse the whole message against a schema each time they are asked.
 */
import {
  isInitializeRequest,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
} from '@modelcontextprotocol/server';

/** Whether the message wants an answer. */
export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message && message.id !== undefined;
}

/** Whether the message is told, and not answered. */
export function isNotification(message: JSONRPCMessage): message is JSONRPCNotification {
  return 'method' in message && !isRequest(message);
}

/** Whether the message answers a request with a result. */
export function isResult(message: JSONRPCMessage): message is JSONRPCResultResponse {
  return 'result' in message;
}

/** Whether the message answers a request with an error. */
export function isFailure(message: JSONRPCMessage): message is JSONRPCErrorResponse {
  return 'error' in message;
}

/** Whether the message answers a request. */
export function isResponse(message: JSONRPCMessage): message is JSONRPCResultResponse | JSONRPCErrorResponse {
  return isResult(message) || isFailure(message);
}

/** Whether the message opens a session, in the way that the SDK accepts. */
export function isInitialize(message: JSONRPCMessage): message is JSONRPCRequest {
  return isRequest(message) && message.method === 'initialize' && isInitializeRequest(message);
}

/** Whether the message wants to begin a session, but does not say what that takes. */
export function isMalformedInitialize(message: JSONRPCMessage): boolean {
  return isRequest(message) && message.method === 'initialize' && !isInitializeRequest(message);
}
