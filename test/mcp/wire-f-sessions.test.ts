/** Sessions on the wire: cases 57, 59, 61, 63, 72, 81 and 83 of the acceptance list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { init, initializeBody, m26, post, type Reply, send, textOf, type WireSession } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
});
afterAll(() => site.close());

const UNKNOWN = 'A'.repeat(24);
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const METHODS = ['POST', 'GET', 'DELETE'] as const;

/** A request that would be fine, but for its session. */
function ask(method: (typeof METHODS)[number], session: Readonly<Record<string, string>>): Promise<Reply> {
  const headers = { Accept: 'application/json, text/event-stream', ...session };
  if (method !== 'POST') return send(server, { method, headers });
  return post(server, PING, session);
}

async function expectRefusal(reply: Reply, status: number): Promise<void> {
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toContain('application/json');
  expect(await reply.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
}

describe('a request outside any session', () => {
  test.each(METHODS)('57: %s with an unknown session id gets 404', async (method) => {
    await expectRefusal(await ask(method, { 'Mcp-Session-Id': UNKNOWN }), 404);
  });

  test.each(METHODS)('57: %s without a session id gets 400', async (method) => {
    await expectRefusal(await ask(method, {}), 400);
  });

  test.each(METHODS)('57: %s with the id of a session that was deleted gets 404', async (method) => {
    const session = await init(server);
    expect((await session.delete()).status).toBe(200);
    await expectRefusal(await ask(method, session.headers), 404);
  });
});

describe('initialize', () => {
  test('59: opens a new session although it carries a stale session id', async () => {
    const reply = await post(server, initializeBody({}, '2025-11-25'), { 'Mcp-Session-Id': UNKNOWN });
    expect(reply.status).toBe(200);
    expect(await reply.response('i')).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    const fresh = String(reply.headers['mcp-session-id']);
    expect(fresh).not.toBe(UNKNOWN);
    expect((await post(server, PING, { 'Mcp-Session-Id': fresh })).status).toBe(200);
  });

  test.each([
    ['without params', undefined],
    ['without the name of its client', { protocolVersion: '2025-11-25', capabilities: {} }],
    ['with a version that is a number', { ...initializeBody({}, '2025-11-25').params, protocolVersion: 5 }],
  ])('%s is told what it lacks, not to send initialize', async (_, params) => {
    for (const session of [{}, { 'Mcp-Session-Id': UNKNOWN }]) {
      const refused = await post(server, { jsonrpc: '2.0', id: 'i', method: 'initialize', params }, session);
      expect(refused.status).toBe(400);
      expect((await refused.json()).error).toEqual({ code: -32602, message: expect.stringContaining('clientInfo') });
    }
  });

  test('61: is refused on a live session, which stays as it was', async () => {
    const session = await init(server, { roots: {} });
    const again = await post(server, initializeBody({}, '2025-06-18'), session.headers);
    await expectRefusal(again, 400);
    expect(again.headers['mcp-session-id'] ?? session.id).toBe(session.id);
    expect(textOf(await session.result(1, 'echo', { text: 'still here' }))).toBe('still here');
  });

  test('63: gives ids of visible ASCII that hold at least 122 random bits and never repeat', async () => {
    const sessions = await Promise.all(Array.from({ length: 64 }, () => init(server)));
    const ids = sessions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) {
      expect(id).toMatch(/^[\x21-\x7e]+$/);
      expect(Buffer.from(id, 'base64url').length * 8).toBeGreaterThanOrEqual(122);
    }
    // Every byte takes many values: none is a counter, a clock or a constant.
    const bytes = ids.map((id) => Buffer.from(id, 'base64url'));
    for (let at = 0; at < (bytes[0]?.length ?? 0); at += 1) {
      expect(new Set(bytes.map((one) => one[at])).size).toBeGreaterThan(32);
    }
  });
});

describe('Last-Event-ID', () => {
  async function eventOf(session: WireSession): Promise<string> {
    const reply = await session.call(1, 'echo', { text: 'a secret of this session' });
    await reply.response(1);
    return reply.events[0]?.id ?? '';
  }

  test("72: of another session is refused and shows nothing of that session's", async () => {
    const [owner, other] = [await init(server), await init(server)];
    const stolen = await other.stream(await eventOf(owner));
    await expectRefusal(stolen, 400);
    expect(await stolen.text()).not.toContain('secret');
    const replayed = await owner.stream(await eventOf(owner));
    expect(textOf((await replayed.response(1)).result)).toBe('a secret of this session');
  });

  test.each(['nothing', '0', '_GET_stream', `${'0'.repeat(16)}-1`, '../../etc'])(
    '72: %s, which no event has, is refused rather than answered with a dead stream',
    async (id) => {
      await expectRefusal(await (await init(server)).stream(id), 400);
    },
  );
});

describe('clients side by side', () => {
  test('81: twenty that use the same ids and tokens each get their own answers and progress, in both eras', async () => {
    const asked = Array.from({ length: 20 }, (_, n) => `client ${n}`);
    const answers = await Promise.all(
      asked.map(async (name, n) => {
        const args = { name, steps: 3, step_ms: 30 };
        const reply =
          n % 2 === 0
            ? await (await init(server)).call(1, 'slow', args, 'same')
            : await m26(server, 1, ['tools/call', { name: 'slow', arguments: args }], {
                meta: { progressToken: 'same' },
              });
        const { result } = await reply.response(1, 20_000);
        return { text: textOf(result), own: reply.messages().filter(({ id }) => id !== undefined).length };
      }),
    );
    expect(answers).toEqual(asked.map((name) => ({ text: `slow ${name} done`, own: 1 })));
  });
});

describe('a message that needs no answer', () => {
  const silent: [string, object][] = [
    ['a known notification', { method: 'notifications/roots/list_changed' }],
    ['an unknown notification', { method: 'notifications/of/nothing', params: { a: 1 } }],
    ['a cancel of nothing', { method: 'notifications/cancelled', params: { requestId: 9_999 } }],
    ['a result nobody waits for', { id: 77, result: {} }],
    ['an error nobody waits for', { id: 78, error: { code: -1, message: 'no' } }],
  ];

  test.each(silent)('83: %s gets 202 and an empty body', async (_, message) => {
    const session = await init(server);
    const reply = await post(server, { jsonrpc: '2.0', ...message }, session.headers);
    expect({ status: reply.status, body: await reply.text() }).toEqual({ status: 202, body: '' });
    expect((await (await session.request(1, 'ping')).response(1)).result).toEqual({});
  });
});
