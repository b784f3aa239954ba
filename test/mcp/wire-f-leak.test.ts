/** What thousands of sessions leave behind: case 62 of the acceptance list. */
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { initializeBody, post, send } from '../support/http-wire.js';
import { keysBelow } from '../support/key-checker.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const AT_ONCE = 50;
const REPORTER = new URL('../support/heap-reporter.mjs', import.meta.url).href;
let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  const env = { LONGHAUL_SESSION_IDLE_SECONDS: '4', NODE_OPTIONS: `--import=${REPORTER}` };
  server = await site.http({ workers: 0, env });
});
afterAll(() => site.close());

/** Opens sessions, some at a time; ends each with a DELETE if told to. */
async function openSessions(count: number, ending: 'with DELETE' | 'without'): Promise<void> {
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const opening = await post(server, initializeBody({}, '2025-11-25'));
      await opening.response('i');
      if (ending === 'without') continue;
      const session = { 'Mcp-Session-Id': String(opening.headers['mcp-session-id']) };
      expect((await send(server, { method: 'DELETE', headers: session })).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Waits until no session lives, as the server logs it; answers with the bytes of heap then in use. */
async function heapOnceAllEnded(): Promise<number> {
  const live = () => server.log.findLast(({ sessions }) => sessions !== undefined)?.sessions;
  await until(live, (count) => count === 0, { what: 'the number of sessions to be back at 0', limitMs: 15_000 });
  const reports = () => server.log.filter(({ msg }) => msg === 'heap');
  const before = reports().length;
  process.kill(server.pid, 'SIGUSR2');
  const seen = await until(reports, ({ length }) => length > before, { what: 'a report of the heap' });
  return Number(seen.at(-1)?.heapBytes);
}

/** Waits until Redis holds nothing of any session. */
async function noKeyIsLeft(): Promise<void> {
  const redis = new Redis(join(site.dataDir, 'redis.sock'));
  try {
    const left = async () => (await keysBelow(redis, '{longhaul}')).filter((name) => name.includes(':session'));
    await until(left, ({ length }) => length === 0, { what: 'every key of a session to be gone', limitMs: 15_000 });
  } finally {
    redis.disconnect();
  }
}

test('62: 2,000 sessions leave none behind and no memory, with or without DELETE', { timeout: 120_000 }, async () => {
  await openSessions(200, 'with DELETE');
  const settled = await heapOnceAllEnded();
  const after: Record<string, number> = {};
  for (const ending of ['without', 'with DELETE'] as const) {
    await openSessions(2_000, ending);
    after[ending] = await heapOnceAllEnded();
    await noKeyIsLeft();
  }
  const growth = Object.values(after).map((bytes) => bytes / settled);
  expect(Math.max(...growth), `bytes at first: ${settled}, then: ${JSON.stringify(after)}`).toBeLessThan(1.2);
});
