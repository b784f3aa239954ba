/** Cases 88 to 90 of the wire cases: how the stdio front end ends, and that it leaves nothing behind. */
import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { PATIENCE_MS, until, within } from '../support/gate.js';
import { callBody, initializeBody } from '../support/http-wire.js';
import { nothingRuns, workersOf } from '../support/processes.js';
import { openSite, type Site } from '../support/site.js';
import { openStdio as open, type StdioOptions, type StdioWire } from '../support/stdio-wire.js';
import { modernMessage, requestMessage } from '../support/wire-messages.js';

const CLOSED_PORT = 'redis://127.0.0.1:1';
/** Two seconds on a quiet machine; on a busy one still far less than the grace, which is for who is told to stop and not for who is left. */
const END_MS = 15_000;
const GRACE = { LONGHAUL_GRACE_SECONDS: '60' };
const LONG = { steps: 400, step_ms: 50 };
/** A client that is killed before it can close anything. */
const CLIENT = `
  const { spawn } = require('node:child_process');
  const server = spawn(process.execPath, JSON.parse(process.argv[1]), { stdio: ['pipe', 'pipe', 'inherit'] });
  process.stdin.pipe(server.stdin);
  server.stdout.pipe(process.stdout);
`;

function openStdio({ env, ...rest }: StdioOptions = {}): Promise<StdioWire> {
  return open({ ...rest, env: { ...GRACE, ...env } });
}

async function site(): Promise<Site> {
  const opened = await openSite();
  onTestFinished(() => opened.close());
  return opened;
}

/** Waits until the front end's worker takes jobs. */
async function idle(wire: StdioWire): Promise<void> {
  await wire.initialize();
  await wire.process.logged('taking jobs');
}

/** Calls a job that lasts longer than any test, and waits until a worker runs it. */
async function running(wire: StdioWire): Promise<void> {
  const ledger = wire.site.ledger();
  await wire.initialize();
  wire.send(callBody('long', 'slow', { ...LONG, ledger: ledger.path }, 'token'));
  await ledger.line('start');
}

/** The same with a job that does not stop when it is told to. */
async function stubborn(wire: StdioWire): Promise<void> {
  const ledger = wire.site.ledger();
  await wire.initialize();
  wire.send(callBody('stubborn', 'stubborn', { ms: 60_000, ledger: ledger.path }));
  await ledger.line('start');
}

/** Warnings and worse in the process log. */
const complaints = (wire: StdioWire) => wire.process.log.filter(({ level }) => level >= 40);

it.each([1, 0])('88 · the end of input before a word, with %i workers, ends everything', async (workers) => {
  const wire = await openStdio({ workers });
  const ended = wire.closeInput(PATIENCE_MS + END_MS);
  // What Node itself takes to start is not counted, since other tests keep the machine busy.
  await wire.process.logged('stopping');
  expect(await within(ended, { what: 'the end', limitMs: END_MS })).toBe('exit 0');
  expect(complaints(wire)).toEqual([]);
  await nothingRuns(wire.site.dataDir, END_MS);
});

it.each([
  ['right after the handshake', (wire: StdioWire) => wire.initialize()],
  ['while idle', idle],
  ['during a call', running],
  ['in 2026', (wire: StdioWire) => wire.request(modernMessage('d', 'server/discover'))],
])('88 · the end of input %s ends everything', async (_, prepare) => {
  const wire = await openStdio();
  await prepare(wire);
  expect(await wire.closeInput(END_MS)).toBe('exit 0');
  expect(complaints(wire)).toEqual([]);
  await nothingRuns(wire.site.dataDir, END_MS);
});

it('88 · the end of input ends everything though a job ignores its abort', async () => {
  const wire = await openStdio();
  await stubborn(wire);
  expect(await wire.closeInput(END_MS)).toBe('exit 0');
  expect(complaints(wire).map(({ msg }) => msg)).toEqual(['a handler ignores its abort']);
  await nothingRuns(wire.site.dataDir, END_MS);
});

it('88 · the end of input ends everything while Redis is away', async () => {
  const wire = await openStdio({ env: { LONGHAUL_REDIS_URL: CLOSED_PORT } });
  await wire.initialize();
  expect(await wire.closeInput(END_MS)).toBe('exit 0');
  await nothingRuns(wire.site.dataDir, END_MS);
});

