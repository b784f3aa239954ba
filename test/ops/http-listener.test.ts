/** The listener for operators over real sockets: who gets in, what a browser is told, and how its table of routes is read. */
import { request } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { AppError } from '../../src/core/errors.js';
import { createLogger } from '../../src/logger.js';
import type { OpsAccessRules } from '../../src/ops/http-access.js';
import { createOpsListener } from '../../src/ops/http-listener.js';
import { findRoute, healthRoutes, type OpsRoute } from '../../src/ops/http-routes.js';
import { opsLogin } from '../../src/ops-access.js';
import { createLogin } from '../../src/web/login.js';
import { cliHome } from '../cli/run-cli.js';

const TOKEN = 'an-operator-token-that-counts';
const READ_TOKEN = 'a-token-that-may-only-look';
const BEARER = { Authorization: `Bearer ${TOKEN}` };
const BASIC = { Authorization: `Basic ${Buffer.from(`anybody:${TOKEN}`).toString('base64')}` };
const READER = { Authorization: `Bearer ${READ_TOKEN}` };

const SILENT = createLogger('test', 'silent');

const text = (body: string) => ({ type: 'text/plain', body });
const ROUTES: readonly OpsRoute[] = [
  ...healthRoutes({ readiness: () => Promise.resolve({ ready: true, complaints: [] }), isDraining: () => false }),
  { method: 'GET', path: '/', needs: 'read', handle: ({ operator }) => Promise.resolve(text(`seen by ${operator}`)) },
  { method: 'GET', path: '/jobs/:id', needs: 'read', handle: ({ params }) => Promise.resolve(text(String(params.id))) },
  {
    method: 'POST',
    path: '/jobs/:id/cancel',
    needs: 'write',
    handle: ({ operator }) => Promise.resolve(text(`by ${operator}`)),
  },
  {
    method: 'GET',
    path: '/files/*',
    needs: 'read',
    handle: ({ params }) => Promise.resolve(text(String(params.rest))),
  },
  {
    method: 'GET',
    path: '/gone',
    needs: 'read',
    handle: () => Promise.reject(new AppError('job_not_found', 'No such job.')),
  },
  { method: 'GET', path: '/broken', needs: 'read', handle: () => Promise.reject(new Error('with a secret in it')) },
];

interface Rules {
  readonly operators?: boolean;
  readonly readers?: boolean;
  readonly write?: boolean;
  readonly onLoopback?: boolean;
}

async function setup({ operators = true, readers = false, write = true, onLoopback = true }: Rules = {}) {
  const access: OpsAccessRules = {
    onLoopback,
    write,
    operators: createLogin(operators ? [{ principal: 'ann', token: TOKEN }] : []),
    readers: createLogin(readers ? [{ principal: 'prometheus', token: READ_TOKEN }] : []),
    allowedHosts: ['ops.example.com'],
  };
  const logged: unknown[] = [];
  const note = (fields: unknown) => void logged.push(fields);
  const log = { debug: () => {}, info: () => {}, warn: note, error: note };
  const listener = createOpsListener({ host: '127.0.0.1', port: 0, access, routes: ROUTES, log });
  await listener.start();
  onTestFinished(() => listener.stop(0));
  return {
    send: (path: string, headers = {}, method = 'GET') => send(listener.url(), { path, headers, method }),
    logged,
    port: Number(new URL(listener.url()).port),
  };
}

interface Sent {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly method: string;
}

/** By hand, since `fetch` lets nobody choose a Host or an Origin. */
function send(origin: string, { path, headers, method }: Sent) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
    const sent = request(origin, { path, method, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{"sent": "along"}' : undefined);
  });
}

it('anybody of this machine may look while there are no tokens for that, and is told nothing may be changed', async () => {
  const { send } = await setup({ operators: false, write: false });
  expect(await send('/')).toMatchObject({ status: 200, body: 'seen by undefined' });
  const refused = await send('/jobs/job_1/cancel', {}, 'POST');
  expect(refused).toMatchObject({ status: 403, body: expect.stringContaining('--ops-write') });
});

