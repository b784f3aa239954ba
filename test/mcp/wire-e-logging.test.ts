/** Section E of the wire cases, logging, on raw messages of real processes. */
import { describe, expect, it } from 'vitest';
import { httpChannel, stdioChannel, TRANSPORTS, useFrontEnds } from '../support/channels.js';
import { until } from '../support/gate.js';
import { init, m26, textOf } from '../support/http-wire.js';
import { openStdio } from '../support/stdio-wire.js';
import { logsAmong, modernMessage, requestMessage } from '../support/wire-messages.js';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const INVALID_PARAMS = -32602;
/** A job that logs one line a level. */
const ALL = { lines: LEVELS.map((level) => ({ level, text: `said at ${level}` })) };
const said = (levels: readonly string[]) => levels.map((level) => ({ level, data: `said at ${level}` }));
const atLevel = (level: string) => ({ 'io.modelcontextprotocol/logLevel': level });
const frontEnds = useFrontEnds();

describe.each(TRANSPORTS)('on %s', (transport) => {
  const channel = () => frontEnds().channels[transport];

  it.each(['debug', 'error', 'emergency'])('51 · at level %s all that is less severe is left out', async (level) => {
    expect((await channel().request(requestMessage(`set-${level}`, 'logging/setLevel', { level }))).result).toEqual({});
    const call = await channel().call('chatty', ALL);
    await call.response();
    expect(logsAmong(call.seen())).toEqual(said(LEVELS.slice(LEVELS.indexOf(level))));
  });

  it.each([{ level: 'loud' }, { level: 3 }, { level: null }, {}])('52 · the level %j is refused', async (params) => {
    const { error } = await channel().request(
      requestMessage(`bad-${JSON.stringify(params)}`, 'logging/setLevel', params),
    );
    expect(error?.code).toBe(INVALID_PARAMS);
    expect(error?.message).toContain('debug, info, notice');
  });
});

it('51 · each session has a level of its own, and its messages come on the stream of its call', async () => {
  const { http } = frontEnds();
  const [quiet, loud] = [await init(http), await init(http)];
  await (await quiet.request('s', 'logging/setLevel', { level: 'error' })).response('s');
  await (await loud.request('s', 'logging/setLevel', { level: 'debug' })).response('s');
  const gets = [await quiet.stream(), await loud.stream()];
  const posts = await Promise.all([quiet.call(1, 'chatty', ALL), loud.call(1, 'chatty', ALL)]);
  await Promise.all(posts.map((post) => post.response(1)));
  expect(posts.map(({ events }) => logsAmong(events))).toEqual([said(LEVELS.slice(4)), said(LEVELS)]);
  expect(gets.flatMap(({ events }) => logsAmong(events))).toEqual([]);
  for (const get of gets) get.destroy();
});

it('53 · logging is declared where it works, in both eras', async () => {
  const { http } = frontEnds();
  const session = await init(http);
  expect(session.initialized.capabilities).toHaveProperty('logging');
  expect((await (await session.request('s', 'logging/setLevel', { level: 'info' })).response('s')).result).toEqual({});
  const discovered = await (await m26(http, 'd', ['server/discover'])).response('d');
  expect(discovered.result?.capabilities).toHaveProperty('logging');
});

describe('in 2026', () => {
  const call = async (meta: object) => {
    const { http } = frontEnds();
    return m26(http, 1, ['tools/call', { name: 'chatty', arguments: ALL }], { meta: { ...meta } });
  };

  it('55 · a request that asks for no level gets no log message', async () => {
    const reply = await call({});
    await reply.response(1);
    expect(logsAmong(reply.events)).toEqual([]);
  });

  it('55 · a level holds for its own request only', async () => {
    const { http } = frontEnds();
    const notifications = { toolsListChanged: true };
    const listening = await m26(http, 'l', ['subscriptions/listen', { notifications }], { meta: atLevel('debug') });
    const [told, untold] = await Promise.all([call(atLevel('info')), call({})]);
    await Promise.all([told.response(1), untold.response(1)]);
    expect(logsAmong(told.events)).toEqual(said(LEVELS.slice(1)));
    expect(logsAmong(untold.events)).toEqual([]);
    expect(logsAmong(listening.events)).toEqual([]);
    listening.destroy();
  });

  it('55 · an unknown level is refused', async () => {
    const answer = await (await call(atLevel('loud'))).response(1);
    expect(answer.error?.code).toBe(INVALID_PARAMS);
  });

  it('55 · the same holds on stdio', async () => {
    const wire = await openStdio();
    const ask = (id: string, meta: object) =>
      wire.request(modernMessage(id, 'tools/call', { name: 'chatty', arguments: ALL }, meta));
    expect((await ask('none', {})).result).toMatchObject({ content: [{ text: 'chatty done' }] });
    expect(logsAmong(wire.seen)).toEqual([]);
    await ask('info', atLevel('info'));
    expect(logsAmong(wire.seen)).toEqual(said(LEVELS.slice(1)));
    expect((await ask('loud', atLevel('loud'))).error?.code).toBe(INVALID_PARAMS);
  });
});

it('56 · a secret of the environment in an error reaches neither the client nor the log', async () => {
  const secret = 'sek-123';
  const env = { API_KEY: secret, LONGHAUL_LOG_LEVEL: 'info' };
  const wire = await openStdio({ env });
  await wire.initialize();
  const http = await httpChannel(await wire.site.http({ env, workers: 0 }));
  for (const client of [stdioChannel(wire), http]) {
    await client.request(requestMessage('s', 'logging/setLevel', { level: 'debug' }));
    const message = `GET /v1?key=${secret} was refused`;
    const call = await client.call('failing', { message, progress: 1 });
    const { result } = await call.response();
    expect(textOf(result)).toMatch(/^The tool failed unexpectedly/);
    expect(JSON.stringify(call.seen())).not.toContain(secret);
    const jobs = await client.answer('list_jobs');
    expect(JSON.stringify(jobs)).not.toContain(secret);
  }
  // What a worker logs and what its job came to go separate ways.
  const isMasked = (text: string) => /key=\[masked\] was refused/.test(text);
  await until(wire.process.stderr, isMasked, { what: 'the masked error in the log' });
  expect(wire.process.stderr()).not.toContain(secret);
});