it('88 · requests that came before the end of input are answered', async () => {
  const wire = await openStdio({ workers: 0 });
  wire.send(initializeBody({}, '2025-11-25'));
  wire.send(requestMessage('t', 'tools/list'));
  expect(await wire.closeInput(PATIENCE_MS + END_MS)).toBe('exit 0');
  expect(wire.seen.map(({ message }) => message.id)).toEqual(['i', 't']);
});

it('88 · jobs outlive the end of input, be they queued or running', async () => {
  const home = await site();
  const [gate, ledger] = [home.gate(), home.ledger()];
  const args = { gate: gate.path, ledger: ledger.path };
  for (const workers of [1, 0]) {
    const wire = await openStdio({ site: home, workers });
    await wire.initialize();
    wire.send(callBody('job', 'gated', args, 'token'));
    if (workers === 1) await ledger.line('start');
    else await wire.message('a word on the queue', ({ method }) => method === 'notifications/progress');
    expect(await wire.closeInput(END_MS)).toBe('exit 0');
  }
  await gate.open();
  const next = await openStdio({ site: home });
  await next.initialize();
  const jobs = async () => {
    const { result } = await next.call('list_jobs', { tool: 'gated' });
    return (result?.structuredContent?.jobs ?? []) as readonly { state: string; attempt: number }[];
  };
  const done = await until(jobs, (all) => all.length === 2 && all.every(({ state }) => state === 'completed'), {
    what: 'both jobs',
  });
  expect(done.map(({ attempt }) => attempt)).toEqual([1, 1]);
});

it('84 · SIGTERM lets the call under way finish and be answered', async () => {
  const wire = await openStdio();
  const [gate, ledger] = [wire.site.gate(), wire.site.ledger()];
  await wire.initialize();
  wire.send(callBody('job', 'gated', { gate: gate.path, ledger: ledger.path }));
  await ledger.line('start');
  wire.process.child.kill('SIGTERM');
  await wire.process.logged('stopping');
  await gate.open();
  expect((await wire.message('the answer', ({ id }) => id === 'job')).result).toMatchObject({ structuredContent: {} });
  expect(await within(wire.process.ended, { what: 'the end' })).toBe('exit 0');
  await nothingRuns(wire.site.dataDir, END_MS);
});

it('89 · a client that is killed takes everything with it', async () => {
  const { dataDir, run } = await site();
  const server = run('stdio');
  const { spawnargs } = server.child;
  await server.stop('SIGKILL');
  const env = { ...process.env, LONGHAUL_DATA_DIR: dataDir };
  const client = spawn(process.execPath, ['-e', CLIENT, JSON.stringify(spawnargs.slice(1))], { env });
  onTestFinished(() => void client.kill('SIGKILL'));
  client.stdin.write(`${JSON.stringify(callBody('long', 'slow', LONG))}\n`);
  await until(
    () => workersOf(dataDir),
    (workers) => workers.length === 1,
    { what: 'the worker' },
  );
  client.kill('SIGKILL');
  await nothingRuns(dataDir, END_MS);
});

it('89 · a front end that is killed takes its workers and its Redis with it', async () => {
  const wire = await openStdio();
  await running(wire);
  expect(await wire.process.stop('SIGKILL')).toBe('SIGKILL');
  await nothingRuns(wire.site.dataDir, END_MS);
});

it.each([
  ['stdin and stdout', ['stdin', 'stdout']],
  ['stdout', ['stdout']],
  ['all three', ['stdin', 'stdout', 'stderr']],
] as const)('90 · a client that closes %s during a call ends everything without a fuss', async (_, names) => {
  const wire = await openStdio();
  await running(wire);
  for (const name of names) wire.process.child[name]?.destroy();
  await until(
    () => wire.process.child.exitCode,
    (code) => code !== null,
    { what: 'the exit', limitMs: END_MS },
  );
  expect(wire.process.child.exitCode).toBe(0);
  expect(wire.process.stderr()).not.toMatch(/^\s+at |"stack"|EPIPE/m);
  await nothingRuns(wire.site.dataDir, END_MS);
});
