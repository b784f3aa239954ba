/** Section B of the wire cases, cancellation, on raw messages of real processes. */
import { describe, expect, it } from 'vitest';
import { type Channel, httpChannel, stdioChannel, TRANSPORTS, useFrontEnds } from '../support/channels.js';
import { until } from '../support/gate.js';
import { callBody, init, m26, type WireResult } from '../support/http-wire.js';
import type { Ledger } from '../support/site.js';
import { openStdio } from '../support/stdio-wire.js';
import {
  cancelMessage,
  modernMessage,
  notification,
  progressAmong,
  requestMessage,
  responsesTo,
} from '../support/wire-messages.js';

const PROGRESS = 'notifications/progress';
/** Longer than any test: such a job ends by its cancel only. */
const LONG = { steps: 400, step_ms: 50 };
/** What takes a few milliseconds on a quiet machine; a busy one needs more, but none the twenty seconds of such a job. */
const PROMPT_MS = 10_000;
const frontEnds = useFrontEnds();

/** What `get_job` tells of a job, once it is as wished. */
async function untilJob(client: Channel, id: string, state: string): Promise<WireResult> {
  const look = async () => (await client.answer('get_job', { job_id: id })).result?.structuredContent ?? {};
  return until(look, (job) => job.state === state, { what: `job ${id} to be ${state}` });
}

/** The id of the job that a scripted tool noted when it started. */
async function startedIn(ledger: Ledger): Promise<string> {
  return (await ledger.line('start')).split(' ')[1] ?? '';
}

describe.each(TRANSPORTS)('on %s', (transport) => {
  const channel = () => frontEnds().channels[transport];

  it.each([
    ['14 · a cancel stops the work, the stream and all talk of it', 21],
    ['15 · a request of id 0 can be cancelled', 0],
    ['15 · a request of a string id can be cancelled', 'c-1'],
  ])('%s', async (_, id) => {
    const ledger = frontEnds().site.ledger();
    const call = await channel().call('slow', { ...LONG, ledger: ledger.path }, { id, token: `t-${id}` });
    await ledger.line('start');
    await call.notification(PROGRESS);
    await channel().notify(cancelMessage(id, 'x'));
    expect(await ledger.line('abort', PROMPT_MS)).toContain('cancelled');
    // What was told before the cancel was read is here then: on the connection of the answer, or on the stream that has ended.
    await channel().request(requestMessage(`after ${id}`, 'ping'));
    await call.ended();
    const told = progressAmong(call.seen(), `t-${id}`).length;
    const job = await untilJob(channel(), await startedIn(ledger), 'cancelled');
    expect(job).toMatchObject({ cancel_reason: 'x', attempt: 1 });
    expect(progressAmong(call.seen(), `t-${id}`)).toHaveLength(told);
    expect(responsesTo(call.seen(), id)).toEqual([]);
  });

  it('17 · cancels of what is unknown, ended or malformed are ignored', async () => {
    const done = await channel().call('echo', { text: 'x' }, { id: 'done' });
    await done.response();
    const cancels = [
      cancelMessage(9999),
      cancelMessage('done', 'late'),
      cancelMessage(null),
      cancelMessage({ id: 1 }),
      notification('notifications/cancelled', {}),
    ];
    for (const cancel of cancels) await channel().notify(cancel);
    expect((await channel().answer('echo', { text: 'well' })).result).toMatchObject({ content: [{ text: 'well' }] });
    const others = done.seen().filter(({ message }) => message && !String(message.id).match(/^(done|call-\d+)$/));
    expect(others).toEqual([]);
    expect(responsesTo(done.seen(), 'done')).toHaveLength(1);
  });

  it('20 · a cancelled job stays cancelled when its worker completes it after all', async () => {
    const { site } = frontEnds();
    const [gate, ledger] = [site.gate(), site.ledger()];
    await channel().call('stubborn', { gate: gate.path, ledger: ledger.path }, { id: 'c20' });
    const id = await startedIn(ledger);
    await channel().notify(cancelMessage('c20'));
    await untilJob(channel(), id, 'cancelled');
    await gate.open();
    await ledger.line('end');
    await channel().answer('echo', { text: 'fence' });
    const job = await untilJob(channel(), id, 'cancelled');
    expect(job).toMatchObject({ attempt: 1, faults: [], cancel_reason: 'cancelled by the client' });
    expect(job).not.toHaveProperty('result');
    expect(await ledger.lines()).toHaveLength(2);
  });

  it('21 · cancelling 32 calls at once leaves the server usable', async () => {
    const ids = Array.from({ length: 32 }, (_, call) => `mass-${call}`);
    const calls = await Promise.all(ids.map((id) => channel().call('slow', LONG, { id })));
    await Promise.all(ids.map((id) => channel().notify(cancelMessage(id))));
    const { result } = await channel().request(requestMessage('list', 'tools/list'), PROMPT_MS);
    expect(result?.tools).not.toHaveLength(0);
    await Promise.all(calls.map((call) => call.ended()));
    const left = async () =>
      (await channel().answer('list_jobs', { states: ['waiting', 'active'] })).result?.structuredContent;
    await until(left, (page) => page?.total_count === 0, { what: 'no job to be left' });
    expect(calls.flatMap((call, index) => responsesTo(call.seen(), ids[index]))).toEqual([]);
  });
});

