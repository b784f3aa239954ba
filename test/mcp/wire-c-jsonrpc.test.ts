/** Section C of the wire cases, JSON-RPC, on raw messages of real processes. */
import { describe, expect, it } from 'vitest';
import { TRANSPORTS, useFrontEnds } from '../support/channels.js';
import { callBody, init, initializeBody, post, send, textOf } from '../support/http-wire.js';
import { openStdio } from '../support/stdio-wire.js';
import { cancelMessage, notification, requestMessage, responsesTo } from '../support/wire-messages.js';

const LONG = { steps: 400, step_ms: 50 };
const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
const BATCH = [requestMessage('b1', 'ping'), requestMessage('b2', 'ping')];
const frontEnds = useFrontEnds();
const lines = (...messages: object[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('');

describe.each(TRANSPORTS)('on %s', (transport) => {
  const channel = () => frontEnds().channels[transport];

  it('28 · an id may be used again after its answer and after its cancel', async () => {
    const ledger = frontEnds().site.ledger();
    for (const text of ['first', 'second']) {
      const { result } = await (await channel().call('echo', { text }, { id: 1 })).response();
      expect(textOf(result)).toBe(text);
    }
    await channel().call('slow', { ...LONG, ledger: ledger.path }, { id: 1 });
    await ledger.line('start');
    await channel().notify(cancelMessage(1));
    const again = await channel().call('echo', { text: 'third' }, { id: 1 });
    expect(textOf((await again.response()).result)).toBe('third');
    await ledger.line('abort');
    expect(responsesTo(again.seen(), 1)).toHaveLength(1);
  });

  it('33 · 500 mixed requests get one response each', async () => {
    const kinds = [
      (id: string) => requestMessage(id, 'ping'),
      (id: string) => requestMessage(id, 'tools/list'),
      (id: string) => callBody(id, 'echo', { text: id }, id),
      (id: string) => requestMessage(id, 'no/such'),
      (id: string) => callBody(id, 'list_jobs', { limit: 1 }),
    ];
    const requests = Array.from(
      { length: 500 },
      (_, index) => kinds[index % kinds.length]?.(`m${index}`) ?? { id: '' },
    );
    const answers = [];
    // Twenty at a time: over HTTP each is a connection of its own.
    for (let index = 0; index < requests.length; index += 20) {
      const some = requests.slice(index, index + 20);
      answers.push(...(await Promise.all(some.map((request) => channel().request(request, 20_000)))));
    }
    expect(answers.map(({ id }) => id)).toEqual(requests.map(({ id }) => id));
    expect(answers.filter(({ error }) => error).map(({ error }) => error?.code)).toEqual(Array(100).fill(-32601));
    const echoes = answers.filter((_, index) => index % kinds.length === 2);
    expect(echoes.map(({ result }) => textOf(result))).toEqual(echoes.map(({ id }) => id));
    await channel().answer('echo', { text: 'fence' });
    const { wire } = frontEnds();
    const counts = requests.map(({ id }) => responsesTo(wire.seen, id).length);
    expect(new Set(counts)).toEqual(new Set([transport === 'stdio' ? 1 : counts[0]]));
  });
});

describe('on stdio', () => {
  it('28 · a second request under an id in flight is not served, and the first gets its answer', async () => {
    const { wire, site } = frontEnds();
    const [gate, ledger] = [site.gate(), site.ledger()];
    const from = wire.seen.length;
    wire.send(callBody('twice', 'gated', { gate: gate.path, ledger: ledger.path }));
    wire.send(callBody('twice', 'echo', { text: 'not served' }));
    await ledger.line('start');
    await gate.open();
    const first = await wire.message('the answer', ({ id }) => id === 'twice', { from });
    expect(textOf(first.result)).toMatch(/opened$/);
    await wire.call('echo', { text: 'fence' });
    expect(responsesTo(wire.seen, 'twice')).toHaveLength(1);
  });

  it('28 · an id used again in one breath with its cancel names the new call only', async () => {
    const { wire, site } = frontEnds();
    const [ledger, other] = [site.ledger(), site.ledger()];
    const from = wire.seen.length;
    wire.send(callBody('b', 'slow', { ...LONG, ledger: ledger.path }));
    await ledger.line('start');
    wire.sendRaw(lines(cancelMessage('b'), callBody('b', 'slow', { steps: 5, step_ms: 20, ledger: other.path })));
    expect(await ledger.line('abort')).toContain('cancelled');
    const answer = await wire.message('the answer', ({ id }) => id === 'b', { from });
    expect(textOf(answer.result)).toBe('slow  done');
    await wire.call('echo', { text: 'fence' });
    expect(responsesTo(wire.seen.slice(from), 'b')).toHaveLength(1);
    expect((await other.lines()).map((line) => line.split(' ')[0])).toEqual(['start', 'end']);
  });

  it('29 · a request whose id is none is not answered, and harms nobody', async () => {
    const { wire } = frontEnds();
    const from = wire.seen.length;
    for (const id of ['null', '1.5', '{}', '1152921504606846976', 'true', '[1]']) {
      wire.sendRaw(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    }
    expect(await wire.request(requestMessage('after', 'ping'))).toMatchObject({ result: {} });
    expect(wire.seen.slice(from).map(({ message }) => message.id)).toEqual(['after']);
  });

  it('31 · a notification is never answered, not even an unknown one', async () => {
    const { wire } = frontEnds();
    const from = wire.seen.length;
    for (const method of ['notifications/initialized', 'notifications/roots/list_changed', 'notifications/xyz']) {
      wire.send(notification(method));
      wire.send(notification(method, { any: 1 }));
    }
    await wire.request(requestMessage('after31', 'ping'));
    await wire.call('echo', { text: 'fence' });
    expect(wire.seen.slice(from).map(({ message }) => message.method)).toEqual([undefined, undefined]);
  });

  it('32 · a response nobody waits for is passed over', async () => {
    const { wire } = frontEnds();
    const from = wire.seen.length;
    wire.send({ jsonrpc: '2.0', id: 77, result: {} });
    wire.send({ jsonrpc: '2.0', id: 'x', error: { code: -1, message: 'no' } });
    wire.send({ jsonrpc: '2.0', error: { code: -32700, message: 'no id' } });
    await wire.request(requestMessage('after32', 'ping'));
    expect(wire.seen.slice(from)).toHaveLength(1);
  });

  it('34 · nothing of a batch is carried out', async () => {
    const { wire } = frontEnds();
    const from = wire.seen.length;
    wire.sendRaw(lines(BATCH));
    await wire.request(requestMessage('after34', 'ping'));
    expect(wire.seen.slice(from).map(({ message }) => message.id)).toEqual(['after34']);
  });

  it('37 · a client that is not ready yet is asked nothing', async () => {
    const wire = await openStdio({ workers: 0 });
    await wire.request(initializeBody({ roots: { listChanged: true }, sampling: {}, elicitation: {} }, '2025-11-25'));
    const outside = await wire.call('analyze_codebase', { path: '/outside' });
    expect(outside.result?.isError).toBe(true);
    await wire.request(requestMessage('p', 'ping'));
    expect(wire.seen.filter(({ message }) => message.method !== undefined)).toEqual([]);
    // The same question is asked once the client is ready.
    wire.send(notification('notifications/initialized'));
    wire.send(callBody('ready', 'analyze_codebase', { path: '/outside' }));
    const { id } = await wire.message('roots/list', ({ method }) => method === 'roots/list');
    wire.send({ jsonrpc: '2.0', id, result: { roots: [] } });
    await wire.message('the answer', (message) => message.id === 'ready');
  });
});

describe('on HTTP', () => {
  it('28 · a second request under an id in flight is refused, and the first gets its answer', async () => {
    const { http, site } = frontEnds();
    const session = await init(http);
    const [gate, ledger] = [site.gate(), site.ledger()];
    const first = await session.call(1, 'gated', { gate: gate.path, ledger: ledger.path });
    await ledger.line('start');
    const second = await session.call(1, 'echo', { text: 'not served' });
    expect(second.status).toBe(400);
    expect((await second.json()).error?.code).toBe(INVALID_REQUEST);
    await gate.open();
    expect(textOf((await first.response(1)).result)).toMatch(/opened$/);
  });

  it.each(['null', '1.5', '{}', '1152921504606846976', 'true'])('29 · the id %s is refused', async (id) => {
    const { http } = frontEnds();
    const session = await init(http);
    const reply = await post(http, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`, session.headers);
    expect(reply.status).toBe(400);
    const answer = await reply.json();
    expect(answer.error?.code).toBe(INVALID_REQUEST);
    expect(answer.id ?? null).toBeNull();
    expect((await session.request('after', 'ping')).status).toBe(200);
  });

  it('32 · a response nobody waits for is accepted in 2025 and refused in 2026', async () => {
    const { http } = frontEnds();
    const session = await init(http);
    const accepted = await session.answer(77, {});
    expect([accepted.status, await accepted.text()]).toEqual([202, '']);
    const modern = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'ping' };
    expect((await post(http, { jsonrpc: '2.0', id: 77, result: {} }, modern)).status).toBe(400);
  });

  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    '34 · a batch is refused when %s was asked for',
    async (version) => {
      const { http } = frontEnds();
      const session = await init(http, {}, version);
      // Only 2025-03-26 demands batches, so it is never agreed on.
      expect(session.initialized.protocolVersion).not.toBe('2025-03-26');
      const reply = await post(http, BATCH, session.headers);
      expect(reply.status).toBe(400);
      expect((await reply.json()).error?.code).toBe(INVALID_REQUEST);
    },
  );

  it.each([
    ['{bad', PARSE_ERROR],
    ['', PARSE_ERROR],
    ['{"foo":1}', INVALID_REQUEST],
    ['7', INVALID_REQUEST],
    ['null', INVALID_REQUEST],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', INVALID_REQUEST],
  ])('35 · the body %j is answered in JSON-RPC', async (body, code) => {
    const { http } = frontEnds();
    const session = await init(http);
    for (const headers of [session.headers, {}]) {
      const reply = await post(http, body, headers);
      expect(reply.status).toBe(400);
      expect(reply.headers['content-type']).toMatch(/^application\/json/);
      const answer = await reply.json();
      expect(answer).toMatchObject({ jsonrpc: '2.0', error: { code } });
      expect(JSON.stringify(answer)).not.toMatch(/\bat .*:\d+:\d+|node_modules/);
    }
  });

  it('37 · a session that is not ready yet is asked nothing', async () => {
    const { http } = frontEnds();
    const opened = await post(http, initializeBody({ roots: {}, sampling: {}, elicitation: {} }, '2025-11-25'));
    await opened.response('i');
    const headers = {
      'Mcp-Session-Id': String(opened.headers['mcp-session-id']),
      'MCP-Protocol-Version': '2025-11-25',
    };
    const get = await send(http, { method: 'GET', headers: { Accept: 'text/event-stream', ...headers } });
    const call = await post(http, callBody(1, 'analyze_codebase', { path: '/outside' }), headers);
    const answer = await call.response(1);
    expect(answer.result?.isError).toBe(true);
    const asked = [...call.messages(), ...get.messages()].filter(({ method }) => method !== undefined);
    expect(asked).toEqual([]);
    get.destroy();
  });
});
