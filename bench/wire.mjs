/** The thinnest client of revision 2025-11-25 there can be, over HTTP or stdio: what it costs is not the product's. */
import { createInterface } from 'node:readline';

const VERSION = '2025-11-25';
const ACCEPT = 'application/json, text/event-stream';

/** A client over HTTP, in a session of its own. */
export async function openHttp(url, capabilities = {}) {
  let session = {};
  const hear = createListeners();
  const send = async (message) => {
    const headers = { Accept: ACCEPT, 'Content-Type': 'application/json', ...session };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message) });
    const id = response.headers.get('mcp-session-id');
    if (id) session = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': VERSION };
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const text = await response.text();
      if (text !== '') hear.tell(JSON.parse(text));
      return;
    }
    read(response, hear.tell).catch(() => undefined);
  };
  const close = async () => {
    await fetch(url, { method: 'DELETE', headers: session }).then((response) => response.text());
  };
  return shakeHands(createClient({ send, hear, close }), capabilities);
}

/** A client of a child that serves on its stdin and stdout. */
export function openStdio(child, capabilities = {}) {
  const hear = createListeners();
  createInterface({ input: child.stdout }).on('line', (line) => hear.tell(JSON.parse(line)));
  const send = async (message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const close = () => {
    child.stdin.end();
    return gone;
  };
  return shakeHands(createClient({ send, hear, close }), capabilities);
}

/** Reads the events of a stream as they come. */
async function read(response, tell) {
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) {
      // An event that only gives its stream an id has no data.
      const data = /^data: ?(\{.+)$/m.exec(block)?.[1];
      if (data) tell(JSON.parse(data));
    }
  }
}

function createListeners() {
  const listeners = new Set();
  return {
    tell: (message) => {
      for (const listener of listeners) listener(message);
    },
    /** Resolves with the first message that fits, from now on. */
    first: (fits) =>
      new Promise((resolve) => {
        const listener = (message) => {
          if (!fits(message)) return;
          listeners.delete(listener);
          resolve(message);
        };
        listeners.add(listener);
      }),
    each: (listener) => listeners.add(listener),
  };
}

function createClient({ send, hear, close }) {
  let ids = 0;
  const request = async (method, params) => {
    const id = `r${++ids}`;
    const response = hear.first((message) => message.id === id && message.method === undefined);
    await send({ jsonrpc: '2.0', id, method, params });
    return response;
  };
  return {
    request,
    notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
    first: hear.first,
    each: hear.each,
    /** Starts a call; `progressed` resolves once the handler reports, `ended` with its response. */
    async call(name, args) {
      const id = `c${++ids}`;
      const ended = hear.first((message) => message.id === id && message.method === undefined);
      const progressed = hear.first(({ params }) => params?.progressToken === id && params.progress >= 1);
      const params = { name, arguments: args, _meta: { progressToken: id } };
      await send({ jsonrpc: '2.0', id, method: 'tools/call', params });
      return { progressed, ended };
    },
    /** Calls a tool and answers with its structured result. */
    async result(name, args) {
      const { result, error } = await request('tools/call', { name, arguments: args });
      if (!result || result.isError) throw new Error(`${name} failed: ${JSON.stringify(error ?? result)}`);
      return result.structuredContent;
    },
    close,
  };
}

async function shakeHands(client, capabilities) {
  const clientInfo = { name: 'bench', version: '0' };
  await client.request('initialize', { protocolVersion: VERSION, capabilities, clientInfo });
  await client.notify('notifications/initialized');
  return client;
}
