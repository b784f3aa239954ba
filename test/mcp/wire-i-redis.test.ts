/** Redis that is lost while calls wait for their jobs: case 112 of the acceptance list. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { init, m26, textOf } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
});
afterAll(() => site.close());

const pidOfRedis = async () => Number(await readFile(join(site.dataDir, 'redis.pid'), 'utf8').catch(() => '0'));

test('112: calls of both eras end with their results once a killed Redis is back', { timeout: 60_000 }, async () => {
  const session = await init(server);
  const [gate, ledger] = [site.gate(), site.ledger()];
  const args = { gate: gate.path, ledger: ledger.path, progress: [10] };
  const calls = [
    await session.call(1, 'gated', args, 't'),
    await m26(server, 1, ['tools/call', { name: 'gated', arguments: args }], { meta: { progressToken: 't' } }),
  ];
  await Promise.all(calls.map((call) => call.message(({ method }) => method === 'notifications/progress')));
  const pid = await pidOfRedis();
  process.kill(pid, 'SIGKILL');
  await until(pidOfRedis, (now) => now > 0 && now !== pid, { what: `another Redis than ${pid}`, limitMs: 15_000 });
  await gate.open();
  for (const call of calls) expect(textOf((await call.response(1, 50_000)).result)).toContain('opened');
  expect((await ledger.lines()).filter((line) => line.startsWith('end'))).toHaveLength(calls.length);
  expect(textOf(await session.result(2, 'echo', { text: 'still here' }))).toBe('still here');
  expect(server.child.exitCode).toBeNull();
});
