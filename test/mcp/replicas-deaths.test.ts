/** Front ends that are killed at any point of a session, and clients that claim what is not so. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FrontEnds, openFrontEnds, REPLICA_ENV } from '../support/front-ends.js';
import { until } from '../support/gate.js';
import { init, initializeBody, post, type Reply, sessionAt, textOf, type WireSession } from '../support/http-wire.js';
import type { HttpServer } from '../support/site.js';

let trio: FrontEnds;
beforeAll(async () => {
  trio = await openFrontEnds();
});
afterAll(() => trio.close());

/** Has a front end hang, so that what is sent to it is taken by its host, and not by it; then kills it. */
async function killedWith(doomed: HttpServer, request: () => Promise<Reply>): Promise<unknown> {
  doomed.child.kill('SIGSTOP');
  const answered = request().then(
    () => 'answered',
    (error: Error) => error.message,
  );
  await doomed.stop('SIGKILL');
  return answered;
}

const ping = async (session: WireSession, id: string) => (await session.request(id, 'ping')).status;

describe('a front end that is killed', () => {
  test('with an initialize in hand leaves no session, and its client begins at another one', async () => {
    const doomed = await trio.victim();
    expect(await killedWith(doomed, () => post(doomed, initializeBody({}, '2025-11-25')))).not.toBe('answered');
    const [again] = await trio.everywhere();
    expect(await ping(again, 'there')).toBe(200);
  });

  test('right after its answer to initialize leaves a session that goes on elsewhere from its next word', async () => {
    const doomed = await trio.victim();
    const opened = await post(doomed, initializeBody({ sampling: {} }, '2025-11-25'));
    const { result } = await opened.response('i');
    await doomed.stop('SIGKILL');
    const headers = {
      'Mcp-Session-Id': String(opened.headers['mcp-session-id']),
      'MCP-Protocol-Version': String(result?.protocolVersion),
    };
    const noted = await post(trio.servers[1], { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect(noted.status).toBe(202);
    const pinged = await post(trio.servers[2], { jsonrpc: '2.0', id: 1, method: 'ping' }, headers);
    expect((await pinged.response(1)).result).toEqual({});
  });

  test('with a DELETE in hand has ended the session or not, and the same DELETE elsewhere ends it for all', async () => {
    const doomed = await trio.victim();
    const [first, second, third] = await trio.everywhere({}, doomed);
    expect(await killedWith(doomed, () => first.delete())).not.toBe('answered');
    expect([200, 404]).toContain((await second.delete()).status);
    expect(await ping(third, 'gone')).toBe(404);
  });

  test('between the request and the job loses a call in plain words, or has it carried out once', async () => {
    const doomed = await trio.victim();
    const [first, second] = await trio.everywhere({}, doomed);
    const ledger = trio.site.ledger();
    const call = await first.call(1, 'slow', { steps: 3, step_ms: 20, ledger: ledger.path });
    const primed = await call.eventAfter(0);
    await doomed.stop('SIGKILL');
    const resumed = await second.stream(primed?.id);
    const { result } = await resumed.response(1);
    const runs = (await ledger.lines()).filter((line) => line.startsWith('end')).length;
    if (result?.isError) expect(result._meta?.['longhaul/error']).toMatchObject({ code: 'call_lost' });
    expect(runs).toBe(result?.isError ? 0 : 1);
  });

  test('in the middle of a replay has the client go on at the next one: all in order, and once', async () => {
    const doomed = await trio.victim();
    const [first, second, third] = await trio.everywhere();
    const lines = Array.from({ length: 150 }, (_, n) => ({ level: 'error', text: `line ${n} ${'x'.repeat(20_000)}` }));
    const call = await first.call(1, 'chatty', { lines }, 't');
    const primed = await call.eventAfter(0);
    await call.response(1, 20_000);
    const all = call.events.slice(1).map(({ data }) => data);
    const cut = await sessionAt(doomed, first).stream(primed?.id);
    await until(
      () => cut.events.length,
      (count) => count > 0,
      { what: 'the beginning of a replay' },
    );
    await doomed.stop('SIGKILL');
    await cut.ended;
    const rest = await second.stream(cut.events.at(-1)?.id);
    await rest.ended;
    expect([...cut.events, ...rest.events].filter(({ data }) => data !== '').map(({ data }) => data)).toEqual(all);
    const whole = await third.stream(primed?.id);
    await whole.ended;
    expect(whole.events.filter(({ data }) => data !== '').map(({ data }) => data)).toEqual(all);
  });
});

describe('a session', () => {
  test('that lies idle but for a call is not ended, wherever its client is heard of next', async () => {
    // Longer than a busy machine takes from the session to its call.
    const env = { ...REPLICA_ENV, LONGHAUL_SESSION_IDLE_SECONDS: '3' };
    const [one, other] = await Promise.all([1, 2].map(() => trio.site.http({ workers: 0, env, alone: true })));
    if (!one || !other) throw new Error('the front ends are not up');
    const session = await init(one);
    const gate = trio.site.gate();
    const call = await session.call(1, 'gated', { gate: gate.path, progress: [10] }, 't');
    await call.message(({ params }) => params?.progress === 10);
    // Where it was served as well, nothing of it is under way any more.
    expect(textOf(await sessionAt(other, session).result(2, 'list_jobs', {}))).toContain('gated');
    // Another session, which does lie idle, is ended meanwhile.
    await init(other);
    await other.logged('session ended', 30_000);
    expect(await ping(sessionAt(other, session), 'alive')).toBe(200);
    await gate.open();
    expect(textOf((await call.response(1)).result)).toContain('opened');
  });

  test('that is ended elsewhere has its jobs cancelled where the operator wants that, and their streams end', async () => {
    const env = { ...REPLICA_ENV, LONGHAUL_SESSION_JOBS: 'cancel' };
    const [one, other] = await Promise.all([1, 2].map(() => trio.site.http({ workers: 0, env, alone: true })));
    if (!one || !other) throw new Error('the front ends are not up');
    const session = await init(one);
    const ledger = trio.site.ledger();
    const call = await session.call(1, 'gated', { gate: trio.site.gate().path, ledger: ledger.path });
    await ledger.line('start');
    expect((await sessionAt(other, session).delete()).status).toBe(200);
    expect(await ledger.line('abort')).toContain('cancelled');
    expect(await call.ended).toBe('end');
  });
});

describe('a Last-Event-ID', () => {
  test.each([
    ['of no form', 'nonsense'],
    ['that is long', `${'a'.repeat(20_000)}.1`],
    ['of a stream that never was', 'AAAAAAAAAAAAAAAA.1'],
    ['of a job', `job_${'0'.repeat(26)}.1`],
    ['with a number that is none', 'AAAAAAAAAAAAAAAA.-1'],
  ])('%s is refused at once', async (_what, id) => {
    const [first, second] = await trio.everywhere();
    expect(await ping(first, 'p')).toBe(200);
    for (const session of [first, second]) {
      const reply = await session.stream(id);
      expect([400, 404, 431]).toContain(reply.status);
    }
    expect(await ping(first, 'q')).toBe(200);
  });

  test.each(['.7', '.999999999999999', '.1.99999999999999-0.', '.1.999999999999999-999999999999999.1e+300'])(
    'of a call, claiming with %s to have heard what never was, still ends with the result',
    async (claim) => {
      const [first, second] = await trio.everywhere();
      const gate = trio.site.gate();
      const call = await first.call(1, 'gated', { gate: gate.path, progress: [10] }, 't');
      const primed = await call.eventAfter(0);
      await call.message(({ params }) => params?.progress === 10);
      call.destroy();
      const stream = String(primed?.id).split('.')[0];
      const resumed = await second.stream(`${stream}${claim}`);
      expect(resumed.status).toBe(200);
      await gate.open();
      expect(textOf((await resumed.response(1)).result)).toContain('opened');
    },
  );
});
