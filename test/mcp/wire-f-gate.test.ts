/** Who may reach the endpoint: cases 76, 77 and 78 of the acceptance list. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { init, initializeBody, m26, post, type Reply, send, textOf } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const APP = 'https://app.example.com';
let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ args: ['--allowed-origin', APP, '--allowed-host', 'mcp.example.com'] });
});
afterAll(() => site.close());

const METHODS = ['POST', 'GET', 'DELETE', 'OPTIONS'] as const;

/** A request of a live session that would be served, were it not for the given headers. */
async function asked(method: (typeof METHODS)[number], more: Readonly<Record<string, string>>): Promise<Reply> {
  const { headers } = await init(server);
  if (method === 'POST') return post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, { ...headers, ...more });
  return send(server, { method, headers: { Accept: 'text/event-stream', ...headers, ...more } });
}

const each = (values: readonly string[]) =>
  METHODS.flatMap((method) => values.map((value) => [method, value] as const));

describe('Origin', () => {
  const foreign = [
    'http://evil.example',
    'null',
    'http://localhost.evil.com',
    'http://127.0.0.1.evil.com',
    `${APP}.evil.com`,
    'http://app.example.com',
    'file://',
    'nonsense',
  ];

  test.each(each(foreign))('76: %s from %s gets 403 and no permission to read it', async (method, origin) => {
    const reply = await asked(method, { Origin: origin });
    expect(reply.status).toBe(403);
    expect((await reply.json()).error).toBeDefined();
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each(each(['http://127.0.0.1:5173', 'http://localhost:3000', 'http://[::1]:8080', APP]))(
    '76: %s from %s is served',
    async (method, origin) => {
      const reply = await asked(method, { Origin: origin });
      expect(reply.status).toBe(method === 'OPTIONS' ? 204 : 200);
    },
  );

  test('76: from elsewhere starts no session, call or job', async () => {
    const evil = { Origin: 'http://evil.example' };
    const opening = await post(server, initializeBody({}, '2025-11-25'), evil);
    const call = await m26(server, 1, ['tools/call', { name: 'echo', arguments: { text: 'evil' } }], { headers: evil });
    expect([opening.status, call.status]).toEqual([403, 403]);
    expect(opening.headers['mcp-session-id']).toBeUndefined();
    expect(textOf(await (await init(server)).result(1, 'list_jobs', {}))).toBe('No jobs match.');
  });
});

describe('Host', () => {
  test.each(each(['evil.example', 'evil.example:80', 'localhost.evil.com', '127.0.0.1.nip.io', '169.254.169.254']))(
    '77: %s to %s, without an Origin, gets 403',
    async (method, host) => {
      const reply = await asked(method, { Host: host });
      expect(reply.status).toBe(403);
      expect((await reply.json()).error).toBeDefined();
    },
  );

  test.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST', 'mcp.example.com'])(
    '77: %s is served, with and without a port',
    async (host) => {
      for (const value of [host, `${host}:${server.port}`, `${host}:8080`]) {
        expect((await asked('POST', { Host: value })).status).toBe(200);
      }
    },
  );

  test.skipIf(process.platform !== 'linux')('77: nothing but loopback is listened on unless asked for', async () => {
    const tables = await Promise.all(
      ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
    );
    const port = server.port.toString(16).toUpperCase().padStart(4, '0');
    const LISTENING = '0A';
    const listening = tables
      .flatMap((table) => table.split('\n'))
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([, local = '', , state]) =>
        state === LISTENING && local.endsWith(`:${port}`) ? [local.split(':')[0]] : [],
      );
    expect(listening).toEqual(['0100007F']);
  });
});

describe('CORS', () => {
  const WANTED = [
    'content-type',
    'mcp-session-id',
    'mcp-protocol-version',
    'last-event-id',
    'mcp-method',
    'mcp-name',
    'authorization',
  ];
  const preflight = (origin: string) =>
    send(server, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': WANTED.join(', '),
      },
    });
  const listed = (value: unknown) => String(value).toLowerCase().split(/,\s*/);

  test.each([APP, 'http://localhost:5173'])(
    '78: a preflight of %s is told all methods and headers it needs',
    async (origin) => {
      const reply = await preflight(origin);
      expect(reply.status).toBe(204);
      expect(reply.headers['access-control-allow-origin']).toBe(origin);
      expect(reply.headers.vary).toMatch(/\bOrigin\b/i);
      expect(listed(reply.headers['access-control-allow-headers'])).toEqual(expect.arrayContaining(WANTED));
      expect(listed(reply.headers['access-control-allow-methods'])).toEqual(
        expect.arrayContaining(['get', 'post', 'delete']),
      );
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  test('78: every real answer, also an error, shows its session id to an allowed origin and to no other', async () => {
    const Origin = APP;
    const replies = [
      await post(server, initializeBody({}, '2025-11-25'), { Origin }),
      await asked('POST', { Origin }),
      await asked('GET', { Origin }),
      await asked('DELETE', { Origin }),
      await asked('POST', { Origin, 'Mcp-Session-Id': 'unknown' }),
      await asked('POST', { Origin, 'Content-Type': 'text/plain' }),
      await m26(server, 1, ['tools/list'], { headers: { Origin } }),
      await m26(server, 1, ['tools/call', { name: 'echo', arguments: { text: 'a' } }], { headers: { Origin } }),
    ];
    for (const { headers } of replies) {
      expect(headers['access-control-allow-origin']).toBe(APP);
      expect(listed(headers['access-control-expose-headers'])).toContain('mcp-session-id');
    }
  });

  test('78: nothing is said of origins to a client that sends none', async () => {
    const reply = await asked('POST', {});
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await asked('OPTIONS', {})).status).toBe(405);
  });
});

test.each(['/', '/other', '/mcp/more', '//', '//['])('what names no endpoint, such as %s, gets 404', async (path) => {
  const reply = await send(server, { method: 'GET', path });
  expect(reply.status).toBe(404);
  expect((await reply.json()).error?.message).toContain('/mcp');
});
