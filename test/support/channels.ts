/** One way to speak to both front ends, for wire cases that hold on stdio and HTTP alike. */
import { afterAll, beforeAll } from 'vitest';
import { callBody, init, type Reply, type WireMessage, type WireSession } from './http-wire.js';
import type { Site } from './site.js';
import { type StdioWire, startStdio } from './stdio-wire.js';
import type { Seen } from './wire-messages.js';

/** A tools/call under way. */
export interface OpenCall {
  /** All that came since the call on the streams that may carry it: stdout, or its POST and the session's GET stream. */
  seen(): readonly Seen[];
  response(limitMs?: number): Promise<WireMessage>;
  /** Resolves with the first notification of this method. */
  notification(method: string, limitMs?: number): Promise<WireMessage>;
  /** Resolves once no stream of this call's own is open any more; at once on stdio, which has none. */
  ended(limitMs?: number): Promise<void>;
}

/** One client of one front end. */
export interface Channel {
  /** Calls under an id that this channel never used, unless one is given. */
  call(tool: string, args?: object, more?: { readonly id?: unknown; readonly token?: unknown }): Promise<OpenCall>;
  /** As `call`, but resolves with the response. */
  answer(tool: string, args?: object): Promise<WireMessage>;
  /** Sends any request and resolves with its response. */
  request(message: { readonly id: unknown }, limitMs?: number): Promise<WireMessage>;
  /** Sends a notification; over HTTP it must be accepted. */
  notify(message: object): Promise<void>;
}

/** The names of the two transports. */
export const TRANSPORTS = ['stdio', 'HTTP'] as const;

/** See `TRANSPORTS`. */
export type Transport = (typeof TRANSPORTS)[number];

/** Both front ends at one site, with one worker between them. */
export interface FrontEnds {
  readonly site: Site;
  readonly wire: StdioWire;
  readonly http: { readonly port: number };
  readonly channels: Readonly<Record<Transport, Channel>>;
}

/** Opens both front ends for a file; call the result to get them. */
export function useFrontEnds(): () => FrontEnds {
  let opened: FrontEnds | undefined;
  beforeAll(async () => {
    opened = await openFrontEnds();
  });
  afterAll(() => opened?.wire.dispose());
  return () => {
    if (!opened) throw new Error('the front ends of this file are not open');
    return opened;
  };
}

/** A client of the HTTP front end: a session of its own, with its GET stream open. */
export async function httpChannel(target: { readonly port: number }, capabilities: object = {}): Promise<Channel> {
  const session = await init(target, capabilities);
  return httpChannelOf(session, await session.stream());
}

/** The client of a stdio front end, which has shaken hands already. */
export function stdioChannel(wire: StdioWire): Channel {
  let calls = 0;
  const call: Channel['call'] = async (tool, args = {}, { id = `call-${++calls}`, token } = {}) => {
    const from = wire.seen.length;
    wire.send(callBody(id, tool, args, token));
    const first = (what: string, fits: (message: WireMessage) => boolean, limitMs?: number) =>
      wire.message(what, fits, { limitMs, from });
    return {
      seen: () => wire.seen.slice(from),
      response: (limitMs) => first(`the response to ${id}`, (one) => one.id === id && !one.method, limitMs),
      notification: (method, limitMs) => first(method, (one) => one.method === method, limitMs),
      ended: () => Promise.resolve(),
    };
  };
  return {
    call,
    answer: async (tool, args) => (await call(tool, args)).response(),
    request: wire.request,
    notify: async (message) => wire.send(message),
  };
}

async function openFrontEnds(): Promise<FrontEnds> {
  const wire = await startStdio();
  await wire.initialize();
  const http = await wire.site.http({ workers: 0 });
  const channels = { stdio: stdioChannel(wire), HTTP: await httpChannel(http) };
  return { site: wire.site, wire, http, channels };
}

function httpChannelOf(session: WireSession, get: Reply): Channel {
  let calls = 0;
  const call: Channel['call'] = async (tool, args = {}, { id = `call-${++calls}`, token } = {}) => {
    const from = get.events.length;
    const post = await session.call(id, tool, args, token);
    return {
      seen: () => [...post.events, ...get.events.slice(from)],
      response: (limitMs) => post.response(id, limitMs),
      notification: (method, limitMs) => post.message((one) => one.method === method, limitMs),
      ended: async (limitMs) => {
        await post.text(limitMs);
      },
    };
  };
  return {
    call,
    answer: async (tool, args) => (await call(tool, args)).response(),
    async request(message, limitMs) {
      const { id, method, params } = message as { id: unknown; method?: string; params?: object };
      return (await session.request(id, String(method), params)).response(id, limitMs);
    },
    async notify(message) {
      const { method, params } = message as { method?: string; params?: object };
      const reply = await session.notify(String(method), params);
      if (reply.status !== 202) throw new Error(`${method} got ${reply.status}: ${await reply.text()}`);
    },
  };
}
