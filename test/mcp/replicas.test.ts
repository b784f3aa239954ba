/** Front ends are replaceable: a 2025-era session goes on wherever its client comes, also after the death of the one it began at. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FrontEnds, openFrontEnds, REPLICA_ENV } from '../support/front-ends.js';
import { until } from '../support/gate.js';
import {
  init,
  initializeBody,
  post,
  type Reply,
  sessionAt,
  textOf,
  type WireMessage,
  type WireSession,
} from '../support/http-wire.js';
import type { Site } from '../support/site.js';

let trio: FrontEnds;
let site: Site;
beforeAll(async () => {
  trio = await openFrontEnds();
  site = trio.site;
});
afterAll(() => trio.close());

const isProgress = ({ method }: WireMessage) => method === 'notifications/progress';
const valuesOn = (reply: Reply) =>
  reply
    .messages()
    .filter(isProgress)
    .map(({ params }) => Number(params?.progress));
const logsOn = (reply: Reply) =>
  reply.messages().flatMap(({ method, params }) => (method === 'notifications/message' ? [params?.data] : []));
const idAt = (reply: Reply, fits: (message: WireMessage) => boolean) =>
  reply.events.find(({ message }) => message && fits(message))?.id;

const everywhere: FrontEnds['everywhere'] = (capabilities, at) => trio.everywhere(capabilities, at);
const victim = () => trio.victim();

/** A call that stands at its gate, having told 10 and 20. */
async function gated(session: WireSession, id: unknown = 1) {
  const [gate, ledger] = [site.gate(), site.ledger()];
  const args = { gate: gate.path, ledger: ledger.path, progress: [10], after: [60, 70] };
  const call = await session.call(id, 'gated', args, 't');
  await call.message(({ params }) => params?.data === 'at the gate');
  await call.message(isProgress);
  const job = (await ledger.line('start')).split(' ')[1] ?? '';
  return { call, gate, ledger, job };
}

describe('a request', () => {
  test('is served by any front end as by the one the session began at', async () => {
    const [first, second, third] = await everywhere();
    for (const [at, session] of [first, second, third].entries()) {
      expect(textOf(await session.result(at, 'echo', { text: `at ${at}` }))).toBe(`at ${at}`);
    }
  });

  test('28: under an id in flight elsewhere is refused; the id is free again after the answer', async () => {
    const [first, second, third] = await everywhere();
    const { call, gate } = await gated(first, 'twice');
    const refused = await second.call('twice', 'echo', { text: 'not served' });
    expect(refused.status).toBe(400);
    expect((await refused.json()).error?.code).toBe(-32600);
    await gate.open();
    expect(textOf((await call.response('twice')).result)).toContain('opened');
    expect(textOf(await third.result('twice', 'echo', { text: 'again' }))).toBe('again');
  });

  test('logging/setLevel holds at every front end', async () => {
    const [first, second, third] = await everywhere();
    const lines = (level: string) => ({
      lines: [
        { level, text: `${level} line` },
        { level: 'error', text: 'last' },
      ],
    });
    await (await second.request('level', 'logging/setLevel', { level: 'error' })).response('level');
    const quiet = await first.call(1, 'chatty', lines('info'));
    await quiet.response(1);
    expect(logsOn(quiet)).toEqual(['last']);
    await (await third.request('level', 'logging/setLevel', { level: 'debug' })).response('level');
    const loud = await second.call(3, 'chatty', lines('debug'));
    await loud.response(3);
    expect(logsOn(loud)).toEqual(['debug line', 'last']);
  });

  test('57: to a session that was ended elsewhere gets 404, as does its stream', async () => {
    const [first, second, third] = await everywhere();
    await first.request(1, 'ping');
    await third.request(2, 'ping');
    const standalone = await first.stream();
    const { call, job, gate } = await gated(first, 'held');
    expect((await second.delete()).status).toBe(200);
    expect(await Promise.all([standalone.ended, call.ended])).toEqual(['end', 'end']);
    for (const session of [first, second, third]) {
      expect((await session.request(3, 'ping')).status).toBe(404);
      expect((await session.stream()).status).toBe(404);
      expect((await session.stream(call.events[0]?.id)).status).toBe(404);
      expect((await session.delete()).status).toBe(404);
    }
    const [other] = await everywhere();
    const running = await other.result(1, 'get_job', { job_id: job });
    expect(running.structuredContent).toMatchObject({ state: 'active' });
    await gate.open();
    const ended = await other.result(2, 'get_job', { job_id: job, wait_seconds: 10 });
    expect(ended.structuredContent).toMatchObject({ state: 'completed' });
  });
});

