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
  /** The question that was put here and a response answers: what is known of it, or 'other' for one that no job asks; undefined if it was not put here. */
  awaited(message: JSONRPCMessage): OpenQuestion | 'other' | undefined;
  /** Takes a response that came to another front end. */
  hear(message: JSONRPCMessage): void;
}

/** What the wire tells its session. */
export interface WireHooks {
  /** A question was withdrawn from its client. */
  onWithdrawn(wireId: string): void;
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
    awaited: (message) => (isResponse(message) ? questions.open(String(message.id)) : undefined),
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

/** A question that lies with the client. */
interface Put {
  /** The SDK's id. */
  readonly id: RequestId;
  readonly callId: RequestId;
  readonly question: OpenQuestion | undefined;
}

/** The questions that lie with the client, by the SDK's ids and by those they are sent under. */
function createLedger({ calls }: WireParts) {
  const wireIds = new Map<RequestId, string>();
  const all = new Map<string, Put>();
  return {
    add(wireId: string, put: Put): void {
      wireIds.set(put.id, wireId);
      all.set(wireId, put);
    },
    forget(wireId: string): void {
      const known = all.get(wireId);
      if (known) wireIds.delete(known.id);
      all.delete(wireId);
    },
    wireIdOf: (id: RequestId) => wireIds.get(id),
    /** A question of a call that another front end has taken over is that one's. */
    ours(wireId: string): Put | undefined {
      const known = all.get(wireId);
      return known && calls.byId.has(known.callId) ? known : undefined;
    },
  };
}

/** Sends questions under ids of the wire, and takes their answers. */
function createQuestions(parts: WireParts) {
  const { calls, hooks } = parts;
  // Numbers, as the SDK sends them; two front ends that begin alike are as good as impossible.
  const first = randomInt(2 ** 47) * 2 ** 5;
  const ledger = createLedger(parts);
  return {
    open(wireId: string): OpenQuestion | 'other' | undefined {
      const known = ledger.ours(wireId);
      return known && (known.question ?? 'other');
    },
    /** A question that lies with the client already is not sent again: its answer counts for this one. */
    ask(sent: JSONRPCRequest, about: RequestId | undefined) {
      const { message, mark } = takeMark(sent);
      const live = about === undefined ? undefined : calls.byId.get(about);
      const name = mark.question && questionName(mark.question);
      const asked = name === undefined ? undefined : live?.asked.get(name);
      const wireId = asked ?? String(first + Number(sent.id));
      if (name !== undefined) live?.asked.delete(name);
      const kind = kindOf(sent.method);
      const callId = about ?? '';
      const question = kind && { v: RECORD_VERSION, wireId, callId, ...mark.question, kind };
      ledger.add(wireId, { id: sent.id, callId, question });
      return { message: { ...message, id: Number(wireId) }, again: asked !== undefined, question };
    },
    /** A notification under the id its question was sent under, if it withdraws one. */
    withdraw(message: JSONRPCMessage): JSONRPCMessage {
      if (!isNotification(message) || message.method !== 'notifications/cancelled') return message;
      const wireId = ledger.wireIdOf(message.params?.requestId as RequestId);
      if (wireId === undefined) return message;
      ledger.forget(wireId);
      hooks.onWithdrawn(wireId);
      return { ...message, params: { ...message.params, requestId: Number(wireId) } };
    },
    /** A response under the SDK's id; undefined if nobody here waits for it. */
    take(message: JSONRPCResponse): JSONRPCResponse | undefined {
      const wireId = String(message.id);
      const known = ledger.ours(wireId);
      if (!known) return undefined;
      ledger.forget(wireId);
      return { ...message, id: known.id };
    },
  };
}

function kindOf(method: string): OpenQuestion['kind'] | undefined {
  const kinds = Object.keys(METHODS) as OpenQuestion['kind'][];
  return kinds.find((kind) => METHODS[kind] === method);
}
