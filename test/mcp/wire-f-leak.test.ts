/** What thousands of sessions leave behind: case 62 of the acceptance list. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { initializeBody, post, send } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const SESSIONS = 2_000;
const AT_ONCE = 50;
let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ workers: 0, env: { LONGHAUL_SESSION_IDLE_SECONDS: '2' } });
});
afterAll(() => site.close());

/** Opens sessions, some at a time; ends each with a DELETE if told to. */
async function openSessions(ending: 'with DELETE' | 'without'): Promise<void> {
  let left = SESSIONS;
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

/** The number of live sessions, as the server last logged it. */
function liveSessions(): unknown {
  return server.log.findLast(({ sessions }) => sessions !== undefined)?.sessions;
}

const noneLeft = () =>
  until(liveSessions, (live) => live === 0, { what: 'the number of sessions to be back at 0', limitMs: 10_000 });

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

describe.skipIf(process.platform !== 'linux')('thousands of sessions', () => {
  test('62: leave no session behind, with or without DELETE, and no memory that grows', {
    timeout: 120_000,
  }, async () => {
    const afterRound: number[] = [];
    for (const ending of ['without', 'with DELETE', 'without'] as const) {
      await openSessions(ending);
      await noneLeft();
      afterRound.push(await residentBytes());
    }
    const [settled = 0, , last = 0] = afterRound;
    expect(last, `bytes after each round: ${afterRound.join(', ')}`).toBeLessThan(settled * 1.2);
  });
});
