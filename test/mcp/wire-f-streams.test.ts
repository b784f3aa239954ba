/** Event streams on the wire: cases 65, 68, 69, 70 and 74 of the acceptance list. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createEventStore } from '../../src/mcp/event-store.js';
import { openCall } from '../../src/mcp/open-call.js';
import { createFakeSessionStore } from '../support/fakes/session-store.js';
import { until } from '../support/gate.js';
import { init, initializeBody, m26, post, type Reply, send, textOf, type WireSession } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ env: { LONGHAUL_CONCURRENCY: 'analysis=8,review=2' } });
});
afterAll(() => site.close());

const STATE = { initialized: true, rootsChanges: 0 };
const STEPS = { steps: 12, step_ms: 60 };
const progressOf = (reply: Reply) =>
  reply.messages().flatMap(({ method, params }) => (method === 'notifications/progress' ? [params] : []));
const idsOf = (reply: Reply) => reply.events.flatMap(({ id }) => id ?? []);

describe('the standalone stream', () => {
  test('65: can be reset and opened again at once, twenty times, while a call goes on unharmed', async () => {
    const session = await init(server);
    const gate = site.gate();
    const call = await session.call(1, 'gated', { gate: gate.path, progress: [10] }, 't');
    await call.message(({ method }) => method === 'notifications/progress');
    for (let round = 0; round < 20; round += 1) {
      const stream = await openAgain(session);
      expect(stream.headers['content-type']).toContain('text/event-stream');
      stream.destroy();
    }
    await gate.open();
    expect(textOf((await call.response(1)).result)).toContain('opened');
    expect(progressOf(call).length).toBeGreaterThan(0);
  });

  /** A server may take a moment to notice that the old stream is gone: less than a second on a quiet machine. */
  async function openAgain(session: WireSession): Promise<Reply> {
    const open = () => session.stream();
    const stream = await until(open, ({ status }) => status !== 409, {
      what: 'the end of the old stream',
      limitMs: 5_000,
    });
    expect(stream.status).toBe(200);
    return stream;
  }

  test('70: resumes after an event with all that came later, in order and once', async () => {
    const { port, transport, session } = await ownTransport();
    const stream = await send({ port }, { method: 'GET', headers: { ...session, Accept: 'text/event-stream' } });
    const say = (n: number) => transport.send({ jsonrpc: '2.0', method: 'notifications/message', params: { n } });
    await say(1);
    await say(2);
    await stream.message(({ params }) => params?.n === 2);
    const [first] = idsOf(stream);
    stream.destroy();
    await say(3);
    await say(4);
    const headers = { ...session, Accept: 'text/event-stream', 'Last-Event-ID': first ?? '' };
    const resumed = await send({ port }, { method: 'GET', headers });
    await say(5);
    await resumed.message(({ params }) => params?.n === 5);
    expect(resumed.messages().map(({ params }) => params?.n)).toEqual([2, 3, 4, 5]);
    expect(new Set(idsOf(resumed)).size).toBe(4);
  });

  /** The product says nothing yet on its standalone stream, so the messages are this test's own. */
  async function ownTransport() {
    const store = createFakeSessionStore({ idleMs: 60_000, leaseMs: 30_000, events: 100, eventBytes: 100_000 });
    await store.create('s', { v: 1, principal: 'local', protocolVersion: '2025-11-25', params: {} }, STATE);
    const opening = openCall({ tools: new Map() }, { jsonrpc: '2.0', id: 'i', method: 'initialize' }, 'owner.');
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => 'session',
      eventStore: createEventStore({
        calls: { byId: new Map([['i', opening]]), opening },
        factsOf: (message) => ('id' in message ? { about: 'i', isLast: true } : { isLast: false }),
        append: (write) => store.append('s', write),
        replay: (stream, after) => store.replay('s', stream, after),
        settled: () => Promise.resolve(),
        onOver: () => undefined,
      }),
    });
    await transport.start();
    const http = createServer((req, res) => void transport.handleRequest(req, res));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      await transport.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    });
    const { port } = http.address() as AddressInfo;
    const answer = await post({ port }, initializeBody({}, '2025-11-25'));
    onTestFinished(() => answer.destroy());
    return { port, transport, session: { 'Mcp-Session-Id': 'session' } };
  }
});

