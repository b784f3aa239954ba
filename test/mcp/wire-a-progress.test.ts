/** Section A of the wire cases, progress, on raw messages of real processes. */
import { describe, expect, it } from 'vitest';
import { httpChannel, type OpenCall, TRANSPORTS, useFrontEnds } from '../support/channels.js';
import { until, within } from '../support/gate.js';
import { ACCEPT, callBody, init, jobIdOf, m26, post, textOf } from '../support/http-wire.js';
import { PATIENCE } from '../support/patience-lane.js';
import { workerOf } from '../support/processes.js';
import { openStdio } from '../support/stdio-wire.js';
import {
  cancelMessage,
  progressAmong,
  requestMessage,
  responsesTo,
  risesStrictly,
  type SeenProgress,
} from '../support/wire-messages.js';

const PROGRESS = 'notifications/progress';
const frontEnds = useFrontEnds();

/** The values a call's client has seen under a token. */
const valuesOf = (call: OpenCall, ...token: [] | [unknown]) =>
  progressAmong(call.seen(), ...token).map(({ progress }) => progress);

/** The same without the signs of life of a call that hears nothing: the tools report whole numbers from 1 on. */
const reportedTo = (call: OpenCall, ...token: [] | [unknown]) =>
  valuesOf(call, ...token).filter((value) => Number.isInteger(value) && value >= 1);

describe.each(TRANSPORTS)('on %s', (transport) => {
  const channel = () => frontEnds().channels[transport];

  /** A call that floods its client until that has heard so much, however long the front end takes; answered, and with its last value. */
  async function floodedWith(updates: number, token: string) {
    const gate = frontEnds().site.gate();
    const args = { count: 5_000, spread_ms: 1_000, gate: gate.path };
    const answer = await channel().call('burst', args, { token });
    await until(
      () => valuesOf(answer, token),
      ({ length }) => length >= updates,
      { what: `${updates} updates` },
    );
    await gate.open();
    const { result } = await answer.response();
    return { answer, lastValue: Number(/^burst done at (\d+)$/.exec(textOf(result))?.[1]) };
  }

  it('1 · token 0 is a token', async () => {
    const call = await channel().call('slow', { steps: 5, step_ms: 150 }, { id: 0, token: 0 });
    expect(await call.response()).toMatchObject({ id: 0, result: { content: [{ text: 'slow  done' }] } });
    expect(progressAmong(call.seen(), 0).length).toBeGreaterThanOrEqual(2);
    expect(progressAmong(call.seen())).toEqual(progressAmong(call.seen(), 0));
  });

  it('2 · a token comes back verbatim, with its type', async () => {
    const tokens = ['abc', 7, '7'];
    const calls = await Promise.all(
      tokens.map((token) => channel().call('slow', { steps: 3, step_ms: 150 }, { token })),
    );
    await Promise.all(calls.map((call) => call.response()));
    for (const [index, call] of calls.entries()) {
      expect(progressAmong(call.seen(), tokens[index]).length).toBeGreaterThanOrEqual(2);
      for (const { token } of progressAmong(call.seen())) expect(tokens).toContain(token);
    }
  });

  it('3 · a call without a token gets no progress', async () => {
    const call = await channel().call('slow', { steps: 4, step_ms: 100 });
    await call.response();
    await channel().answer('echo', { text: 'fence' });
    expect(progressAmong(call.seen())).toEqual([]);
  });

  it('4 · progress that repeats or falls is left out', async () => {
    const call = await channel().call('jitter', { values: [10, 10, 5, 20] }, { token: 't4' });
    await call.response();
    expect(reportedTo(call)).toEqual([10, 20]);
  });

  it('4 · progress keeps rising when the worker is killed and the job runs again', async () => {
    const { site } = frontEnds();
    const [gate, ledger] = [site.gate(), site.ledger()];
    const args = { gate: gate.path, ledger: ledger.path, progress: [10, 50], after: [20, 75] };
    const call = await channel().call('gated', args, { token: 't4b' });
    // The first word of a call may be that its job is queued.
    await until(
      () => reportedTo(call),
      ({ length }) => length > 0,
      { what: 'progress of the job' },
    );
    process.kill(await workerOf(site.dataDir), 'SIGKILL');
    await until(ledger.lines, (lines) => lines.length === 2, { what: 'the second start' });
    await gate.open();
    const { result } = await call.response();
    const { structuredContent: job } = await channel()
      .answer('get_job', { job_id: jobIdOf(result) })
      .then((answer) => answer.result ?? {});
    expect(job).toMatchObject({ state: 'completed', attempt: 1, worker_crashes: 1 });
    expect(risesStrictly(valuesOf(call)), `${valuesOf(call)}`).toBe(true);
    expect(reportedTo(call).at(-1)).toBe(75);
  });

  it('5 · nothing with the token comes after the response', async () => {
    const runs = Array.from({ length: transport === 'stdio' ? 200 : 100 }, (_, run) => `run-${run}`);
    const calls: OpenCall[] = [];
    for (const token of runs) {
      const call = await channel().call('burst', { count: 50 }, { token, id: token });
      await call.response();
      calls.push(call);
    }
    await channel().answer('echo', { text: 'fence' });
    const late = calls.flatMap((call, run) => {
      const seen = call.seen();
      const answeredAt = seen.findIndex(({ message }) => message?.id === runs[run]);
      return progressAmong(seen.slice(answeredAt), runs[run]);
    });
    expect(late).toEqual([]);
    expect(calls.filter((call, run) => valuesOf(call, runs[run]).at(-1) !== 50)).toEqual([]);
  });

  it('9 · a flood is thinned to at most 20 a second, and its last value is kept', async () => {
    const beganMs = Date.now();
    const { answer, lastValue } = await floodedWith(10, 't9');
    // From before the first to after the last: those that are held up on their way come at once, and were sent apart all the same.
    const seconds = (Date.now() - beganMs) / 1_000;
    const updates = progressAmong(answer.seen(), 't9');
    expect(updates.at(-1)?.progress).toBe(lastValue);
    expect(updates.length).toBeLessThanOrEqual(20 * seconds);
  });

  it('10 · progress does not hold up the answer', async () => {
    const { answer, lastValue } = await floodedWith(5, 't10');
    expect(valuesOf(answer).at(-1)).toBe(lastValue);
  });

  it('11 · a failing job stops its progress with its answer', async () => {
    const call = await channel().call('failing', { message: 'broke', progress: 50 }, { token: 't11' });
    const answer = await call.response();
    expect(answer.result?.isError).toBe(true);
    const before = valuesOf(call, 't11');
    await channel().answer('echo', { text: 'fence' });
    expect(valuesOf(call, 't11')).toEqual(before);
    expect(reportedTo(call, 't11')).toEqual([50]);
  });

  it('11 · a cancelled job stops its progress with the cancel', async () => {
    const ledger = frontEnds().site.ledger();
    const args = { steps: 100, step_ms: 50, ledger: ledger.path };
    const call = await channel().call('slow', args, { id: `c11-${transport}`, token: 't11b' });
    await ledger.line('start');
    await call.notification(PROGRESS);
    await channel().notify(cancelMessage(`c11-${transport}`));
    // What was told before the cancel was read is here then: on the connection of the answer, or on the stream that has ended.
    await channel().request(requestMessage('p11', 'ping'));
    await call.ended();
    const before = valuesOf(call, 't11b');
    await ledger.line('abort');
    await channel().answer('echo', { text: 'fence' });
    expect(valuesOf(call, 't11b')).toEqual(before);
    expect(responsesTo(call.seen(), `c11-${transport}`)).toEqual([]);
  });
});

