/** A server that goes while clients are at work: cases 58 and 84 of the acceptance list. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { init, m26, type Reply, send, sessionAt, textOf, type WireSession } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

/** How one process ends, and what the next one finds: none of them has others beside it. */
let site: Site;
beforeEach(async () => {
  site = await openSite();
});
afterEach(() => site.close());

const isProgress = ({ method }: { method?: string }) => method === 'notifications/progress';
/** Told by the job: on a busy machine the first word of a call is that its job is queued. */
const isAtGate = ({ params }: { params?: { progress?: unknown } }) => params?.progress === 10;

/** The ids of all jobs, as a client sees them. */
async function jobsOf(session: WireSession): Promise<string[]> {
  const { structuredContent } = await session.result('list', 'list_jobs', {});
  return [structuredContent?.jobs].flat().map((job) => String((job as { job_id?: unknown }).job_id));
}

describe('a front end that is killed and started again', () => {
  test.each(['SIGKILL', 'SIGTERM'] as const)(
    '58: by %s: the next one revives its session, with its jobs and the stream of its call',
    async (signal) => {
      await site.worker();
      const first = await site.http({ workers: 0, env: { LONGHAUL_GRACE_SECONDS: '0' }, alone: true });
      const [gate, ledger] = [site.gate(), site.ledger()];
      const before = await init(first);
      const call = await before.call(1, 'gated', { gate: gate.path, ledger: ledger.path, progress: [10] }, 't');
      await call.message(isAtGate);
      await first.stop(signal);

      const second = await site.http({ workers: 0, alone: true });
      const after = sessionAt(second, before);
      expect((await (await after.request('ping', 'ping')).response('ping')).result).toEqual({});
      const [id = ''] = await jobsOf(after);
      const running = await after.result(2, 'get_job', { job_id: id });
      expect(running.structuredContent).toMatchObject({ state: 'active', progress: { progress: 10 } });
      const resumed = await after.stream(call.events.at(-1)?.id);
      await gate.open();
      expect(textOf((await resumed.response(1)).result)).toContain('opened');
      expect(await resumed.ended).toBe('end');
      expect(
        resumed
          .messages()
          .filter(isProgress)
          .map(({ params }) => params?.progress),
      ).not.toContain(10);
      const ended = await after.result(3, 'get_job', { job_id: id, wait_seconds: 10 });
      expect(ended.structuredContent).toMatchObject({ state: 'completed', attempt: 1 });
      expect(await ledger.lines()).toEqual([`start ${id} attempt 1`, `end ${id}`]);
    },
  );
});

