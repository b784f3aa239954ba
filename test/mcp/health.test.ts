/** `/livez` and `/readyz` as an orchestrator asks them: without a session, through the same gate as everything else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import { send } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const TOKENS = { LONGHAUL_HTTP_TOKENS: 'alice:a-token-that-is-long-enough-to-count' };

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ workers: 0, env: TOKENS });
});
afterAll(() => site.close());

const get = (path: string, more: { method?: string; headers?: Record<string, string> } = {}) =>
  send(server, { method: 'GET', path, ...more });

it('a front end is live at once, and ready once its private Redis is up, without a token', async () => {
  const live = await get('/livez');
  expect([live.status, JSON.parse(await live.text())]).toEqual([200, { status: 'live' }]);
  const readyz = async () => {
    const reply = await get('/readyz');
    return { http: reply.status, ...JSON.parse(await reply.text()) };
  };
  const ready = await until(readyz, ({ http }) => http === 200, { what: 'the front end to be ready' });
  expect(ready).toMatchObject({ status: 'ready' });
});

it('the answer to HEAD has no body, and other methods are refused', async () => {
  const head = await until(
    () => get('/readyz', { method: 'HEAD' }),
    ({ status }) => status === 200,
    { what: 'the front end to be ready' },
  );
  expect(await head.text()).toBe('');
  expect((await get('/livez', { method: 'POST' })).status).toBe(405);
});

it.each([{ Host: 'evil.example' }, { Origin: 'https://evil.example' }])(
  '%j is refused here as well',
  async (headers) => {
    expect((await get('/readyz', { headers })).status).toBe(403);
  },
);