describe('a call whose connection is lost', () => {
  test('69: resumes with its own later events, in order and once, and with none of other streams', async () => {
    const session = await init(server);
    const standalone = await session.stream();
    const [lost, other] = await Promise.all([
      session.call('lost', 'slow', { ...STEPS, name: 'lost' }, 'lost'),
      session.call('other', 'slow', { ...STEPS, name: 'other' }, 'other'),
    ]);
    await lost.message(({ params }) => Number(params?.progress) >= 2);
    const seen = idsOf(lost).at(-1);
    const before = progressOf(lost).length;
    lost.destroy();
    await other.response('other');

    const resumed = await session.stream(seen);
    expect(textOf((await resumed.response('lost')).result)).toBe('slow lost done');
    expect(await resumed.ended).toBe('end');
    expect(resumed.messages().every(({ id, params }) => id === 'lost' || params?.progressToken === 'lost')).toBe(true);
    const values = [...progressOf(lost).slice(0, before), ...progressOf(resumed)].map((params) =>
      Number(params?.progress),
    );
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    expect(values.at(-1)).toBe(STEPS.steps);
    expect(new Set([...idsOf(resumed), seen]).size).toBe(resumed.events.length + 1);
    expect(progressOf(standalone)).toEqual([]);
    expect(progressOf(other).every((params) => params?.progressToken === 'other')).toBe(true);
  });

  test('69: resumes while it is still at work, and again after the end, from any event', async () => {
    const session = await init(server);
    const lost = await session.call(1, 'slow', STEPS, 't');
    await lost.message(({ params }) => Number(params?.progress) >= 1);
    const [primed] = idsOf(lost);
    lost.destroy();
    const live = await session.stream(primed);
    expect(textOf((await live.response(1)).result)).toBe('slow  done');
    expect(progressOf(live)[0]).toEqual(progressOf(lost)[0]);
    const replayed = await session.stream(primed);
    await replayed.response(1);
    expect(replayed.messages()).toEqual(live.messages());
    const rest = await session.stream(idsOf(replayed).at(-2));
    await rest.response(1);
    expect(rest.messages()).toEqual(live.messages().slice(-1));
  });
});

describe('the first event of a stream', () => {
  test('74: primes a client of 2025-11-25 with an id, a retry time and empty data', async () => {
    const opening = await post(server, initializeBody({}, '2025-11-25'));
    await opening.response('i');
    const call = await (await init(server)).call(1, 'echo', { text: 'a' });
    await call.response(1);
    for (const reply of [opening, call]) {
      expect(reply.events[0]).toMatchObject({ id: expect.stringMatching(/.+/), retry: expect.any(Number), data: '' });
    }
  });

  test.each(['2025-06-18', '2024-11-05'])(
    '74: carries a message for a client of %s, which takes no empty data',
    async (version) => {
      const opening = await post(server, initializeBody({}, version));
      await opening.response('i');
      const call = await (await init(server, {}, version)).call(1, 'echo', { text: 'a' });
      await call.response(1);
      for (const reply of [opening, call]) {
        expect(reply.events.map(({ data }) => data)).not.toContain('');
        expect(reply.events[0]?.message).toMatchObject({ jsonrpc: '2.0' });
      }
    },
  );
});

describe('ping', () => {
  test('68: is answered while four jobs run and a result of 5 MB is on its way, none of which holds the server up for 300 ms', async () => {
    const env = { NODE_OPTIONS: `--import=${new URL('../support/turn-reporter.mjs', import.meta.url).href}` };
    const watched = await site.http({ workers: 0, env, alone: true });
    const reports = () => watched.log.filter(({ msg }) => msg === 'longest turn');
    /** The most processor time that one turn took since the last report; times on the clock tell of other tests as well. */
    const longestTurnMs = async () => {
      const before = reports().length;
      process.kill(watched.pid, 'SIGUSR2');
      const seen = await until(reports, ({ length }) => length > before, { what: 'a report of the longest turn' });
      return Number(seen.at(-1)?.longestMs);
    };
    const busy = await init(watched);
    await busy.result('warm', 'echo', { text: 'x' });
    await longestTurnMs();
    const jobs = await Promise.all([1, 2, 3, 4].map((id) => busy.call(id, 'slow', { steps: 40, step_ms: 50 }, id)));
    const big = m26(watched, 5, ['tools/call', { name: 'big', arguments: { bytes: 5_000_000 } }]);
    let done = false;
    const arrived = big.then((reply) => reply.response(5, 20_000)).finally(() => (done = true));
    for (let count = 0; !done; count++) {
      expect((await (await busy.request(`ping ${count}`, 'ping')).response(`ping ${count}`)).result).toEqual({});
    }
    expect(textOf((await arrived).result).length).toBe(25_000);
    expect(await longestTurnMs()).toBeLessThan(300);
    await Promise.all(jobs.map((reply, n) => reply.response(n + 1)));
  });
});
