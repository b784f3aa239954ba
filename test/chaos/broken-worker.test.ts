/** Workers that never start: the operator is told why, callers do not wait for ever, and all goes on once it is mended. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import { init, jobIdOf, send, textOf, type WireSession } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const BROKEN = { LONGHAUL_TOOLS: fileURLToPath(new URL('../support/broken-tools.mjs', import.meta.url)) };
/** Three starts, one after the other, and the next sign of life of a call, on a busy machine. */
const LIMIT_MS = 90_000;

let site: Site;
let server: HttpServer;
let session: WireSession;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ env: BROKEN });
  session = await init(server);
});
afterAll(() => site.close());

async function readyz() {
  const reply = await send(server, { method: 'GET', path: '/readyz' });
  const { complaints = [] } = JSON.parse(await reply.text()) as { complaints?: { check: string }[] };
  return { http: reply.status, own: complaints.find(({ check }) => check === 'Workers') };
}

async function doctorSays(): Promise<string> {
  const { command, args, env } = site.commandLine('doctor', { env: BROKEN });
  const [program = ''] = args.filter((word) => word.endsWith('main.js'));
  const { stdout } = await promisify(execFile)(command, [program, 'doctor', '--json'], { env }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

async function look(id: string) {
  return (await session.result(`look ${Math.random()}`, 'get_job', { job_id: id })).structuredContent;
}

it('are told to the operator, to who waits and to who comes, and what was accepted runs when they do', async () => {
  const call = await session.call('waits', 'echo', { text: 'kept' });
  const { result } = await call.response('waits', LIMIT_MS);
  const kept = jobIdOf(result);
  expect(result?._meta?.['longhaul/error']).toMatchObject({ code: 'no_worker', retryable: true, jobId: kept });
  expect(textOf(result)).toContain('ended with exit code 1');
  expect(await look(kept)).toMatchObject({ state: 'waiting' });

  const refused = await session.result('comes', 'echo', { text: 'refused' });
  expect(refused._meta?.['longhaul/error']).toMatchObject({ code: 'no_worker', retryable: true });
  expect(textOf(refused)).toContain('Nothing was accepted');
  expect((await session.result('list', 'list_jobs', {})).structuredContent).toMatchObject({ total_count: 1 });

  expect(await readyz()).toMatchObject({ http: 503, own: { status: 'fail', mend: expect.stringContaining('log') } });
  const told = await server.logged(
    'workers do not start. Read what the worker said in this log; a broken installation is mended by installing Longhaul again',
  );
  expect(told.how).toBe('exit code 1');
  expect(server.stderr()).toContain('a part of the program is missing');

  expect(await doctorSays()).toMatch(/their program does not start: .*a part of the program is missing/);

  await writeFile(join(site.dataDir, 'mended'), '');
  const done = await until(
    () => look(kept),
    (job) => job?.state === 'completed',
    { what: 'the kept job', limitMs: LIMIT_MS },
  );
  expect(done).toMatchObject({ attempt: 1, worker_crashes: 0 });
  expect(textOf(await session.result('after', 'echo', { text: 'after' }))).toBe('after');
  // Its supervisor hears of the worker another way than the job does.
  await until(readyz, ({ http, own }) => http === 200 && own === undefined, { what: 'the front end to be well' });
}, 300_000);
