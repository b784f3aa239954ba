/** What a request must carry to be served: cases 75, 79, 80 and 85 of the acceptance list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ACCEPT,
  callBody,
  init,
  initializeBody,
  MODERN,
  m26,
  post,
  type Reply,
  send,
  textOf,
} from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const MAX_BODY_BYTES = 6_000_000;
let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ env: { LONGHAUL_MAX_BODY_BYTES: String(MAX_BODY_BYTES) } });
});
afterAll(() => site.close());

const LIST = ['tools/list'] as const;

describe('MCP-Protocol-Version', () => {
  test.each(['POST', 'GET', 'DELETE'])('75: of no revision gets 400 on %s in a session', async (method) => {
    const { headers } = await init(server);
    const wrong = { ...headers, 'MCP-Protocol-Version': '1999-01-01', Accept: ACCEPT };
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const reply = method === 'POST' ? await post(server, body, wrong) : await send(server, { method, headers: wrong });
    expect(reply.status).toBe(400);
    expect((await reply.json()).error).toMatchObject({
      code: expect.any(Number),
      message: expect.stringContaining('2025-11-25'),
    });
  });

  test('75: may be absent in a session', async () => {
    const { id } = await init(server);
    const reply = await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'Mcp-Session-Id': id });
    expect((await reply.response(1)).result).toEqual({});
  });

  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    // Only 2025-03-26 demands batches, which are not served; all its clients know its predecessor.
    ['2025-03-26', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
    ['2099-01-01', '2025-11-25'],
    // The stateless revision has no initialize, so it cannot be what one agrees on.
    [MODERN, '2025-11-25'],
  ])('75: initialize that asks for %s is answered with %s', async (asked, answered) => {
    const { initialized } = await init(server, {}, asked);
    expect(initialized.protocolVersion).toBe(answered);
  });

  test.each([
    ['absent', '', -32_020],
    ['another than in _meta', '2025-11-25', -32_020],
  ])('75: that is %s gets 400 and its code on a 2026 request', async (_, version, code) => {
    const reply = await m26(server, 7, LIST, { headers: { 'MCP-Protocol-Version': version } });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ id: 7, error: { code } });
  });

  test('75: of an unknown later revision gets 400, -32022 and the supported ones', async () => {
    const version = '2031-01-01';
    const meta = { 'io.modelcontextprotocol/protocolVersion': version };
    const reply = await m26(server, 8, LIST, { meta, headers: { 'MCP-Protocol-Version': version } });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      id: 8,
      error: { code: -32_022, data: { supported: [MODERN], requested: version } },
    });
  });
});

describe('the body', () => {
  /** A call of exactly so many bytes. */
  function bodyOf(bytes: number): string {
    const empty = JSON.stringify(callBody(1, 'echo', { text: '' })).length;
    return JSON.stringify(callBody(1, 'echo', { text: 'x'.repeat(bytes - empty) }));
  }

  test.each([90_000, 150_000, 5_000_000, MAX_BODY_BYTES])('79: of %i bytes is served in a session', async (bytes) => {
    const { headers } = await init(server);
    const reply = await post(server, bodyOf(bytes), headers);
    const { result } = await reply.response(1, 20_000);
    expect(String(result?.structuredContent?.text).length).toBeGreaterThan(bytes - 200);
  });

  test('79: of 5 MB is served on a 2026 request', async () => {
    const reply = await m26(server, 1, ['tools/call', { name: 'echo', arguments: { text: 'x'.repeat(5_000_000) } }]);
    const { result } = await reply.response(1, 20_000);
    expect(String(result?.structuredContent?.text).length).toBe(5_000_000);
  });

  test('79: of one byte more than the limit gets 413 and a JSON-RPC error that names the limit', async () => {
    const { headers } = await init(server);
    const reply = await post(server, bodyOf(MAX_BODY_BYTES + 1), headers);
    expect(reply.status).toBe(413);
    expect(reply.headers['content-type']).toContain('application/json');
    expect((await reply.json()).error?.message).toContain(String(MAX_BODY_BYTES));
  });

  test('79: that never says how long it is is cut off at the limit as well', async () => {
    const { headers } = await init(server);
    const chunked = { ...headers, Accept: ACCEPT, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    const reply = await send(server, { body: bodyOf(MAX_BODY_BYTES + 1), headers: chunked });
    expect(reply.status).toBe(413);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    '79: of media type "%s" gets 415',
    async (type) => {
      const { headers } = await init(server);
      const reply = await send(server, {
        body: bodyOf(200),
        headers: { ...headers, Accept: ACCEPT, 'Content-Type': type },
      });
      expect(reply.status).toBe(415);
      expect((await reply.json()).error).toBeDefined();
    },
  );
});

describe('Accept', () => {
  // A client must take both types a server may answer with; wildcards, quality values and a missing header do.
  const served = [
    ACCEPT,
    'text/event-stream, application/json',
    'application/json;q=0.5, text/event-stream',
    '*/*',
    'application/*, text/*',
    undefined,
  ];
  const refused = ['application/json', 'text/event-stream', 'text/html', '*/html'];
  const accept = (value: string | undefined) => ({ Accept: value ?? '' });

  async function inBothEras(value: string | undefined): Promise<Reply[]> {
    const { headers } = await init(server);
    const call = callBody(1, 'echo', { text: 'a' });
    const bare = { 'Content-Type': 'application/json', ...headers, ...(value !== undefined && accept(value)) };
    return [
      await send(server, { body: call, headers: bare }),
      await m26(server, 1, ['tools/call', { name: 'echo', arguments: { text: 'a' } }], { headers: accept(value) }),
      await m26(server, 1, LIST, { headers: accept(value) }),
    ];
  }

  test.each(served)('80: %s is served in both eras', async (value) => {
    for (const reply of await inBothEras(value)) {
      expect(reply.status).toBe(200);
      expect((await reply.response(1)).result).toBeDefined();
    }
  });

  test.each(refused)('80: %s gets 406 in both eras, since the answer might be of another type', async (value) => {
    for (const reply of await inBothEras(value)) {
      expect(reply.status).toBe(406);
      expect((await reply.json()).error?.message).toContain('Accept');
    }
  });

  test.each(['application/json', 'text/html'])('80: a standalone stream asked for as %s gets 406', async (value) => {
    const { headers } = await init(server);
    expect((await send(server, { method: 'GET', headers: { ...headers, Accept: value } })).status).toBe(406);
  });
});

describe('a 2026 client', () => {
  test.each(['GET', 'DELETE'])('85: that sends %s, which its revision has not, is refused', async (method) => {
    const reply = await send(server, { method, headers: { 'MCP-Protocol-Version': MODERN, Accept: ACCEPT } });
    expect([400, 405]).toContain(reply.status);
    expect((await reply.json()).error).toBeDefined();
  });

  test('85: is served alike whatever session and event ids it sends, and is given no session', async () => {
    const live = await init(server);
    const call = await live.call(1, 'echo', { text: 'theirs' });
    await call.response(1);
    for (const headers of [
      { 'Mcp-Session-Id': 'A'.repeat(24) },
      { 'Mcp-Session-Id': live.id, 'Last-Event-ID': call.events.at(-1)?.id ?? '' },
      { 'Last-Event-ID': 'nothing' },
    ]) {
      const reply = await m26(server, 1, ['tools/call', { name: 'echo', arguments: { text: 'mine' } }], { headers });
      expect(textOf((await reply.response(1)).result)).toBe('mine');
      expect(reply.headers['mcp-session-id']).toBeUndefined();
    }
    expect((await post(server, initializeBody({}, '2025-11-25'), live.headers)).status).toBe(400);
  });
});
