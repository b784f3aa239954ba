/** Stands between a session's guard and its HTTP transport: question ids that no other front end uses, and marks taken off. */
import { randomInt } from 'node:crypto';
import type { JSONRPCMessage, JSONRPCRequest, JSONRPCResponse, Transport } from '@modelcontextprotocol/server';
import { RECORD_VERSION } from '../core/job.js';
import type { OpenQuestion, RequestId } from '../core/session-records.js';
import { METHODS } from './input-wire.js';
import { takeMark } from './marks.js';
import { isNotification, isRequest, isResponse } from './message-kind.js';
import { type LiveCalls, questionName } from './open-call.js';

/** What is known of a message that is about to be stored and sent. */
export interface MessageFacts {
  readonly about?: RequestId | undefined;
  readonly cursor?: string | undefined;
  readonly progress?: number | undefined;
  readonly isLast: boolean;
  /** Whether it may be sent whoever owns the call. */
  readonly isUnowned?: boolean;
  readonly question?: OpenQuestion | undefined;
}

/** A session's transport. */
export interface SessionWire extends Transport {
  /** The facts of a message on its way to the event store. */
  factsOf(message: JSONRPCMessage): MessageFacts | undefined;
  /** Whether a response answers a question that was put here. */
  awaits(message: JSONRPCMessage): boolean;
  /** Takes a response that came to another front end. */
  hear(message: JSONRPCMessage): void;
}

/** What the wire tells its session. */
export interface WireHooks {
  /** A question is no longer open. */
  onSettled(wireId: string): void;
  /** The response to send, once what must come first is done. */
  beforeResponse(message: JSONRPCResponse): Promise<JSONRPCResponse>;
}

/** Wraps the transport. */
export function createSessionWire(inner: Transport, parts: WireParts): SessionWire {
  const facts = new WeakMap<JSONRPCMessage, MessageFacts>();
  const questions = createQuestions(parts);
  const remember = (message: JSONRPCMessage, known: MessageFacts): JSONRPCMessage => {
    facts.set(message, known);
    return message;
  };
  /** The message as it goes out; undefined if there is nothing to send. */
  const outgoing = (sent: JSONRPCMessage, about: RequestId | undefined): JSONRPCMessage | undefined => {
    if (isRequest(sent)) {
      const { message, again, question } = questions.ask(sent, about);
      return again ? undefined : remember(message, { about, isLast: false, question });
    }
    if (!isNotification(sent)) return remember(sent, { about: sent.id, isLast: true });
    const { message, mark } = takeMark(sent);
    const progress = sent.method === 'notifications/progress' ? Number(sent.params?.progress) : undefined;
    // A question is withdrawn from its client although its call was given up, and thereby nobody's, just before.
    const isUnowned = sent.method === 'notifications/cancelled';
    return remember(questions.withdraw(message), { about, isUnowned, isLast: false, cursor: mark.cursor, progress });
  };
  const receive: NonNullable<Transport['onmessage']> = (message, extra) => {
    const heard = isResponse(message) ? questions.take(message) : message;
    if (heard) wire.onmessage?.(heard, extra);
  };
  const wire: SessionWire = {
    start: () => inner.start(),
    close: () => inner.close(),
    async send(sent, options) {
      const message = isResponse(sent) ? await parts.hooks.beforeResponse(sent) : sent;
      const about = options?.relatedRequestId;
      const ready = outgoing(message, about);
      const live = about === undefined ? undefined : parts.calls.byId.get(about);
      const sending = ready ? inner.send(ready, options) : Promise.resolve();
      if (live) live.sending = sending;
      await sending;
    },
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
    factsOf: (message) => facts.get(message),
    awaits: (message) => isResponse(message) && questions.isOpen(String(message.id)),
    hear: (message) => receive(message, undefined),
  };
  inner.onclose = () => wire.onclose?.();
  inner.onerror = (error) => wire.onerror?.(error);
  inner.onmessage = receive;
  return wire;
}

/** What a wire stands on. */
export interface WireParts {
  readonly calls: LiveCalls;
  readonly hooks: WireHooks;
}

/** The questions that lie with the client, by the SDK's ids and by those they are sent under. */
function createQuestions({ calls, hooks }: WireParts) {
  // Numbers, as the SDK sends them; two front ends that begin alike are as good as impossible.
  const first = randomInt(2 ** 47) * 2 ** 5;
  const wireIds = new Map<RequestId, string>();
  const ownIds = new Map<string, RequestId>();
  const askedFor = new Map<string, RequestId>();
  const settle = (wireId: string): void => {
    const id = ownIds.get(wireId);
    if (id !== undefined) wireIds.delete(id);
    ownIds.delete(wireId);
    askedFor.delete(wireId);
    hooks.onSettled(wireId);
  };
  return {
    /** A question of a call that another front end has taken over is that one's. */
    isOpen: (wireId: string) => ownIds.has(wireId) && calls.byId.has(askedFor.get(wireId) ?? ''),
    /** A question that lies with the client already is not sent again: its answer counts for this one. */
    ask(sent: JSONRPCRequest, about: RequestId | undefined) {
      const { message, mark } = takeMark(sent);
      const live = about === undefined ? undefined : calls.byId.get(about);
      const name = mark.question && questionName(mark.question);
      const asked = name === undefined ? undefined : live?.asked.get(name);
      const wireId = asked ?? String(first + Number(sent.id));
      wireIds.set(sent.id, wireId);
      ownIds.set(wireId, sent.id);
      askedFor.set(wireId, about ?? '');
      if (name !== undefined) live?.asked.delete(name);
      const kind = kindOf(sent.method);
      const question = kind && { v: RECORD_VERSION, wireId, callId: about ?? '', ...mark.question, kind };
      return { message: { ...message, id: Number(wireId) }, again: asked !== undefined, question };
    },
    /** A notification under the id its question was sent under, if it withdraws one. */
    withdraw(message: JSONRPCMessage): JSONRPCMessage {
      if (!isNotification(message) || message.method !== 'notifications/cancelled') return message;
      const wireId = wireIds.get(message.params?.requestId as RequestId);
      if (wireId === undefined) return message;
      settle(wireId);
      return { ...message, params: { ...message.params, requestId: Number(wireId) } };
    },
    /** A response under the SDK's id; undefined if nobody here waits for it. */
    take(message: JSONRPCResponse): JSONRPCResponse | undefined {
      const wireId = String(message.id);
      const id = ownIds.get(wireId);
      if (id === undefined || !calls.byId.has(askedFor.get(wireId) ?? '')) return undefined;
      settle(wireId);
      return { ...message, id };
    },
  };
}

function kindOf(method: string): OpenQuestion['kind'] | undefined {
  const kinds = Object.keys(METHODS) as OpenQuestion['kind'][];
  return kinds.find((kind) => METHODS[kind] === method);
}
