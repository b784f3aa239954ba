/** 2026-07-28 requests on the wire: cases 131 to 136 and 143 of the acceptance list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  init,
  initializeBody,
  jobIdOf,
  MODERN,
  m26,
  post,
  type Reply,
  textOf,
  type WireMessage,
} from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
});
afterAll(() => site.close());

const KEY = 'io.modelcontextprotocol/';
const LIST = ['tools/list'] as const;
const echo = (text: string) => ['tools/call', { name: 'echo', arguments: { text } }] as const;

/** Answered or refused: the message with this id, and the status it came with. */
async function answered(reply: Reply, id: unknown = 1): Promise<{ status: number } & WireMessage> {
  return { status: reply.status, ...(await reply.response(id)) };
}

describe('server/discover', () => {
  test('131: tells versions, capabilities, identity and for how long that holds', async () => {
    const { status, result } = await answered(await m26(server, 1, ['server/discover']));
    expect(status).toBe(200);
    expect(result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN],
      capabilities: { tools: {}, resources: {} },
      instructions: expect.stringContaining('get_job'),
      ttlMs: expect.any(Number),
      cacheScope: 'public',
      _meta: {
        [`${KEY}serverInfo`]: { name: 'longhaul-mcp-server', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      },
    });
  });

  test('131: names only versions that are served, and every capability that it names answers', async () => {
    const { result } = await answered(await m26(server, 1, ['server/discover']));
    for (const version of (result?.supportedVersions ?? []) as string[]) {
      const meta = { [`${KEY}protocolVersion`]: version };
      const listed = await m26(server, 2, LIST, { meta, headers: { 'MCP-Protocol-Version': version } });
      expect(listed.status).toBe(200);
    }
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list']) {
      expect((await answered(await m26(server, 3, [method]), 3)).result).toBeDefined();
    }
  });
});

describe('_meta', () => {
  test.each([`${KEY}protocolVersion`, `${KEY}clientCapabilities`])(
    '132: without %s gets 400 and -32602',
    async (key) => {
      const reply = await m26(server, 1, LIST, { meta: { [key]: undefined } });
      expect(await answered(reply)).toMatchObject({
        status: 400,
        error: { code: -32_602, message: expect.stringContaining(key) },
      });
    },
  );

  test('132: that is missing altogether gets 400 and -32602', async () => {
    const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/list' };
    const reply = await post(server, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, headers);
    expect(await answered(reply)).toMatchObject({ status: 400, error: { code: -32_602 } });
  });

  test.each([
    [`${KEY}clientCapabilities`, 'all'],
    [`${KEY}clientCapabilities`, null],
    [`${KEY}clientInfo`, 'me'],
    [`${KEY}protocolVersion`, 20_260_728],
  ])('132: with a %s of %j gets 400 and -32602', async (key, value) => {
    const reply = await m26(server, 1, LIST, { meta: { [key]: value } });
    expect(await answered(reply)).toMatchObject({ status: 400, error: { code: -32_602 } });
  });

  test('132: may leave out who the client is', async () => {
    const reply = await m26(server, 1, echo('anonymous'), { meta: { [`${KEY}clientInfo`]: undefined } });
    expect(textOf((await answered(reply)).result)).toBe('anonymous');
  });
});

describe('the headers', () => {
  const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
  const wrong: [string, Record<string, string>][] = [
    ['without Mcp-Method', { 'Mcp-Method': '' }],
    ['with another Mcp-Method', { 'Mcp-Method': 'tools/list' }],
    ['with Mcp-Method in capitals', { 'Mcp-Method': 'TOOLS/CALL' }],
    ['without Mcp-Name', { 'Mcp-Name': '' }],
    ['with another Mcp-Name', { 'Mcp-Name': 'slow' }],
    ['with another name in base64', { 'Mcp-Name': encoded('slow') }],
    ['with broken base64', { 'Mcp-Name': '=?base64?@@@?=' }],
  ];

  test.each(wrong)('133: %s get 400 and -32020, and nothing is run', async (_, headers) => {
    const reply = await m26(server, 1, echo('never'), { headers });
    expect(await answered(reply)).toMatchObject({ status: 400, error: { code: -32_020 } });
  });

  const right: [string, Record<string, string>][] = [
    ['with names in any case', { 'Mcp-Method': '', 'Mcp-Name': '', 'MCP-METHOD': 'tools/call', 'mcp-name': 'echo' }],
    ['with blanks around their values', { 'Mcp-Method': '  tools/call \t', 'Mcp-Name': ' echo  ' }],
    ['with the name in base64', { 'Mcp-Name': encoded('echo') }],
  ];

  test.each(right)('133: %s are understood', async (_, headers) => {
    expect(textOf((await answered(await m26(server, 1, echo('heard'), { headers }))).result)).toBe('heard');
  });

  test('133: carry the URI of a resource, which must be the one asked for', async () => {
    const id = jobIdOf((await answered(await m26(server, 1, echo('kept')))).result);
    const read = ['resources/read', { uri: `job://${id}` }] as const;
    expect((await answered(await m26(server, 1, read))).result).toMatchObject({ contents: [{ uri: `job://${id}` }] });
    const other = await m26(server, 1, read, { headers: { 'Mcp-Name': 'job://other' } });
    expect(await answered(other)).toMatchObject({ status: 400, error: { code: -32_020 } });
  });
});

