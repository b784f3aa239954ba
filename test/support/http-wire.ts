/** Raw requests to the HTTP endpoint, with command of every header and socket, and a reader of event streams. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { PATIENCE_MS, within } from './gate.js';

/** A JSON-RPC message as it came over the wire; the fields of a result that tests look at are named. */
export interface WireMessage {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly [field: string]: unknown };
  readonly result?: WireResult;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly [field: string]: unknown };
  };
}

/** See `WireMessage`. */
export interface WireResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: { readonly [field: string]: unknown };
  readonly _meta?: { readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** One event of a stream, with the time it came, in milliseconds since the epoch. */
export interface SseEvent {
  readonly atMs: number;
  readonly id?: string;
  readonly retry?: number;
  readonly data: string;
  /** The data as JSON; absent for the empty data of a priming event. */
  readonly message?: WireMessage;
}

/** An answer, from its headers on; a stream goes on filling it. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Events so far; none if the answer is no stream. */
  readonly events: readonly SseEvent[];
  /** Times of the comment lines so far. */
  readonly commentsAtMs: readonly number[];
  /** Messages so far, of a stream or of a JSON body that has ended. */
  messages(): WireMessage[];
  /** Waits for the first message that fits; fails at once when the answer ends without it. */
  message(fits: (message: WireMessage) => boolean, limitMs?: number): Promise<WireMessage>;
  /** Waits for the response to this id. */
  response(id: unknown, limitMs?: number): Promise<WireMessage>;
  /** Waits for the event after so many; undefined if the answer ends without it. */
  eventAfter(count: number, limitMs?: number): Promise<SseEvent | undefined>;
  /** Waits for the whole body. */
  text(limitMs?: number): Promise<string>;
  /** The whole body as one JSON message. */
  json(limitMs?: number): Promise<WireMessage>;
  /** Resolves with `end`, or `cut` if the connection broke. */
  readonly ended: Promise<'end' | 'cut'>;
  /** Cuts the connection with a reset, as a lost network does. */
  destroy(): void;
}

/** A request in full; the endpoint's path unless said. */
export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is; an object is sent as JSON. */
  readonly body?: unknown;
}

/** What a request is sent to. */
export interface Target {
  readonly port: number;
}

/** The media types a 2025 or 2026 client accepts. */
export const ACCEPT = 'application/json, text/event-stream';

