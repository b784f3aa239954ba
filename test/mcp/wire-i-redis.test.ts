/** Workers and Redis that are lost while calls wait for their jobs: cases 110 and 112 of the acceptance list. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { init, jobIdOf, m26, textOf } from '../support/http-wire.js';
import { killRedisOf, workerOf } from '../support/processes.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
});
afterAll(() => site.close());

const pidOfRedis = async () => Number(await readFile(join(site.dataDir, 'redis.pid'), 'utf8').catch(() => '0'));

test('110: calls of both eras end once, each with its result, when the worker is killed in the middle of their jobs', {
  timeout: 120_000,
}, async () => {
  const session = await init(server);
  const [gate, ledger] = [site.gate(), site.ledger()];
  const args = { gate: gate.path, ledger: ledger.path, progress: [10] };
  const calls = [
    await session.call(1, 'gated', args, 't'),
    await m26(server, 1, ['tools/call', { name: 'gated', arguments: args }], { meta: { progressToken: 't' } }),
  ];
  await Promise.all(calls.map((call) => call.message(({ params }) => params?.progress === 10)));
  process.kill(await workerOf(site.dataDir), 'SIGKILL');
  const starts = async () => (await ledger.lines()).filter((line) => line.startsWith('start'));
  await until(starts, ({ length }) => length === 4, { what: 'both jobs to run again', limitMs: 40_000 });
  await gate.open();
  const ids = await Promise.all(calls.map(async (call) => jobIdOf((await call.response(1)).result)));
  for (const [n, call] of calls.entries()) {
    expect(await call.ended).toBe('end');
    expect(call.messages().filter(({ id }) => id === 1)).toHaveLength(1);
    const told = call
      .messages()
      .flatMap(({ params }) => (params?.progressToken === 't' ? [Number(params.progress)] : []));
    expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
    const seen = await session.result(`seen ${n}`, 'get_job', { job_id: ids[n] });
    expect(seen.structuredContent).toMatchObject({ state: 'completed', faults: [{ attempt: 1 }] });
  }
  expect((await ledger.lines()).filter((line) => line.startsWith('end'))).toHaveLength(2);
});

test('112: calls of both eras end with their results once a killed Redis is back', { timeout: 120_000 }, async () => {
  const session = await init(server);
  const [gate, ledger] = [site.gate(), site.ledger()];
  const args = { gate: gate.path, ledger: ledger.path, progress: [10] };
  const calls = [
    await session.call(1, 'gated', args, 't'),
    await m26(server, 1, ['tools/call', { name: 'gated', arguments: args }], { meta: { progressToken: 't' } }),
  ];
  await Promise.all(calls.map((call) => call.message(({ method }) => method === 'notifications/progress')));
  // With all it acknowledged in its file: what a machine loses that dies within a sync is not what this is about.
  const pid = await killRedisOf(site.dataDir);
  await until(pidOfRedis, (now) => now > 0 && now !== pid, { what: `another Redis than ${pid}` });
  await gate.open();
  for (const call of calls) expect(textOf((await call.response(1, 50_000)).result)).toContain('opened');
  expect((await ledger.lines()).filter((line) => line.startsWith('end'))).toHaveLength(calls.length);
  expect(textOf(await session.result(2, 'echo', { text: 'still here' }))).toBe('still here');
  expect(server.child.exitCode).toBeNull();
});
