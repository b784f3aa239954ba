/** Jobs that clients come back for: cases 114 and 115 of the acceptance list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { init, jobIdOf, textOf, type WireResult, type WireSession } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
let session: WireSession;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
  session = await init(server);
});
afterAll(() => site.close());

const UNKNOWN = 'job_00000000000000000000000000';

describe('a job id', () => {
  test('114: holds at least 122 random bits, and one that was changed a little is no job', async () => {
    const results = await Promise.all(Array.from({ length: 32 }, (_, id) => session.result(id, 'echo', { text: 'a' })));
    const ids = results.map((result) => jobIdOf(result).replace(/^job_/, ''));
    expect(new Set(ids).size).toBe(ids.length);
    const BITS_PER_LETTER = 5;
    for (const id of ids) expect(id.length * BITS_PER_LETTER).toBeGreaterThanOrEqual(122);
    for (let at = 0; at < (ids[0]?.length ?? 0); at += 1) {
      expect(new Set(ids.map((id) => id[at])).size).toBeGreaterThan(8);
    }
    const [id = ''] = ids;
    const near = `job_${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    expect(textOf(await session.result(99, 'get_job', { job_id: near }))).toContain('no job');
  });

  test('114: is listed for every client of the machine, since all of them are the one user that it serves', async () => {
    const gate = site.gate();
    const call = await session.call(1, 'gated', { gate: gate.path });
    const other = await init(server);
    const states = ['waiting', 'active'];
    const listed = await until(
      async () => (await other.result(1, 'list_jobs', { states })).structuredContent?.jobs as { job_id: string }[],
      (jobs) => jobs.length === 1,
      { what: 'the job in the list of another client' },
    );
    await gate.open();
    expect(jobIdOf((await call.response(1)).result)).toBe(listed[0]?.job_id);
  });
});

describe('a job tool', () => {
  const askAfter = (job_id: string, client = session): Promise<WireResult>[] => [
    client.result('get', 'get_job', { job_id }),
    client.result('wait', 'get_job', { job_id, wait_seconds: 5 }),
    client.result('cancel', 'cancel_job', { job_id }),
  ];

  test.each([UNKNOWN, 'nonsense', '../../etc', 'job_', '7'])(
    '115: says of the id %s that there is no such job',
    async (id) => {
      for (const result of await Promise.all(askAfter(id))) {
        expect(result.isError).toBe(true);
        expect(textOf(result)).toMatch(/no job .*expired/);
      }
    },
  );

  test('115: says of an expired job that it may have expired, by tool and by resource', async () => {
    // An installation of its own: elsewhere a job is to be there as long as it is asked for.
    const env = { LONGHAUL_NAMESPACE: 'forgetful', LONGHAUL_RESULT_TTL_SECONDS: '1' };
    const forgetful = await init(await site.http({ env }));
    const id = jobIdOf(await forgetful.result(1, 'echo', { text: 'short-lived' }));
    const job = () => forgetful.result(2, 'get_job', { job_id: id });
    await until(job, ({ isError }) => isError === true, { what: 'the job to expire' });
    for (const result of await Promise.all(askAfter(id, forgetful))) {
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/no job .*expired/);
    }
    const listed = await forgetful.result(3, 'list_jobs', {});
    expect(JSON.stringify(listed)).not.toContain(id);
    const { error } = await (await forgetful.request(4, 'resources/read', { uri: `job://${id}` })).response(4);
    expect(error?.message).toContain(id);
  });

  test('115: cancels an ended job with a plain word that nothing was changed, again and again', async () => {
    const id = jobIdOf(await session.result(1, 'echo', { text: 'done' }));
    for (const asked of [2, 3]) {
      const result = await session.result(asked, 'cancel_job', { job_id: id });
      expect(result).toMatchObject({ structuredContent: { job_id: id, state: 'completed', already_ended: true } });
      expect(textOf(result)).toContain('Nothing was changed');
    }
    expect(await session.result(4, 'get_job', { job_id: id })).toMatchObject({
      structuredContent: { state: 'completed' },
    });
  });
});