describe('a call', () => {
  test('goes on at another front end after its own was killed: the rest in order, once, then live', async () => {
    const doomed = await victim();
    const [first, second] = await everywhere({}, doomed);
    const { call, gate } = await gated(first);
    const seen = idAt(call, ({ params }) => params?.data === 'at the gate');
    await doomed.stop('SIGKILL');
    expect(await call.ended).toBe('cut');
    const primed = call.events[0]?.id;
    const again = await second.stream(primed);
    await again.message(({ params }) => params?.data === 'at the gate');
    again.destroy();
    const resumed = await second.stream(seen);
    await gate.open();
    expect(textOf((await resumed.response(1)).result)).toContain('opened');
    expect(await resumed.ended).toBe('end');
    const before = call.events.findIndex(({ id }) => id === seen);
    const told = call.events.slice(0, before + 1).flatMap(({ message }) => message ?? []);
    const all = [...told, ...resumed.messages()];
    expect(all.filter(({ params }) => params?.data === 'at the gate')).toHaveLength(1);
    const values = all.filter(isProgress).map(({ params }) => Number(params?.progress));
    expect(values).toEqual([...new Set(values)].sort((x, y) => x - y));
    // What comes before, on a busy machine, tells of the queue.
    expect(values.find((value) => value >= 1)).toBe(10);
    expect(values.at(-1)).toBe(70);
    expect(all.filter(({ id }) => id === 1)).toHaveLength(1);
    const ids = [...call.events.slice(0, before + 1), ...resumed.events].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const replayed = await second.stream(primed);
    await replayed.response(1);
    expect(replayed.messages()).toEqual(all);
  });

  test('is taken over from a front end that lives, which writes no more to its stream', async () => {
    const [first, second, third] = await everywhere();
    const { call, gate, ledger } = await gated(first);
    const seen = call.events.at(-1)?.id;
    call.destroy();
    const resumed = await second.stream(seen);
    await until(
      async () => (await third.call(1, 'echo', { text: 'x' })).status,
      (status) => status === 400,
      { what: 'the call to be open elsewhere' },
    );
    await gate.open();
    expect(textOf((await resumed.response(1)).result)).toContain('opened');
    expect(valuesOn(resumed).at(-1)).toBe(70);
    const replayed = await first.stream(seen);
    await replayed.response(1);
    expect(replayed.messages()).toEqual(resumed.messages());
    expect((await ledger.lines()).map((line) => line.split(' ')[0])).toEqual(['start', 'end']);
  });

  test('can move there and back, to whoever its client asked last', async () => {
    const [first, second] = await everywhere();
    const { call, gate } = await gated(first);
    const seen = call.events.at(-1)?.id;
    call.destroy();
    const there = await second.stream(seen);
    there.destroy();
    const back = await first.stream(seen);
    await gate.open();
    expect(textOf((await back.response(1)).result)).toContain('opened');
    expect(await back.ended).toBe('end');
    expect(valuesOn(back).at(-1)).toBe(70);
  });

  test('72: of another session is not resumed at any front end', async () => {
    const [owner] = await everywhere();
    const { call, gate } = await gated(owner);
    const [, other, third] = await everywhere();
    for (const session of [other, third]) {
      const stolen = await session.stream(call.events[0]?.id);
      expect(stolen.status).toBe(400);
      expect(await stolen.text()).not.toContain('gate');
    }
    await gate.open();
    expect(textOf((await call.response(1)).result)).toContain('opened');
  });

  test('81: and its resumption stay apart from those of another client under the same id and token', async () => {
    const clients = await Promise.all([everywhere(), everywhere()]);
    const calls = await Promise.all(clients.map(([first]) => gated(first)));
    const resumed = await Promise.all(
      calls.map(({ call }, at) => {
        const seen = call.events[0]?.id;
        call.destroy();
        return clients[at]?.[at + 1 === 1 ? 1 : 2].stream(seen);
      }),
    );
    for (const { gate } of calls) await gate.open();
    for (const [at, stream] of resumed.entries()) {
      const { result } = (await stream?.response(1)) ?? {};
      expect(textOf(result)).toContain(calls[at]?.gate.path.split('/').at(-1));
      expect(stream?.messages().filter(({ id }) => id === 1)).toHaveLength(1);
    }
  });

  test.each([[0], ['c-1']])('14: %s is cancelled by a notification to another front end', async (id) => {
    const [first, second, third] = await everywhere();
    const { call, ledger, job } = await gated(first, id);
    const reply = await second.notify('notifications/cancelled', { requestId: id, reason: 'never mind' });
    expect(reply.status).toBe(202);
    expect(await ledger.line('abort')).toContain('cancelled');
    expect(await call.ended).toBe('end');
    expect(call.messages().filter((message) => message.id === id)).toEqual([]);
    const { structuredContent } = await third.result('look', 'get_job', { job_id: job });
    expect(structuredContent).toMatchObject({ state: 'cancelled' });
    expect(JSON.stringify(structuredContent)).toContain('never mind');
    expect((await third.stream(call.events[0]?.id)).messages().filter((message) => message.id === id)).toEqual([]);
  });

  test('14: is cancelled although its front end is dead', async () => {
    const doomed = await victim();
    const [first, second] = await everywhere({}, doomed);
    const { ledger, job } = await gated(first);
    await doomed.stop('SIGKILL');
    expect((await second.notify('notifications/cancelled', { requestId: 1, reason: 'enough' })).status).toBe(202);
    expect(await ledger.line('abort')).toContain('cancelled');
    const { structuredContent } = await second.result(2, 'get_job', { job_id: job });
    expect(structuredContent).toMatchObject({ state: 'cancelled' });
  });

  test('of a tool that answers at once is made again where that is harmless', async () => {
    const doomed = await victim();
    const [first, second] = await everywhere({}, doomed);
    const { gate, job } = await gated(first);
    const waiting = await first.call(2, 'get_job', { job_id: job, wait_seconds: 20 });
    const primed = await until(
      () => waiting.events[0]?.id,
      (id) => id !== undefined,
      { what: 'the first event' },
    );
    await doomed.stop('SIGKILL');
    const resumed = await second.stream(primed);
    await gate.open();
    expect((await resumed.response(2)).result?.structuredContent).toMatchObject({ job_id: job, state: 'completed' });
  });
});