describe('a server that is told to stop', () => {
  /** What nothing here takes, so that what waits for the grace is told from what does not. */
  const LONG = { LONGHAUL_GRACE_SECONDS: '60' };
  /** Far less than that, and far more than unwinding takes on a busy machine. */
  const LIMIT_MS = 25_000;

  async function setup(
    env = LONG,
  ): Promise<{ server: HttpServer; session: WireSession; gate: ReturnType<Site['gate']> }> {
    const server = await site.http({ env, alone: true });
    return { server, session: await init(server), gate: site.gate() };
  }

  /** Stops the server, and answers with how it ended once it takes nothing new. */
  async function startStopping(server: HttpServer, session: WireSession): Promise<{ stopped: Promise<string> }> {
    const stopped = server.stop('SIGTERM', LIMIT_MS);
    let probes = 0;
    // Each under an id of its own: one whose answer is still on its way would be refused for that.
    const probe = () =>
      session.request(`probe ${++probes}`, 'ping').then(
        ({ status }) => status,
        () => 'refused',
      );
    await until(probe, (seen) => seen !== 200, { what: 'a request to be refused' });
    return { stopped };
  }

  test('84: refuses new requests and still answers the call under way, if that ends in time', async () => {
    const { server, session, gate } = await setup();
    const call = await session.call(1, 'gated', { gate: gate.path, progress: [10] }, 't');
    await call.message(isAtGate);
    const { stopped } = await startStopping(server, session);
    const refused = await session.call(2, 'echo', { text: 'late' });
    expect(refused.status).toBe(503);
    expect((await refused.json()).error?.message).toContain('shutting down');
    expect((await m26(server, 3, ['tools/list'])).status).toBe(503);
    await gate.open();
    expect(textOf((await call.response(1)).result)).toContain('opened');
    expect(await call.ended).toBe('end');
    expect(await stopped).toBe('exit 0');
  });

  test('84: still takes a cancel of the call under way, and then ends at once', async () => {
    const { server, session, gate } = await setup();
    const ledger = site.ledger();
    const call = await session.call(1, 'gated', { gate: gate.path, ledger: ledger.path });
    const [, id] = (await ledger.line('start')).split(' ');
    const { stopped } = await startStopping(server, session);
    expect((await session.notify('notifications/cancelled', { requestId: 1, reason: 'never mind' })).status).toBe(202);
    expect(await call.ended).toBe('end');
    expect(await ledger.line('abort')).toBe(`abort ${id} cancelled`);
    expect(await stopped).toBe('exit 0');
  });

  test('84: ends at the second signal, whatever its grace, and hands the jobs back', async () => {
    const { server, session, gate } = await setup();
    const ledger = site.ledger();
    await session.call(1, 'gated', { gate: gate.path, ledger: ledger.path });
    await ledger.line('start');
    await startStopping(server, session);
    expect(await server.stop('SIGTERM', LIMIT_MS)).toBe('exit 0');
    expect(await ledger.line('abort')).toContain('shutdown');

    // Workers on their own, whose first word came from elsewhere, are hurried as well.
    const workers = await site.worker({ env: LONG });
    await until(ledger.lines, (all) => all.filter((line) => line.startsWith('start')).length === 2, { what: 'a run' });
    workers.child.kill('SIGTERM');
    await workers.logged('stopping');
    expect(await workers.stop('SIGTERM', LIMIT_MS)).toBe('exit 0');
    await gate.open();
    const again = await init(await site.http({ alone: true }));
    const [id = ''] = await jobsOf(again);
    const { structuredContent: job } = await again.result(2, 'get_job', { job_id: id, wait_seconds: 20 });
    expect(job).toMatchObject({ state: 'completed', attempt: 1, worker_crashes: 0 });
  });

  test('84: ends the streams of both eras and hands the jobs back, if they do not end in time', async () => {
    const { server, session, gate } = await setup({ LONGHAUL_GRACE_SECONDS: '1' });
    const ledger = site.ledger();
    const args = { gate: gate.path, ledger: ledger.path, progress: [10] };
    const standalone = await session.stream();
    const calls = [
      await session.call(1, 'gated', args, 't'),
      await m26(server, 1, ['tools/call', { name: 'gated', arguments: args }], { meta: { progressToken: 't' } }),
    ];
    await Promise.all(calls.map((call) => call.message(isAtGate)));
    expect(await server.stop('SIGTERM', LIMIT_MS)).toBe('exit 0');

    expect(await Promise.all([standalone, ...calls].map(({ ended }) => ended))).toEqual(['end', 'end', 'end']);
    expect(calls.flatMap((call) => call.messages()).filter(({ id }) => id !== undefined)).toEqual([]);
    expect(retryOf(calls[0])).toBeGreaterThan(0);
    expect((await ledger.lines()).filter((line) => line.startsWith('abort')).map((line) => line.split(' ')[2])).toEqual(
      ['shutdown', 'shutdown'],
    );

    await gate.open();
    const again = await init(await site.http({ alone: true }));
    const ids = await jobsOf(again);
    expect(ids).toHaveLength(2);
    for (const id of ids) {
      const { structuredContent: job } = await again.result(id, 'get_job', { job_id: id, wait_seconds: 20 });
      expect(job).toMatchObject({ state: 'completed', attempt: 1, worker_crashes: 0 });
    }
  });

  const retryOf = (reply: Reply | undefined) => reply?.events.find(({ retry }) => retry !== undefined)?.retry;

  test('84: ends at once if nothing is under way, though clients hold streams and connections open', async () => {
    const { server, session } = await setup();
    const stream = await session.stream();
    expect(await server.stop('SIGTERM', LIMIT_MS)).toBe('exit 0');
    expect(await stream.ended).toBe('end');
    await expect(send(server, { method: 'GET' })).rejects.toThrow('ECONNREFUSED');
  });
});