it('7 · progress is delivered while the job runs, never gathered or compressed', async () => {
  const { http, site } = frontEnds();
  const { headers } = await init(http);
  const [gate, ledger] = [site.gate(), site.ledger()];
  const body = callBody(7, 'gated', { gate: gate.path, ledger: ledger.path, progress: [1] }, 't7');
  const answered = post(http, body, { ...headers, Accept: ACCEPT, 'Accept-Encoding': 'gzip, deflate, br' });
  await ledger.line('start');
  const reply = await answered;
  // While the job stands at its gate.
  await reply.message(({ method }) => method === PROGRESS);
  expect(reply.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  expect(reply.headers).not.toHaveProperty('content-encoding');
  await gate.open();
  await reply.response(7);
});

it('7 · a stream of 2026 begins before there is anything to tell', async () => {
  const { http, site } = frontEnds();
  const [gate, ledger] = [site.gate(), site.ledger()];
  const args = { gate: gate.path, ledger: ledger.path };
  const answered = m26(http, 7, ['tools/call', { name: 'gated', arguments: args }]);
  await ledger.line('start');
  const reply = await within(answered, { what: 'the head of the stream, while the job stands at its gate' });
  expect(reply.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  expect(reply.events).toEqual([]);
  await gate.open();
  await reply.response(7);
});

it('8 · a job that no worker takes is told of again and again, before a client that waits for that loses patience', {
  timeout: PATIENCE.survivesMs + 60_000,
}, async () => {
  const wire = await openStdio({ workers: 0, env: PATIENCE.settings });
  await wire.initialize();
  const http = await httpChannel(await wire.site.http({ workers: 0, env: PATIENCE.settings }));
  const sentMs = Date.now();
  wire.send(callBody('c8', 'echo', { text: 'x' }, 't8'));
  const call = await http.call('echo', { text: 'x' }, { token: 't8' });
  const survived = (told: readonly SeenProgress[]) => (told.at(-1)?.atMs ?? 0) - sentMs >= PATIENCE.survivesMs;
  for (const seen of [() => wire.seen, call.seen]) {
    const limitMs = PATIENCE.survivesMs + 20_000;
    const told = await until(() => progressAmong(seen(), 't8'), survived, {
      what: 'progress for long enough',
      limitMs,
    });
    const gapsMs = told.map(({ atMs }, n) => atMs - (told[n - 1]?.atMs ?? sentMs));
    expect(Math.max(...gapsMs)).toBeLessThan(PATIENCE.giveUpMs);
    expect(told[0]?.message).toMatch(/^queued, position [12]$/);
    const values = told.map(({ progress }) => progress);
    expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  }
  expect(call.seen().filter(({ message }) => message && 'result' in message)).toEqual([]);
});

it('12 · one token used by several clients at once stays apart', async () => {
  const { channels, http, site } = frontEnds();
  const clients = [channels.stdio, channels.HTTP, await httpChannel(http)];
  const gates = clients.map(() => site.gate());
  // The worker has two slots, so the third job waits until the first is let go.
  const calls = await Promise.all(
    clients.map((client, index) =>
      client.call('gated', { gate: gates[index]?.path, progress: [index + 11] }, { token: 1 }),
    ),
  );
  for (const gate of gates) await gate.open();
  await Promise.all(calls.map((call) => call.response()));
  for (const [index, call] of calls.entries()) {
    expect(reportedTo(call)).toEqual([index + 11]);
  }
});