describe('an end', () => {
  test('cancels the jobs that calls wait for, where the operator wants that', async () => {
    const server = await site.http({
      workers: 0,
      env: { ...REPLICA_ENV, LONGHAUL_SESSION_JOBS: 'cancel' },
      alone: true,
    });
    const session = await init(server);
    const { ledger } = await gated(session);
    expect((await session.delete()).status).toBe(200);
    expect(await ledger.line('abort')).toContain('cancelled');
  });

  test('by lying idle is known to whoever is asked next', async () => {
    const env = { ...REPLICA_ENV, LONGHAUL_SESSION_IDLE_SECONDS: '1' };
    const server = await site.http({ workers: 0, env, alone: true });
    // In one request: between two of them this test may be held up for longer than the session may lie idle.
    const opened = await post(server, initializeBody({}, '2025-11-25'));
    await opened.response('i');
    await server.logged('session ended', 30_000);
    const headers = { 'Mcp-Session-Id': String(opened.headers['mcp-session-id']) };
    expect((await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).toBe(404);
  });
});

test('a Redis that hangs: a session goes on where it is served, elsewhere its client is told to wait', async () => {
  const [first, second] = await everywhere();
  const pid = Number(await readFile(join(site.dataDir, 'redis.pid'), 'utf8'));
  process.kill(pid, 'SIGSTOP');
  try {
    const [here, elsewhere] = await Promise.all([first.request(1, 'ping'), second.request(2, 'ping')]);
    expect((await here.response(1)).result).toEqual({});
    expect(elsewhere.status).toBe(503);
    expect(elsewhere.headers['retry-after']).toBe('1');
    expect((await elsewhere.json()).error?.message).toContain('Redis');
    // Under a second each on a quiet machine, and before Redis goes on, which it does not before that.
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const after = await until(
    async () => (await second.request('again', 'ping')).status,
    (status) => status === 200,
    { what: 'the session to be served again' },
  );
  expect(after).toBe(200);
});

test('a Redis that hangs: a client that comes back for the stream of its call is told to wait, at whichever front end', async () => {
  const [first, second] = await everywhere();
  const { call, gate } = await gated(first);
  const seen = call.events[0]?.id;
  const resumed = await second.stream(seen);
  await resumed.message(isProgress);
  const pid = Number(await readFile(join(site.dataDir, 'redis.pid'), 'utf8'));
  process.kill(pid, 'SIGSTOP');
  try {
    const refused = await Promise.all([first.stream(seen), second.stream(seen)]);
    expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [503, '1'],
      [503, '1'],
    ]);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await gate.open();
  const again = await until(
    () => second.stream(seen),
    ({ status }) => status === 200,
    { what: 'the stream to be served again' },
  );
  expect(textOf((await again.response(1)).result)).toContain('opened');
});

test('a session that is opened while Redis hangs is nowhere unknown: elsewhere its client is told to wait, and then served', async () => {
  const [a, b, c] = trio.servers;
  const pid = Number(await readFile(join(site.dataDir, 'redis.pid'), 'utf8'));
  process.kill(pid, 'SIGSTOP');
  const session = await init(a).finally(() => process.kill(pid, 'SIGCONT'));
  const elsewhere = [b, c].map((server) => sessionAt(server, session));
  // Nothing goes to the front end that has it: that it is stored is not to depend on its client.
  const statuses: number[] = [];
  for (const [n, there] of elsewhere.entries()) {
    const ping = async () => {
      const { status } = await there.request(`p${n} ${statuses.length}`, 'ping');
      statuses.push(status);
      return status;
    };
    await until(ping, (status) => status === 200, { what: 'the session to be served elsewhere' });
  }
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect((await elsewhere[0]?.delete())?.status).toBe(200);
  // One that was ended will not come any more, which is known a moment after.
  expect([404, 503]).toContain((await elsewhere[1]?.request('gone', 'ping'))?.status);
});
