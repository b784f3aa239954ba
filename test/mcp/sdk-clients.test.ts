/** Every tool through the client lines that hosts embed, over both transports and in both protocol eras. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { jobIdOf, textOf } from '../support/http-wire.js';
import {
  CLIENT_LINES,
  type ClientLine,
  connectClient,
  type ProgressSeen,
  type SdkClient,
} from '../support/sdk-clients.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
/** Two folders that only a client's roots can allow. */
let roots: readonly [string, string];
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-roots-')));
  roots = [join(folder, 'first'), join(folder, 'second')];
  for (const root of roots) {
    await mkdir(join(root, 'inside'), { recursive: true });
    await writeFile(join(root, 'inside', 'a.ts'), 'export {};\n');
  }
  await mkdir(join(site.root, 'code'));
  await writeFile(join(site.root, 'code', 'b.py'), 'a = 1\n\n# two\n');
});
afterAll(async () => {
  await site.close();
  await rm(join(roots[0], '..'), { recursive: true, force: true });
});

const EACH = CLIENT_LINES.flatMap((line) => [{ line, over: 'stdio' } as const, { line, over: 'HTTP' } as const]);

/** A stdio server is started by its client, and leaves its jobs to the worker of the HTTP server. */
function connect(line: ClientLine, over: 'stdio' | 'HTTP'): Promise<SdkClient> {
  const place =
    over === 'HTTP' ? { url: server.url } : { stdio: site.commandLine('stdio', { args: ['--workers', '0'] }) };
  return connectClient(line, place, { roots: [roots[0]] });
}

const isRising = (values: readonly number[]) => values.every((value, n) => n === 0 || value > (values[n - 1] ?? 0));

describe.each(EACH)('a $line client over $over', ({ line, over }) => {
  let client: SdkClient;
  beforeAll(async () => {
    client = await connect(line, over);
    await client.listTools();
  });
  afterAll(() => client?.close());

  test('lists every tool', async () => {
    const names = await client.listTools();
    expect(names).toEqual(expect.arrayContaining(['analyze_codebase', 'cancel_job', 'get_job', 'list_jobs', 'echo']));
  });

  test('calls every kind of tool, and finds its structured results as the schemas promise', async () => {
    const gate = site.gate();
    await gate.open();
    const calls: [string, Record<string, unknown>, string][] = [
      ['echo', { text: 'hello' }, 'hello'],
      ['slow', { steps: 2, step_ms: 5, name: 'one' }, 'slow one done'],
      ['gated', { gate: gate.path }, 'opened'],
      ['burst', { count: 200 }, 'burst done'],
      ['stubborn', { ms: 5 }, 'stubborn done'],
      ['printing', { text: 'not to stdout' }, 'not to stdout'],
      ['big', { bytes: 100_000 }, 'The structured result is complete'],
      ['analyze_codebase', { path: 'code' }, 'Python'],
      ['list_jobs', { limit: 3 }, 'More: call list_jobs'],
    ];
    for (const [name, args, text] of calls) {
      const result = await client.callTool(name, args);
      expect(result.isError, textOf(result)).toBeFalsy();
      expect(textOf(result)).toContain(text);
      expect(result.structuredContent).toBeTypeOf('object');
    }
  });

  test('is told of bad arguments, failures and unknown jobs in results, and of unknown tools by an error', async () => {
    for (const [name, args] of [
      ['echo', { text: 7 }],
      ['failing', { message: 'it broke', kind: 'app' }],
      ['get_job', { job_id: 'job_00000000000000000000000000' }],
    ] as const) {
      expect(await client.callTool(name, args)).toMatchObject({ isError: true });
    }
    await expect(client.callTool('nope', {})).rejects.toThrow('Unknown tool');
  });

  test('hears progress that rises and names its job, and none that is not its own', async () => {
    const heard: ProgressSeen[][] = [[], []];
    const gate = site.gate();
    const calls = heard.map((mine, n) =>
      client.callTool(
        'gated',
        { gate: gate.path, progress: [10 + n, 20 + n] },
        { onprogress: (progress) => mine.push(progress) },
      ),
    );
    // Before the jobs end: both client lines drop a progress that arrives in one chunk with the response.
    const values = () => heard.map((mine) => mine.map(({ progress }) => progress).filter((value) => value >= 1));
    await until(values, (all) => all.every(({ length }) => length === 2), { what: 'the progress of both jobs' });
    await gate.open();
    const results = await Promise.all(calls);
    expect(values()).toEqual([
      [10, 20],
      [11, 21],
    ]);
    for (const [n, mine] of heard.entries()) {
      expect(isRising(mine.map(({ progress }) => progress))).toBe(true);
      expect(new Set(mine.map(({ _meta }) => _meta?.['longhaul/jobId']))).toEqual(new Set([jobIdOf(results[n])]));
      expect(mine.filter(({ progress, total = 100 }) => total !== 100 || progress > total)).toEqual([]);
    }
  });

  test('hears the log messages of its calls', async () => {
    const text = `said to a ${line} client over ${over}`;
    await client.callTool('chatty', {
      lines: [
        { level: 'debug', text },
        { level: 'warning', text },
      ],
    });
    const heard = () => client.logs.filter(({ data }) => data === text);
    // A client hands out what comes in one chunk in an order of its own.
    const logs = await until(heard, ({ length }) => length === 2, { what: 'both log messages' });
    expect(logs.map(({ level, logger }) => `${logger} ${level}`)).toEqual(['chatty debug', 'chatty warning']);
  });

  test('cancels a call with its signal, which stops the job', async () => {
    const [gate, ledger, giveUp] = [site.gate(), site.ledger(), new AbortController()];
    const call = client.callTool('gated', { gate: gate.path, ledger: ledger.path }, { signal: giveUp.signal });
    const rejected = expect(call).rejects.toThrow();
    const [, id = ''] = (await ledger.line('start')).split(' ');
    giveUp.abort(new Error('changed my mind'));
    await rejected;
    expect(await ledger.line(`abort ${id}`)).toBe(`abort ${id} cancelled`);
    const job = await client.callTool('get_job', { job_id: id, wait_seconds: 5 });
    expect(job.structuredContent).toMatchObject({ job_id: id, state: 'cancelled' });
  });

  test('cancels a job with cancel_job, which ends the call that waits for it', async () => {
    const [gate, ledger] = [site.gate(), site.ledger()];
    const call = client.callTool('gated', { gate: gate.path, ledger: ledger.path });
    const [, id = ''] = (await ledger.line('start')).split(' ');
    const done = await client.callTool('cancel_job', { job_id: id, reason: 'no longer needed' });
    expect(done.structuredContent).toEqual({ job_id: id, state: 'cancelled', already_ended: false });
    const result = await call;
    expect({ isError: result.isError, job: jobIdOf(result) }).toEqual({ isError: true, job: id });
    expect(textOf(result)).toContain('no longer needed');
  });

  test('widens what may be read by its roots, as they are now', async () => {
    const scan = async (root: string) =>
      textOf(await client.callTool('analyze_codebase', { path: join(root, 'inside') }));
    expect(await scan(roots[0])).toContain('TypeScript');
    expect(await scan(roots[1])).toContain('outside the allowed folders');
    await client.changeRoots([roots[1]]);
    expect(await scan(roots[1])).toContain('TypeScript');
    expect(await scan(roots[0])).toContain('outside the allowed folders');
  });
});