/** Sends a request on a connection of its own; resolves when the headers are there. */
export function send(target: Target, raw: RawRequest): Promise<Reply> {
  const { method = 'POST', path = '/mcp', headers = {}, body } = raw;
  const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const answered = new Promise<Reply>((resolve, reject) => {
    const length =
      payload === undefined || 'Transfer-Encoding' in headers
        ? {}
        : { 'Content-Length': String(Buffer.byteLength(payload)) };
    const options = {
      host: '127.0.0.1',
      port: target.port,
      method,
      path,
      agent: false,
      headers: { ...length, ...headers },
    };
    const outgoing = request(options, (incoming) => resolve(readReply(incoming)));
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
  return within(answered, { what: `an answer to ${method} ${path}`, seen: () => shorten(payload) });
}

/** A POST as a well-behaved client sends it, with further or other headers. */
export function post(target: Target, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return send(target, { body, headers: { 'Content-Type': 'application/json', Accept: ACCEPT, ...headers } });
}

/** A 2025-era session. */
export interface WireSession {
  readonly id: string;
  /** The result of `initialize`. */
  readonly initialized: WireResult;
  /** Headers of every further request. */
  readonly headers: Readonly<Record<string, string>>;
  request(id: unknown, method: string, params?: object, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** A tools/call; `undefined` as token asks for no progress. */
  call(id: unknown, tool: string, args: object, token?: unknown): Promise<Reply>;
  /** As `call`, but waits for the response. */
  result(id: unknown, tool: string, args: object): Promise<WireResult>;
  notify(method: string, params?: object): Promise<Reply>;
  /** Answers a request of the server's with a result. */
  answer(id: unknown, result: object): Promise<Reply>;
  /** Answers a request of the server's with an error. */
  refuse(id: unknown, code: number, message: string): Promise<Reply>;
  /** Opens the standalone stream, or resumes the stream of an event. */
  stream(lastEventId?: string): Promise<Reply>;
  delete(): Promise<Reply>;
}

/** The body of `initialize`. */
export function initializeBody(capabilities: object, version: string, id: unknown = 'i') {
  const clientInfo = { name: 't', version: '0' };
  return { jsonrpc: '2.0', id, method: 'initialize', params: { protocolVersion: version, capabilities, clientInfo } };
}

/** Opens a session: `initialize`, then `notifications/initialized`; `headers` go with every request. Throws if either is refused. */
export async function init(
  target: Target,
  capabilities: object = {},
  version = '2025-11-25',
  headers: Readonly<Record<string, string>> = {},
): Promise<WireSession> {
  const opened = await post(target, initializeBody(capabilities, version), headers);
  const { result } = await opened.response('i');
  const id = opened.headers['mcp-session-id'];
  if (typeof id !== 'string' || !result) throw new Error(`initialize was refused: ${await opened.text()}`);
  const session = sessionOf(target, {
    id,
    initialized: result,
    version: String(result.protocolVersion),
    more: headers,
  });
  const noted = await session.notify('notifications/initialized');
  if (noted.status !== 202) throw new Error(`notifications/initialized got ${noted.status}: ${await noted.text()}`);
  return session;
}

/** The same session as another front end sees it. */
export function sessionAt(target: Target, { id, initialized, headers }: WireSession): WireSession {
  return sessionOf(target, { id, initialized, version: String(initialized.protocolVersion), more: headers });
}

/** The body of a tools/call. */
export function callBody(id: unknown, tool: string, args: object, token?: unknown) {
  const meta = token === undefined ? {} : { _meta: { progressToken: token } };
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args, ...meta } };
}

/** Parts of a 2026-07-28 request that differ from the plain case. */
export interface ModernOptions {
  readonly capabilities?: object;
  /** Further or other headers; an empty value leaves the header out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further `_meta`, such as a progress token or a log level; `undefined` leaves a key out. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

const META = 'io.modelcontextprotocol/';
/** The stateless revision. */
export const MODERN = '2026-07-28';

/** Sends one 2026-07-28 request. */
export function m26(
  target: Target,
  id: unknown,
  [method, params = {}]: readonly [string, Readonly<Record<string, unknown>>?],
  options: ModernOptions = {},
): Promise<Reply> {
  const _meta = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientInfo`]: { name: 't', version: '0' },
    [`${META}clientCapabilities`]: options.capabilities ?? {},
    ...options.meta,
  };
  const name = params.name ?? params.uri ?? params.taskId;
  const headers = {
    'Content-Type': 'application/json',
    Accept: ACCEPT,
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': name }),
    ...options.headers,
  };
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
  return send(target, { body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } }, headers: given });
}

/** The text of a result. */
export function textOf(result: WireResult | undefined): string {
  return (result?.content ?? []).map(({ text }) => text ?? '').join('\n');
}

/** The id of the job behind a result. */
export function jobIdOf(result: WireResult | undefined): string {
  const error = result?._meta?.['longhaul/error'] as { jobId?: unknown } | undefined;
  return String(result?._meta?.['longhaul/jobId'] ?? error?.jobId ?? '');
}

interface Made {
  readonly id: string;
  readonly initialized: WireResult;
  readonly version: string;
  readonly more: Readonly<Record<string, string>>;
}

function sessionOf(target: Target, made: Made): WireSession {
  const headers = { ...made.more, 'Mcp-Session-Id': made.id, 'MCP-Protocol-Version': made.version };
  const message = (body: object, more?: Readonly<Record<string, string>>) =>
    post(target, { jsonrpc: '2.0', ...body }, { ...headers, ...more });
  const call = (id: unknown, tool: string, args: object, token?: unknown) =>
    post(target, callBody(id, tool, args, token), headers);
  return {
    id: made.id,
    initialized: made.initialized,
    headers,
    request: (id, method, params, more) => message({ id, method, ...(params && { params }) }, more),
    call,
    async result(id, tool, args) {
      const { result, error } = await (await call(id, tool, args)).response(id);
      if (!result) throw new Error(`${tool} ended in a protocol error: ${JSON.stringify(error)}`);
      return result;
    },
    notify: (method, params) => message({ method, ...(params && { params }) }),
    answer: (id, result) => message({ id, result }),
    refuse: (id, code, text) => message({ id, error: { code, message: text } }),
    stream: (lastEventId) => {
      const resume = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
      return send(target, { method: 'GET', headers: { Accept: 'text/event-stream', ...headers, ...resume } });
    },
    delete: () => send(target, { method: 'DELETE', headers }),
  };
}

function readReply(incoming: IncomingMessage): Reply {
  const events: SseEvent[] = [];
  const commentsAtMs: number[] = [];
  const isStream = incoming.headers['content-type']?.startsWith('text/event-stream') === true;
  let body = '';
  let rest = '';
  let over: 'end' | 'cut' | undefined;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
    if (!isStream) return;
    const blocks = (rest + chunk).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) readBlock(block, events, commentsAtMs);
    wake();
  });
  const ended = new Promise<'end' | 'cut'>((resolve) => {
    const finish = (how: 'end' | 'cut') => {
      over ??= how;
      resolve(over);
      wake();
    };
    incoming.on('error', () => finish('cut'));
    incoming.on('close', () => finish(incoming.complete ? 'end' : 'cut'));
  });
  const messages = () => {
    if (isStream) return events.flatMap(({ message }) => message ?? []);
    return over === undefined || body === '' ? [] : [parse(body)];
  };
  const find = async (fits: (message: WireMessage) => boolean): Promise<WireMessage> => {
    for (;;) {
      const found = messages().find(fits);
      if (found) return found;
      if (over !== undefined) {
        throw new Error(`the answer (${incoming.statusCode}) ended without the message: ${shorten(body)}`);
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const message: Reply['message'] = (fits, limitMs = PATIENCE_MS) =>
    within(find(fits), { what: 'a message', limitMs, seen: () => shorten(body.slice(-1_000)) });
  const eventAfter: Reply['eventAfter'] = (count, limitMs = PATIENCE_MS) => {
    const next = async (): Promise<SseEvent | undefined> => {
      while (events.length <= count && over === undefined) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return events[count];
    };
    return within(next(), { what: 'an event', limitMs, seen: () => shorten(body.slice(-1_000)) });
  };
  const text = async (limitMs = PATIENCE_MS) => {
    await within(ended, { what: 'the end of the answer', limitMs, seen: () => shorten(body) });
    return body;
  };
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    events,
    commentsAtMs,
    messages,
    message,
    eventAfter,
    response: (id, limitMs) => message((one) => one.id === id && one.method === undefined, limitMs),
    text,
    json: async (limitMs) => parse(await text(limitMs)),
    ended,
    // Of one that is over the socket is closing already; to reset it then would leave it open for good.
    destroy: () => void (incoming.complete ? incoming.socket.destroy() : incoming.socket.resetAndDestroy()),
  };
}

function readBlock(block: string, events: SseEvent[], commentsAtMs: number[]): void {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) commentsAtMs.push(Date.now());
    const [, name, value = ''] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === undefined) continue;
    const earlier = name === 'data' ? fields.get(name) : undefined;
    fields.set(name, earlier === undefined ? value : `${earlier}\n${value}`);
  }
  if (fields.size === 0) return;
  const [id, retry, data = ''] = [fields.get('id'), fields.get('retry'), fields.get('data')];
  events.push({
    atMs: Date.now(),
    data,
    ...(id !== undefined && { id }),
    ...(retry !== undefined && { retry: Number(retry) }),
    ...(data !== '' && { message: parse(data) }),
  });
}

/** What came over the wire is judged by the tests, so it is only named here. */
function parse(text: string): WireMessage {
  return JSON.parse(text) as WireMessage;
}

function shorten(text: string | Buffer | undefined): string {
  return String(text ?? '').slice(0, 1_000);
}