it('14 · a cancel in the same breath as its call leaves no job running', async () => {
  const { wire, site } = frontEnds();
  const ledger = site.ledger();
  const call = callBody('breath', 'slow', { ...LONG, ledger: ledger.path, name: 'breath' });
  wire.sendRaw([call, cancelMessage('breath', 'at once')].map((message) => `${JSON.stringify(message)}\n`).join(''));
  const newest = async () => {
    const { result } = await wire.call('list_jobs', { tool: 'slow', limit: 1 });
    const [{ job_id = '' } = {}] = (result?.structuredContent?.jobs ?? []) as { job_id?: string }[];
    return (await wire.call('get_job', { job_id })).result?.structuredContent;
  };
  await until(newest, (job) => job?.cancel_reason === 'at once', { what: 'the job to be cancelled' });
  expect((await ledger.lines()).filter((line) => line.startsWith('end'))).toEqual([]);
});

it('19 · a job that is cancelled in the queue never runs', async () => {
  const wire = await openStdio({ workers: 0 });
  await wire.initialize();
  const clients = [stdioChannel(wire), await httpChannel(await wire.site.http({ workers: 0 }))];
  const ledger = wire.site.ledger();
  const ids: string[] = [];
  for (const client of clients) {
    const call = await client.call('slow', { ledger: ledger.path }, { id: 'c19', token: 't19' });
    await call.notification(PROGRESS);
    const { result } = await client.answer('list_jobs', { states: ['waiting'] });
    const [{ job_id = '' } = {}] = (result?.structuredContent?.jobs ?? []) as { job_id?: string }[];
    await client.notify(cancelMessage('c19', 'not wanted'));
    await untilJob(client, job_id, 'cancelled');
    ids.push(job_id);
  }
  await wire.site.worker();
  // Taken from the same queue after the cancelled ones would have been.
  await clients[0]?.answer('echo', { text: 'fence' });
  expect(await ledger.lines()).toEqual([]);
  for (const id of ids) expect(await untilJob(stdioChannel(wire), id, 'cancelled')).toMatchObject({ attempt: 0 });
});

it('24 · a lost connection of 2025 is no cancel: the result can be had in two ways', async () => {
  const { http, site, channels } = frontEnds();
  const session = await init(http);
  const [gate, ledger] = [site.gate(), site.ledger()];
  const reply = await session.call(24, 'gated', { gate: gate.path, ledger: ledger.path, progress: [1] }, 't24');
  await reply.message(({ method }) => method === PROGRESS);
  const lastSeen = reply.events.at(-1)?.id ?? '';
  reply.destroy();
  await reply.ended;
  await gate.open();
  const job = await untilJob(channels.HTTP, await startedIn(ledger), 'completed');
  expect(job.result).toMatchObject({ text: expect.stringMatching(/opened$/) });
  const resumed = await session.stream(lastSeen);
  expect(await resumed.response(24)).toMatchObject({ result: { structuredContent: job.result } });
  expect((await ledger.lines()).map((line) => line.split(' ')[0])).toEqual(['start', 'end']);
});

it('25 · closing the response stream of 2026 is a cancel', async () => {
  const { http, site, channels } = frontEnds();
  const ledger = site.ledger();
  const reply = await m26(http, 25, ['tools/call', { name: 'slow', arguments: { ...LONG, ledger: ledger.path } }]);
  const id = await startedIn(ledger);
  reply.destroy();
  expect(await ledger.line('abort', PROMPT_MS)).toContain('cancelled');
  expect(await untilJob(channels.HTTP, id, 'cancelled')).toMatchObject({
    cancel_reason: 'the client closed the response stream',
  });
});

it.each([
  ['bare', (cancel: ReturnType<typeof cancelMessage>) => cancel],
  [
    'with its envelope',
    ({ method, params }: ReturnType<typeof cancelMessage>) => {
      const { id: _, ...cancel } = modernMessage(undefined, method, params);
      return cancel;
    },
  ],
])('25 · in 2026 a call on stdio is cancelled by a notification, %s', async (_, dress) => {
  const wire = await openStdio();
  const ledger = wire.site.ledger();
  wire.send(modernMessage(0, 'tools/call', { name: 'slow', arguments: { ...LONG, ledger: ledger.path } }));
  await ledger.line('start');
  wire.send(dress(cancelMessage(0, 'enough')));
  expect(await ledger.line('abort', PROMPT_MS)).toContain('cancelled');
  const { result } = await wire.request(modernMessage('l', 'tools/call', { name: 'list_jobs', arguments: {} }));
  expect(result?.structuredContent).toMatchObject({ jobs: [{ state: 'cancelled' }] });
  expect(responsesTo(wire.seen, 0)).toEqual([]);
});