it.each([
  ['a bearer token', BEARER],
  ['the password of any name', BASIC],
])('a change needs a token, which comes as %s', async (_, headers) => {
  const { send } = await setup();
  const path = '/jobs/job_1/cancel';
  const without = await send(path, {}, 'POST');
  expect(without).toMatchObject({ status: 401, body: expect.stringContaining('LONGHAUL_OPS_TOKENS') });
  expect(without.headers['www-authenticate']).toMatch(/^Basic realm="/);
  expect((await send(path, { Authorization: 'Bearer another-token-that-is-wrong' }, 'POST')).status).toBe(401);
  expect((await send(`${path}?token=${TOKEN}`, {}, 'POST')).status).toBe(401);
  expect(await send(path, headers, 'POST')).toMatchObject({ status: 200, body: 'by ann' });
});

it('an unknown token is told to the log without its words, once however many come, and a known one is not', async () => {
  const { send, logged } = await setup();
  const wrong = { Authorization: 'Bearer another-token-that-is-wrong' };
  for (let at = 0; at < 5; at++) expect((await send('/?a=secret-of-a-url', wrong)).status).toBe(401);
  await send('/', BEARER);
  await send('/jobs/job_1/cancel', {}, 'POST');
  expect(logged).toEqual([{ from: '127.0.0.1' }]);
});

it('a token changes nothing where changes are not allowed, nor does one that may only look', async () => {
  const shows = await setup({ write: false });
  expect((await shows.send('/jobs/job_1/cancel', BEARER, 'POST')).status).toBe(403);
  const { send } = await setup({ readers: true });
  expect(await send('/', READER)).toMatchObject({ status: 200, body: 'seen by prometheus' });
  expect(await send('/jobs/job_1/cancel', READER, 'POST')).toMatchObject({
    status: 403,
    body: expect.stringContaining('may look'),
  });
});

it.each([{ onLoopback: false }, { readers: true }])('nobody looks without a token where %j', async (rules) => {
  const { send } = await setup(rules);
  expect((await send('/')).status).toBe(401);
  expect((await send('/not/there')).status).toBe(401);
  expect((await send('/', BEARER)).status).toBe(200);
  expect((await send('/readyz')).status).toBe(200);
});

it('a name that leads here from a page of somebody else opens nothing, even of health', async () => {
  const { send } = await setup();
  for (const path of ['/', '/readyz']) expect((await send(path, { Host: 'evil.example' })).status).toBe(401);
  expect((await send('/', { Host: 'evil.example', ...BEARER })).status).toBe(200);
  expect((await send('/readyz', { Host: 'ops.example.com' })).status).toBe(200);
  expect((await send('/', { Host: 'ops.example.com' })).status).toBe(401);
  for (const header of ['X-Forwarded-For', 'Forwarded', 'Via'])
    expect((await send('/', { [header]: 'x' })).status).toBe(401);
  const open = await setup({ operators: false, write: false });
  expect((await open.send('/', { Host: 'evil.example' })).status).toBe(403);
});

it('a page of another origin gets nothing, whatever credentials the browser adds', async () => {
  const { send } = await setup();
  const path = '/jobs/job_1/cancel';
  expect((await send(path, { ...BASIC, Origin: 'https://evil.example' }, 'POST')).status).toBe(403);
  expect((await send(path, { ...BASIC, Origin: 'null' }, 'POST')).status).toBe(403);
  for (const site of ['cross-site', 'same-site']) {
    const form = { ...BASIC, 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'navigate' };
    expect((await send(path, form, 'POST')).status).toBe(403);
  }
  expect((await send('/', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' })).status).toBe(403);
  expect((await send('/', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' })).status).toBe(200);
  const own = { ...BASIC, Host: 'localhost:9100', Origin: 'http://localhost:9100' };
  expect((await send(path, own, 'POST')).status).toBe(200);
});

it('every answer forbids what the page does not bring itself, being framed and being kept', async () => {
  const { send } = await setup();
  for (const path of ['/', '/not/there', '/broken']) {
    const { headers } = await send(path);
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  }
});

it('the table says what there is: parameters, all below, HEAD, other methods and faults', async () => {
  const { send, logged } = await setup();
  expect((await send('/jobs/a%20b')).body).toBe('a b');
  expect((await send('/files/x/y.js')).body).toBe('x/y.js');
  expect(await send('/', {}, 'HEAD')).toMatchObject({ status: 200, body: '', headers: { 'content-length': '17' } });
  expect(await send('/', {}, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  expect(await send('/gone')).toMatchObject({ status: 404, body: 'No such job.\n' });
  const { status, body } = await send('/broken');
  expect([status, body]).toEqual([500, 'A fault of this server: see its log.\n']);
  expect(logged).toHaveLength(1);
  expect((await send('/jobs/%E0%A4%A')).status).toBe(404);
  expect(findRoute(ROUTES, 'GET', '/jobs/').kind).toBe('none');
});

it.each([
  [{ LONGHAUL_OPS_HOST: '0.0.0.0' }, /--ops-host 0\.0\.0\.0: others could reach.*LONGHAUL_OPS_TOKENS/],
  [{ LONGHAUL_OPS_WRITE: 'true' }, /--ops-write: a change needs an operator.*LONGHAUL_OPS_TOKENS/],
  [{ LONGHAUL_OPS_TOKENS_FILE: '/not/there' }, /LONGHAUL_OPS_TOKENS_FILE: \/not\/there cannot be read/],
])('%j lets strangers in, or nobody, and is refused', async (env, why) => {
  await expect(opsLogin(loadConfig(env), SILENT)).rejects.toMatchObject({
    code: 'invalid_configuration',
    message: expect.stringMatching(why),
  });
});

it('an address that others reach is taken with tokens of either kind', async () => {
  for (const name of ['LONGHAUL_OPS_TOKENS', 'LONGHAUL_OPS_READ_TOKENS']) {
    const { access } = await opsLogin(loadConfig({ LONGHAUL_OPS_HOST: '::', [name]: `ann:${TOKEN}` }), SILENT);
    expect(access.onLoopback).toBe(false);
  }
});

it('a port that is taken is told with the option that chooses another', async () => {
  const { port } = await setup();
  const access = {
    onLoopback: true,
    write: false,
    operators: createLogin([]),
    readers: createLogin([]),
    allowedHosts: [],
  };
  const second = createOpsListener({ host: '127.0.0.1', port, access, routes: [], log: SILENT });
  await expect(second.start()).rejects.toMatchObject({
    code: 'invalid_configuration',
    message: `Cannot listen on 127.0.0.1:${port}: something listens there already. Stop it, or choose another port with --ops-port (0 for a free one).`,
  });
});

it('a worker that would show itself to strangers does not start, and says so with exit code 2', async () => {
  const { run } = await cliHome();
  const { code, stderr } = await run(['worker', '--ops-port', '0', '--ops-host', '0.0.0.0']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('error: --ops-host 0.0.0.0: others could reach')]);
});
