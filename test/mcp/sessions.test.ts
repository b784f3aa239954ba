/** The number of sessions is bounded: the one idle longest makes room, and none that is in use. */
import { expect, it, onTestFinished } from 'vitest';
import type { SessionStore } from '../../src/core/session-ports.js';
import type { FrontEnd } from '../../src/mcp/front-end.js';
import { createHttpService } from '../../src/mcp/http.js';
import { createLogin } from '../../src/web/login.js';
import { createFakeSessionStore } from '../support/fakes/session-store.js';
import { init, initializeBody, post } from '../support/http-wire.js';

/** An endpoint of at most two sessions that serves no tools. */
async function setup(more: Partial<SessionStore> = {}) {
  const silent = () => undefined;
  const store = {
    ...createFakeSessionStore({ idleMs: 60_000, leaseMs: 30_000, events: 100, eventBytes: 100_000 }),
    ...more,
  };
  const frontEnd = {
    sessions: async () => store,
    name: 'test',
    version: '1',
    tools: new Map(),
    log: { debug: silent, info: silent, warn: silent, error: silent },
  } as unknown as FrontEnd;
  const http = createHttpService(frontEnd, {
    login: createLogin([]),
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 100_000,
    sessionIdleMs: 60_000,
    sessionJobs: 'keep',
    sessionLimit: 2,
    allowedHosts: [],
    allowedOrigins: [],
  });
  await http.start();
  onTestFinished(() => http.stop(0));
  return { port: Number(new URL(http.url()).port), pass: store.pass };
}

it('a further session ends the one idle longest, not the one opened first', async () => {
  const server = await setup();
  const [first, second] = [await init(server), await init(server)];
  // By the store's clock all of this may happen within one millisecond.
  server.pass(1);
  await first.request(1, 'ping');
  const third = await init(server);
  expect((await second.request(2, 'ping')).status).toBe(404);
  for (const session of [first, third]) expect((await session.request(3, 'ping')).status).toBe(200);
});

it('a further session is refused while all are in use', async () => {
  const server = await setup();
  const [first, second] = [await init(server), await init(server)];
  const streams = [await first.stream(), await second.stream()];
  const refused = await post(server, initializeBody({}, '2025-11-25'));
  expect(refused.status).toBe(503);
  expect((await refused.json()).error?.message).toContain('in use');
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
});

it('a session that no other front end would know, since it cannot be stored after all, is refused and forgotten', async () => {
  let refusals = 1;
  const { create } = createFakeSessionStore({ idleMs: 60_000, leaseMs: 30_000, events: 100, eventBytes: 100_000 });
  const server = await setup({
    async create(...session) {
      if (refusals-- > 0) throw new Error('no store just now');
      await create(...session);
    },
  });
  const refused = await post(server, initializeBody({}, '2025-11-25'));
  const { error } = await refused.response('i');
  expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('Send initialize again') });
  const id = String(refused.headers['mcp-session-id']);
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expect((await post(server, ping, { 'Mcp-Session-Id': id })).status).toBe(404);
});

it('an unknown session that says when it was opened without the store may yet come for a minute, and is gone after that', async () => {
  const server = await setup();
  const ask = async (byMs: number) => {
    const id = `away-${(Date.now() + byMs).toString(36)}-${'A'.repeat(24)}`;
    const reply = await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'Mcp-Session-Id': id });
    return [reply.status, reply.headers['retry-after']];
  };
  // Just now, two minutes ago, and in two minutes, which cannot be.
  expect(await Promise.all([0, -120_000, 120_000].map(ask))).toEqual([
    [503, '1'],
    [404, undefined],
    [404, undefined],
  ]);
});
