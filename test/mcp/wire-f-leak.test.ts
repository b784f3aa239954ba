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
/** With DELETE it must not be idleness that ends a session, nor end it before its client, one of many, comes to delete it. */
const IDLE_SECONDS = { without: '2', 'with DELETE': '600' } as const;
type Ending = keyof typeof IDLE_SECONDS;
let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

/** A front end whose sessions end in one way. */
const start = (ending: Ending) =>
  site.http({
    workers: 0,
    // Its heap is what is measured.
    alone: true,
    env: { LONGHAUL_SESSION_IDLE_SECONDS: IDLE_SECONDS[ending], NODE_OPTIONS: `--import=${REPORTER}` },
  });

/** Opens sessions, some at a time; ends each with a DELETE if told to. */
async function openSessions(server: HttpServer, count: number, ending: Ending): Promise<void> {
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
async function heapOnceAllEnded(server: HttpServer): Promise<number> {
  const live = () => server.log.findLast(({ sessions }) => sessions !== undefined)?.sessions;
  await until(live, (count) => count === 0, { what: 'the number of sessions to be back at 0', limitMs: 60_000 });
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
    await until(left, ({ length }) => length === 0, { what: 'every key of a session to be gone', limitMs: 60_000 });
  } finally {
    redis.disconnect();
  }
}

test.each(['without', 'with DELETE'] as const)(
  '62: 2,000 sessions leave none behind and no memory, %s',
  {
    timeout: 300_000,
  },
  async (ending) => {
    const server = await start(ending);
    await openSessions(server, 200, ending);
    const settled = await heapOnceAllEnded(server);
    await openSessions(server, 2_000, ending);
    const after = await heapOnceAllEnded(server);
    await noKeyIsLeft();
    expect(after / settled, `bytes at first: ${settled}, then: ${after}`).toBeLessThan(1.2);
    await server.stop();
  },
);