describe('a method of older revisions', () => {
  const removed = [
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/result',
    'tasks/list',
    'of/nothing',
  ];

  test.each(removed)('134: %s gets 404 and -32601 under its id', async (method) => {
    const params = { level: 'info', uri: 'job://a', taskId: 'a' };
    const reply = await m26(server, 'x', [method, params]);
    expect(await answered(reply, 'x')).toMatchObject({ status: 404, error: { code: -32_601 } });
  });

  test('134: initialize with the modern _meta opens no session', async () => {
    const { params } = initializeBody({}, MODERN, 1);
    const reply = await m26(server, 1, ['initialize', params]);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect((await answered(reply)).error).toBeDefined();
    expect(reply.headers['mcp-session-id']).toBeUndefined();
  });
});

describe('both eras on one endpoint', () => {
  test('135: serve one client that speaks now this, now that, with the jobs of both', async () => {
    const session = await init(server);
    const old = jobIdOf(await session.result(1, 'echo', { text: 'old' }));
    const { result } = await answered(await m26(server, 1, echo('new')));
    const { result: seen } = await answered(
      await m26(server, 1, ['tools/call', { name: 'get_job', arguments: { job_id: old } }]),
    );
    expect(seen?.structuredContent).toMatchObject({ state: 'completed', result: { text: 'old' } });
    const back = await session.result(2, 'get_job', { job_id: jobIdOf(result) });
    expect(back.structuredContent).toMatchObject({ state: 'completed', result: { text: 'new' } });
    expect((await m26(server, 1, LIST, { headers: session.headers })).status).toBe(400);
    expect((await (await session.request(3, 'ping')).response(3)).result).toEqual({});
  });

  test('136: a request relies on nothing that an earlier one declared', async () => {
    const scan = ['tools/call', { name: 'analyze_codebase', arguments: { path: '/etc' } }] as const;
    const declared = await answered(await m26(server, 1, scan, { capabilities: { roots: {} } }));
    expect(declared.result).toMatchObject({ resultType: 'input_required' });
    const silent = await answered(await m26(server, 1, scan));
    expect(silent.result).toMatchObject({ resultType: 'complete', isError: true });
    const level = { [`${KEY}logLevel`]: 'debug' };
    const chatty = ['tools/call', { name: 'chatty', arguments: { lines: [{ level: 'info', text: 'a' }] } }] as const;
    const logs = async (meta: object) => {
      const reply = await m26(server, 1, chatty, { meta: { ...meta } });
      await reply.response(1);
      return reply.messages().filter(({ method }) => method === 'notifications/message').length;
    };
    expect([await logs(level), await logs({})]).toEqual([1, 0]);
  });
});

describe('every answer', () => {
  test('143: that is a result says of which type, that of a failed tool as well', async () => {
    const id = jobIdOf((await answered(await m26(server, 1, echo('a')))).result);
    const requests: (readonly [string, Readonly<Record<string, unknown>>?])[] = [
      ['server/discover'],
      LIST,
      echo('a'),
      ['tools/call', { name: 'echo', arguments: {} }],
      ['tools/call', { name: 'get_job', arguments: { job_id: id } }],
      ['resources/list'],
      ['resources/templates/list'],
      ['resources/read', { uri: `job://${id}` }],
      ['resources/read', { uri: `job://${id}/log` }],
    ];
    for (const request of requests) {
      expect((await answered(await m26(server, 1, request))).result, request[0]).toMatchObject({
        resultType: 'complete',
      });
    }
  });

  test('143: that is an error has a code of JSON-RPC or of the revision, and none of an older one', async () => {
    const requests: (readonly [string, Readonly<Record<string, unknown>>?])[] = [
      ['tools/call', { name: 'nope' }],
      ['tools/list', { cursor: 'bogus' }],
      ['resources/list', { cursor: 7 }],
      ['resources/read', { uri: 'job://job_00000000000000000000000000' }],
      ['resources/read', { uri: 'file:///etc/passwd' }],
      ['resources/read', { uri: 'nonsense' }],
      ['prompts/list'],
      ['completion/complete', { ref: {}, argument: {} }],
    ];
    for (const request of requests) {
      const { error } = await answered(await m26(server, 1, request));
      expect([-32_600, -32_601, -32_602], `${request[0]}: ${error?.message}`).toContain(error?.code);
    }
  });
});
