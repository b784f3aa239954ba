/** Section G of the wire cases, stdio, on raw bytes of real processes; how they end is in `stdio-end.test.ts`. */
import { createServer, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { initializeBody, jobIdOf, textOf } from '../support/http-wire.js';
import { openStdio, type StdioWire, useStdio } from '../support/stdio-wire.js';
import { modernMessage, notification, requestMessage } from '../support/wire-messages.js';

const CLOSED_PORT = 'redis://127.0.0.1:1';
const shared = useStdio();

/** A Redis that takes connections and never says a word. */
async function silentRedis(): Promise<string> {
  const server: Server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `redis://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

/** Arguments for each tool of the product; a tool without any is called with none. */
const ARGUMENTS: Readonly<Record<string, (root: string, job: string) => object>> = {
  analyze_codebase: (path) => ({ path, metrics: ['complexity', 'duplication', 'dependencies', 'hotspots'] }),
  analyze_repo: (repoPath) => ({ repoPath }),
  cancel_job: (_, job_id) => ({ job_id }),
  generate_tests: () => ({ code: 'export const one = 1;', language: 'typescript' }),
  get_job: (_, job_id) => ({ job_id }),
  list_jobs: () => ({}),
  refactor_directory: (path) => ({ path, instruction: 'rename one to two' }),
  review_code: () => ({ code: 'const x = 1;', language: 'javascript' }),
  smart_review: () => ({ code: 'const x = 1;', language: 'javascript' }),
  submit_review: (_, job_id) => ({ job_id, answers: [] }),
  where_can_i_work: () => ({}),
};

/** The tools in the list that are the product's own. */
async function productTools(wire: StdioWire): Promise<string[]> {
  const { result } = await wire.request(requestMessage('tools', 'tools/list'));
  const names = ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
  const own = names.filter((name) => name in ARGUMENTS);
  // A tool that is added is to be run here as well.
  expect(own).toEqual(Object.keys(ARGUMENTS));
  return own;
}

it('86 · stdout holds nothing but messages, whatever tools and dependencies print', async () => {
  const wire = await openStdio({ env: { DEBUG: '*', NODE_DEBUG: 'net,child_process', LONGHAUL_LOG_LEVEL: 'trace' } });
  await wire.initialize();
  const { result } = await wire.call('printing', { text: 'printed by a tool' });
  const id = jobIdOf(result);
  const calls: [string, object][] = [
    ['echo', { text: 'x' }],
    ['burst', {}],
    ['slow', { steps: 2 }],
    ['jitter', { values: [2, 1] }],
    ['failing', { message: 'broke' }],
    ['chatty', { lines: [{ level: 'error', text: 'a\nb' }] }],
    ['big', { bytes: 200_000 }],
    ['analyze_codebase', { path: wire.site.root }],
    ['analyze_codebase', { path: '/outside' }],
    ['get_job', { job_id: id }],
    ['list_jobs', {}],
    ['cancel_job', { job_id: id }],
    ['no_such_tool', {}],
  ];
  await Promise.all(calls.map(([tool, args]) => wire.call(tool, args)));
  await Promise.all(
    (await productTools(wire)).map((tool) => wire.call(tool, ARGUMENTS[tool]?.(wire.site.root, id) ?? {})),
  );
  expect(await wire.closeInput(20_000)).toBe('exit 0');
  expect(wire.foreign).toEqual([]);
  expect(wire.process.stderr()).toContain('printed by a tool');
});

it.each([
  ['a setting is wrong', { env: { LONGHAUL_CONCURRENCY: 'many' } }, /LONGHAUL_CONCURRENCY/],
  ['a setting is unknown', { env: { LONGHAUL_ROOT: '/' } }, /LONGHAUL_ROOT: unknown setting/],
  ['a tool file is missing', { args: ['--tools', 'no-such-file.mjs'] }, /no-such-file/],
  ['an option is unknown', { args: ['--no-such-option'] }, /no-such-option/],
])('86 · stdout stays empty when %s', async (_, options, complaint) => {
  const wire = await openStdio(options);
  const how = await wire.process.ended;
  expect(how).toMatch(/^exit [1-9]/);
  expect([wire.seen, wire.foreign]).toEqual([[], []]);
  expect(wire.process.stderr()).toMatch(complaint);
  expect(wire.process.stderr()).not.toMatch(/^\s+at /m);
});

it.each([
  ['a line of text', 'hello\n'],
  ['a blank line', '\n'],
  ['a blank line of Windows', '\r\n'],
  ['JSON that is no message', '7\n{"foo":1}\nnull\n'],
  ['broken JSON', '{"jsonrpc":"2.0","id":1,\n'],
  ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a])],
  ['a zero byte', '\0\n'],
  ['a line of 20 MB', Buffer.concat([Buffer.alloc(20 * 1024 * 1024, 'x'), Buffer.from('\n')])],
])('92 · %s is passed over', async (_, bytes) => {
  const wire = shared();
  const from = wire.seen.length;
  wire.sendRaw(bytes);
  expect((await wire.call('echo', { text: 'well' })).result).toMatchObject({ content: [{ text: 'well' }] });
  expect(wire.seen.slice(from)).toHaveLength(1);
});

it('92 · a message is read however it is cut, ended and encoded', async () => {
  const wire = shared();
  const ping = (id: string) => JSON.stringify(requestMessage(id, 'ping'));
  const answered = (id: string) => wire.message(`the answer to ${id}`, (message) => message.id === id);
  wire.sendRaw(`${ping('crlf')}\r\n`);
  await answered('crlf');
  wire.sendRaw(ping('half').slice(0, 20));
  await wire.process.logged('garbage on stdin was ignored');
  wire.sendRaw(`${ping('half').slice(20)}\n`);
  await answered('half');
  wire.sendRaw(`\uFEFF${ping('bom')}\n`);
  await answered('bom');
  const bytes = Buffer.from(`${ping('id-ü-漢-🙂')}\n`);
  const cut = bytes.indexOf(0xf0) + 2;
  wire.sendRaw(bytes.subarray(0, cut));
  wire.sendRaw(bytes.subarray(cut));
  await answered('id-ü-漢-🙂');
});

/** What Node takes to start while other tests keep the machine busy; a server that waits for `initialize` is silent for ever. */
const START_MS = 20_000;

it('94 · a discover that comes first is answered, and initialize works after it', async () => {
  const wire = await openStdio({ workers: 0 });
  const discovered = await wire.request(modernMessage('d', 'server/discover'), START_MS);
  expect(discovered.result?.supportedVersions).toContain('2026-07-28');
  const initialized = await wire.initialize();
  expect(initialized.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { title: 'Longhaul' } });
  expect((await wire.request(requestMessage('t', 'tools/list'))).result?.tools).not.toHaveLength(0);
});

it('94 · a discover without its envelope is answered by an error at once', async () => {
  const wire = await openStdio({ workers: 0 });
  expect((await wire.request(requestMessage('d', 'server/discover'), START_MS)).error?.code).toBeLessThan(0);
  expect((await wire.initialize()).result).toMatchObject({ protocolVersion: '2025-11-25' });
});

it.each([
  ['refuses connections', async () => CLOSED_PORT],
  ['accepts connections and says nothing', silentRedis],
])('95 · nothing but the queue waits for a Redis that %s', async (_, redis) => {
  const wire = await openStdio({ env: { LONGHAUL_REDIS_URL: await redis(), DEBUG: '*' } });
  // What Node itself takes to start is not counted, since other tests keep the machine busy.
  wire.sendRaw('anybody there?\n');
  await wire.process.logged('garbage on stdin was ignored');
  await handshake(wire);
  for (const [tool, args] of [
    ['echo', { text: 'x' }],
    ['list_jobs', {}],
  ] as const) {
    const { result } = await wire.call(tool, args, AWAY_MS);
    expect(result?.isError).toBe(true);
    expect(textOf(result)).toMatch(/queue is unavailable/);
  }
  expect((await wire.request(requestMessage('r', 'resources/list'), AWAY_MS)).error?.message).toMatch(/unavailable/);
  expect(await wire.closeInput(AWAY_MS)).toBe('exit 0');
  expect(wire.foreign).toEqual([]);
});

/** Redis never comes, so what waits for it takes for ever: the bounds are of what a busy machine needs. */
const AWAY_MS = 15_000;

async function handshake(wire: StdioWire): Promise<void> {
  await wire.request(initializeBody({}, '2025-11-25'), AWAY_MS);
  wire.send(notification('notifications/initialized'));
  await wire.request(requestMessage('t', 'tools/list'), AWAY_MS);
}
