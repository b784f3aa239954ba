/** Speaks to the stdio front end in raw lines, as a host does; every line it writes is kept and judged. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { within } from './gate.js';
import { callBody, initializeBody, type WireMessage } from './http-wire.js';
import { killAllOf, nothingRuns } from './processes.js';
import { openSite, type Site, type SiteProcess, START_LIMIT_MS, type StartOptions } from './site.js';
import { notification, readWireMessage, responsesTo, type Seen } from './wire-messages.js';

/** How the front end is started; at a site of others to share its jobs, else at one of its own. */
export interface StdioOptions extends StartOptions {
  readonly site?: Site;
}

/** How long to wait for a message, and which earlier ones not to look at. */
export interface MessageWait {
  readonly limitMs?: number | undefined;
  readonly from?: number;
}

/** A running front end and all it has said. */
export interface StdioWire {
  readonly site: Site;
  readonly process: SiteProcess;
  /** Every message so far, in order. */
  readonly seen: readonly Required<Seen>[];
  /** Every line of stdout that is not a JSON-RPC message; `dispose` throws if there is one. */
  readonly foreign: readonly string[];
  sendRaw(bytes: string | Uint8Array): void;
  send(message: object): void;
  /** Resolves with the first message that fits, of those from the `from`th on, past or to come. */
  message(what: string, fits: (message: WireMessage) => boolean, within?: MessageWait): Promise<WireMessage>;
  /** Sends a request and resolves with its response; of an id used before, with the next. */
  request(message: { readonly id: unknown }, limitMs?: number): Promise<WireMessage>;
  /** Calls a tool under an id of its own, without a progress token; resolves with the response. */
  call(tool: string, args?: object, limitMs?: number): Promise<WireMessage>;
  /** Shakes hands in the way of 2025; resolves with the server's answer. */
  initialize(capabilities?: object, version?: string): Promise<WireMessage>;
  /** Closes stdin and resolves with how the process ended; throws if that takes longer. */
  closeInput(limitMs: number): Promise<string>;
  /** Ends all that is left and checks that stdout held nothing but messages. */
  dispose(): Promise<void>;
}

/** Starts one front end for all tests of a file; call the result to get it. */
export function useStdio(options: StdioOptions = {}): () => StdioWire {
  let wire: StdioWire | undefined;
  beforeAll(async () => {
    wire = await startStdio(options);
    await wire.initialize();
  });
  afterAll(() => wire?.dispose());
  return () => {
    if (!wire) throw new Error('the front end of this file is not started');
    return wire;
  };
}

/** Starts a front end for one test, without a handshake; it is ended and judged when the test is over. */
export async function openStdio(options: StdioOptions = {}): Promise<StdioWire> {
  const wire = await startStdio(options);
  onTestFinished(() => wire.dispose());
  return wire;
}

/** As `openStdio`, for a caller that disposes of it. */
export async function startStdio({
  site: shared,
  workers = 1,
  args = [],
  ...rest
}: StdioOptions = {}): Promise<StdioWire> {
  const site = shared ?? (await openSite());
  const process = site.run('stdio', { ...rest, args: ['--workers', String(workers), ...args] });
  const heard = listenTo(process);
  const sendRaw = (bytes: string | Uint8Array) => void process.child.stdin?.write(bytes);
  const send = (message: object) => sendRaw(`${JSON.stringify(message)}\n`);
  const request: StdioWire['request'] = (message, limitMs = START_LIMIT_MS) => {
    const earlier = responsesTo(heard.seen, message.id).length;
    send(message);
    return heard.first(`the response to ${message.id}`, limitMs, () => responsesTo(heard.seen, message.id)[earlier]);
  };
  let calls = 0;
  return {
    site,
    process,
    seen: heard.seen,
    foreign: heard.foreign,
    send,
    sendRaw,
    request,
    message: (what, fits, { limitMs = START_LIMIT_MS, from = 0 } = {}) =>
      heard.first(what, limitMs, () => heard.seen.find((one, index) => index >= from && fits(one.message))?.message),
    call: (tool, args = {}, limitMs = START_LIMIT_MS) => request(callBody(`call-${++calls}`, tool, args), limitMs),
    async initialize(capabilities = {}, version = '2025-11-25') {
      const answer = await request(initializeBody(capabilities, version));
      send(notification('notifications/initialized'));
      return answer;
    },
    closeInput(limitMs) {
      process.child.stdin?.end();
      return within(process.ended, { what: 'the end after stdin closed', limitMs, seen: heard.tail });
    },
    async dispose() {
      if (shared) await process.stop('SIGKILL');
      else await end(site);
      if (heard.foreign.length > 0) throw new Error(`stdout held what is no message: ${heard.foreign.join('\n')}`);
    },
  };
}

/** Closes a site; whatever a failed test left behind is killed. */
async function end(site: Site): Promise<void> {
  try {
    await site.close();
    await nothingRuns(site.dataDir, START_LIMIT_MS);
  } finally {
    await killAllOf(site.dataDir);
  }
}

interface Heard {
  readonly seen: Required<Seen>[];
  readonly foreign: string[];
  /** The last messages and the last of stderr, for errors. */
  tail(): unknown;
  /** Looks after every message until something is found; gives up when the process ends. */
  first<T>(what: string, limitMs: number, find: () => T | undefined): Promise<T>;
}

function listenTo(process: SiteProcess): Heard {
  const seen: Required<Seen>[] = [];
  const foreign: string[] = [];
  const lookers = new Set<() => void>();
  let rest = '';
  process.child.stdin?.on('error', () => undefined);
  process.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = readWireMessage(line);
      if (message) seen.push({ atMs: Date.now(), message });
      else foreign.push(line);
    }
    for (const look of lookers) look();
  });
  process.child.stdout?.once('end', () => {
    if (rest !== '') foreign.push(rest);
  });
  const last = () => seen.slice(-3).map(({ message }) => message);
  const tail = () => ({ messages: last(), foreign, stderr: process.stderr().slice(-600) });
  const first = async <T>(what: string, limitMs: number, find: () => T | undefined): Promise<T> => {
    let look: () => void = () => undefined;
    const found = new Promise<T>((resolve, reject) => {
      look = () => {
        const it = find();
        if (it !== undefined) resolve(it);
      };
      process.ended.then((how) => reject(new Error(`${how} before ${what}; seen: ${JSON.stringify(tail())}`)));
    });
    lookers.add(look);
    look();
    try {
      return await within(found, { what, limitMs, seen: tail });
    } finally {
      lookers.delete(look);
    }
  };
  return { seen, foreign, tail, first };
}
