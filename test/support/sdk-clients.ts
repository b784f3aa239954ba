/** The client lines that hosts embed, behind one small face, so that a test holds for all of them on every transport. */
import { pathToFileURL } from 'node:url';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  type CreateMessageResult,
  ElicitRequestSchema,
  type ElicitResult,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { WireResult } from './http-wire.js';
import type { CommandLine } from './site.js';

/** The clients: the 1.x line, and the 2.x line in both protocol eras. */
export const CLIENT_LINES = ['1.x', '2.x of 2025', '2.x of 2026'] as const;

/** See `CLIENT_LINES`. */
export type ClientLine = (typeof CLIENT_LINES)[number];

/** Where a server is: to be started on stdio, or running at a URL. */
export type ServerPlace = { readonly stdio: CommandLine } | { readonly url: string };

/** One progress notification. */
export interface ProgressSeen {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}

/** One log notification. */
export interface LogSeen {
  readonly level: string;
  readonly logger?: string | undefined;
  readonly data?: unknown;
}

/** The parameters of a question, as they reached the client. */
export type Asked = Readonly<Record<string, unknown>>;

/** What a client offers, and how it answers; it declares nothing else. A handler that throws refuses. */
export interface Offers {
  /** Folders; they may change later. */
  readonly roots?: readonly string[];
  readonly sampling?: (params: Asked) => CreateMessageResult | Promise<CreateMessageResult>;
  readonly elicitation?: (params: Asked) => ElicitResult | Promise<ElicitResult>;
}

/** How one call is made. */
export interface CallOptions {
  readonly onprogress?: (progress: ProgressSeen) => void;
  readonly signal?: AbortSignal;
  /** Further fields of the request's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A connected client. */
export interface SdkClient {
  /** Log messages so far. */
  readonly logs: readonly LogSeen[];
  /** Names of the tools; afterwards the client validates structured results against their schemas. */
  listTools(): Promise<string[]>;
  callTool(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<WireResult>;
  /** Replaces the roots, and tells the server where the revision has a notification for that. */
  changeRoots(folders: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const IDENTITY = { name: 'longhaul-tests', version: '0' };
const MODERN = '2026-07-28';
/** A 2026 client asks for logs with every request. */
const LOG_LEVEL = { 'io.modelcontextprotocol/logLevel': 'debug' };

/** Connects a client that declares what it offers. */
export function connectClient(line: ClientLine, place: ServerPlace, offers: Offers): Promise<SdkClient> {
  return line === '1.x' ? connect1(place, offers) : connect2(line, place, offers);
}

async function connect1(place: ServerPlace, offers: Offers): Promise<SdkClient> {
  const client = new Client1(IDENTITY, { capabilities: capabilitiesOf(offers) });
  const logs: LogSeen[] = [];
  const { roots, sampling, elicitation } = offers;
  let folders = roots ?? [];
  if (roots) client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: folders.map(rootOf) }));
  if (sampling) client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => sampling(params));
  if (elicitation) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicitation(params));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params));
  const http = 'url' in place ? new Http1(new URL(place.url)) : undefined;
  // The 1.x types were not written for exactOptionalPropertyTypes.
  await client.connect(
    (http ?? new Stdio1({ ...stdioOf(place), stderr: 'ignore' })) as Parameters<Client1['connect']>[0],
  );
  await client.setLoggingLevel('debug');
  return {
    logs,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, args, { meta, ...options } = {}) =>
      (await client.callTool({ name, arguments: { ...args }, _meta: { ...meta } }, undefined, options)) as WireResult,
    async changeRoots(next) {
      folders = next;
      await client.sendRootsListChanged();
    },
    async close() {
      await http?.terminateSession();
      await client.close();
    },
  };
}

async function connect2(line: ClientLine, place: ServerPlace, offers: Offers): Promise<SdkClient> {
  const isModern = line === '2.x of 2026';
  const client = new Client2(IDENTITY, {
    capabilities: capabilitiesOf(offers),
    versionNegotiation: { mode: isModern ? { pin: MODERN } : 'legacy' },
  });
  const logs: LogSeen[] = [];
  const { roots, sampling, elicitation } = offers;
  let folders = roots ?? [];
  if (roots) client.setRequestHandler('roots/list', () => ({ roots: folders.map(rootOf) }));
  if (sampling) client.setRequestHandler('sampling/createMessage', ({ params }) => sampling({ ...params }));
  if (elicitation) client.setRequestHandler('elicitation/create', ({ params }) => elicitation({ ...params }));
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params));
  const http = 'url' in place ? new Http2(new URL(place.url)) : undefined;
  await client.connect(http ?? new Stdio2({ ...stdioOf(place), stderr: 'ignore' }));
  if (!isModern) await client.setLoggingLevel('debug');
  const always = isModern ? LOG_LEVEL : {};
  return {
    logs,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, args, { meta, ...options } = {}) =>
      (await client.callTool({ name, arguments: { ...args }, _meta: { ...always, ...meta } }, options)) as WireResult,
    async changeRoots(next) {
      folders = next;
      // A 2026 server asks anew with every call that needs to know.
      if (!isModern) await client.sendRootsListChanged();
    },
    async close() {
      await http?.terminateSession();
      await client.close();
    },
  };
}

function capabilitiesOf({ roots, sampling, elicitation }: Offers) {
  return {
    ...(roots && { roots: { listChanged: true } }),
    ...(sampling && { sampling: {} }),
    ...(elicitation && { elicitation: { form: {} } }),
  };
}

function stdioOf(place: ServerPlace): CommandLine {
  if ('stdio' in place) return place.stdio;
  throw new Error('a server at a URL is not started');
}

function rootOf(folder: string): { uri: string; name: string } {
  return { uri: pathToFileURL(folder).href, name: 'a root' };
}
