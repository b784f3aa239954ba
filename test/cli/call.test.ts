import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nothingIsLeft } from '../embedded/holders.js';
import { weakRedis } from '../ops/weak-redis.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/gate.js';
import { type CliHome, cliHome, TEST_TOOLS } from './run-cli.js';

const TOOLS = ['--tools', TEST_TOOLS];

async function jobsOf(home: CliHome): Promise<{ tool: string; state: string }[]> {
  return JSON.parse((await home.run(['jobs', 'list', '--json'])).stdout).jobs;
}

describe('longhaul call', () => {
  it('prints the text of a result, and leaves nothing running', async () => {
    const home = await cliHome();
    const end = await home.run(['call', 'echo', ...TOOLS, '--args', '{"text":"hello"}']);
    expect(end).toMatchObject({ code: 0, stdout: 'hello\n' });
    await nothingIsLeft(home.dataDir);
  });

  it('takes arguments from stdin and from a file', async () => {
    const home = await cliHome();
    const stdin = await home.run(['call', 'echo', ...TOOLS, '--args', '-'], { stdin: '{"text":"from stdin"}' });
    expect(stdin).toMatchObject({ code: 0, stdout: 'from stdin\n' });
    await writeFile(join(home.folder, 'args.json'), '{"text":"from a file"}');
    const file = await home.run(['call', 'echo', ...TOOLS, '--args', '@args.json']);
    expect(file).toMatchObject({ code: 0, stdout: 'from a file\n' });
  });

  it('prints one JSON document with --json, whatever tools and logs print', async () => {
    const home = await cliHome();
    const args = ['call', 'printing', ...TOOLS, '--args', '{"text":"noise"}', '--json', '--log-level', 'debug'];
    const { code, stdout } = await home.run(args);
    expect({ code, result: JSON.parse(stdout) }).toEqual({ code: 0, result: { text: 'noise' } });
  });

  it('shows progress as plain lines and the log of the job on stderr', async () => {
    const home = await cliHome();
    const slow = await home.run(['call', 'slow', ...TOOLS, '--args', '{"steps":3,"step_ms":50}']);
    expect(slow).toMatchObject({ code: 0, stdout: 'slow  done\n' });
    expect(slow.stderr).toMatch(/^\d+% {2}step \d$/m);
    expect(slow.stderr).not.toContain('\u001b');
    const lines = [{ level: 'warning', text: 'a warning of the tool' }];
    const chatty = await home.run(['call', 'chatty', ...TOOLS, '--args', JSON.stringify({ lines })]);
    expect(chatty.stderr).toContain('warning: a warning of the tool\n');
  });

  it('fails with the message and the code of a failed tool', async () => {
    const home = await cliHome();
    const args = ['call', 'failing', ...TOOLS, '--args', '{"message":"no luck","kind":"app"}', '--json'];
    const { code, stdout, stderr } = await home.run(args);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'handler_failed', retryable: false } });
    expect(stderr).toContain('error: no luck');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it.each([
    { args: ['echo', '--args', '{}'], code: 'invalid_arguments', says: 'text' },
    { args: ['ecko'], code: 'invalid_arguments', says: 'did you mean echo?' },
    {
      args: ['analyze_codebase', '--args', '{"path":".","metrics":["bogus"]}'],
      code: 'invalid_arguments',
      says: 'unknown metric',
    },
  ])('refuses $args with $code as wrong usage', async ({ args, code, says }) => {
    const home = await cliHome();
    const end = await home.run(['call', ...args, ...TOOLS, '--json']);
    expect(end.code).toBe(2);
    expect(JSON.parse(end.stdout)).toMatchObject({ error: { code } });
    expect(end.stderr).toContain(says);
  });

  it('cancels a call that takes longer than --timeout', async () => {
    const home = await cliHome();
    const server = home.start(['http', '--port', '0', ...TOOLS]);
    const url = await server.saysMatching(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    // It counts from the start of the command: on a busy machine there may be no job by then, and more time is given.
    let jobs: Awaited<ReturnType<typeof jobsOf>> = [];
    for (let seconds = 2; jobs.length === 0 && seconds < 50; seconds *= 2) {
      const args = ['call', 'slow', '--url', url, '--args', '{"steps":600}', '--timeout', `${seconds}`, '--json'];
      const end = await home.run(args);
      expect(end.code).toBe(1);
      expect(JSON.parse(end.stdout).error).toMatchObject({
        code: 'timed_out',
        message: expect.stringContaining('--timeout'),
      });
      jobs = await jobsOf(home);
    }
    // The command waits a few seconds for that, no longer; and a job of a command before may have come since.
    const ended = await until(
      () => jobsOf(home),
      (all) => all.every(({ state }) => state === 'cancelled'),
      { what: 'the cancel', limitMs: 30_000 },
    );
    expect(new Set(ended.map(({ tool }) => tool))).toEqual(new Set(['slow']));
  });

  it('fails at once when no server answers at the URL', async () => {
    const home = await cliHome();
    const port = await freePort();
    const end = await home.run(['call', 'echo', '--url', `http://user:s3cret@127.0.0.1:${port}/mcp`, '--json']);
    expect(end.code).toBe(1);
    expect(JSON.parse(end.stdout)).toMatchObject({ error: { code: 'server_unreachable', retryable: true } });
    expect(end.stderr).toContain(`Cannot reach the server at http://127.0.0.1:${port}/mcp: connect ECONNREFUSED`);
    expect(end.stderr).not.toContain('s3cret');
  });

  it('says why when the server it started cannot start', async () => {
    const home = await cliHome();
    const end = await home.run(['call', 'echo', '--tools', join(home.folder, 'missing.mjs')]);
    expect(end.code).toBe(1);
    expect(end.stderr).toContain('missing.mjs');
    expect(end.stderr).toContain('error: The server could not be started');
    await nothingIsLeft(home.dataDir);
  });
});

describe('longhaul call on a Redis that lets nobody in', () => {
  it.each([
    ['for a wrong password', { requirepass: 'right' }, ':s3cret@', '', 'Redis refuses the login'],
    ['for a database it does not have', { databases: '2' }, '', '/7', 'Redis has no database of the number'],
  ])('%s says so', async (_why, settings, login, database, reason) => {
    const home = await cliHome();
    const { host } = await weakRedis(settings);
    const env = { LONGHAUL_REDIS_URL: `redis://${login}${host}${database}` };
    // Nobody has heard of the refusal where Redis took longer for it than a call may.
    const refused = async () => {
      const { code, stdout } = await home.run(['call', 'list_jobs', '--json'], { env });
      return { code, error: JSON.parse(stdout).error };
    };
    const end = await until(refused, ({ error }) => error.message.includes(reason), { what: reason });
    expect(end).toMatchObject({ code: 1, error: { code: 'queue_unavailable' } });
  });
});

describe('Ctrl-C', () => {
  it('cancels the job, waits for that, and leaves nothing running', async () => {
    const home = await cliHome();
    const call = home.start(['call', 'slow', ...TOOLS, '--args', '{"steps":600}', '--json']);
    await call.says('step ');
    call.interrupt();
    const end = await call.end;
    expect(end.code).toBe(130);
    expect(JSON.parse(end.stdout)).toMatchObject({ error: { code: 'cancelled' } });
    expect(end.stderr).toMatch(/Job job_\w+ is cancelled\./);
    expect(await jobsOf(home)).toMatchObject([{ tool: 'slow', state: 'cancelled' }]);
    await nothingIsLeft(home.dataDir);
  });

  it('pressed twice leaves at once, and still leaves nothing running', async () => {
    const home = await cliHome();
    const call = home.start(['call', 'stubborn', ...TOOLS, '--args', '{"ms":60000}']);
    await call.says('running');
    call.interrupt();
    await call.says('press Ctrl-C again');
    call.interrupt();
    expect(await call.end).toMatchObject({ code: 130, stdout: '' });
    await nothingIsLeft(home.dataDir);
  });

  it('is not needed when the caller is killed: its server ends with it', async () => {
    const home = await cliHome();
    const call = home.start(['call', 'slow', ...TOOLS, '--args', '{"steps":600}']);
    await call.says('step ');
    call.interrupt('SIGKILL');
    await call.end;
    await nothingIsLeft(home.dataDir);
  });
});

describe('longhaul http', () => {
  it('names the option to change when it cannot listen, and leaves nothing running', async () => {
    const home = await cliHome();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const taken = await home.run(['http', '--port', port]);
    other.close();
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining(`127.0.0.1:${port}: something listens`) });
    expect(taken.stderr).toContain('--port');
    const elsewhere = await home.run(['http', '--port', '0', '--host', '192.0.2.1']);
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('--host') });
    await nothingIsLeft(home.dataDir);
  });

  it('serves calls by URL, cancels the very one that hears Ctrl-C, and ends cleanly on SIGTERM', async () => {
    const home = await cliHome();
    const server = home.start(['http', '--port', '0', ...TOOLS]);
    const url = await server.saysMatching(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    const echo = await home.run(['call', 'echo', '--url', url, '--args', '{"text":"afar"}', '--json']);
    expect(JSON.parse(echo.stdout)).toEqual({ text: 'afar' });

    const call = home.start(['call', 'slow', '--url', url, '--args', '{"steps":600}']);
    await call.says('step ');
    call.interrupt();
    expect(await call.end).toMatchObject({ code: 130, stderr: expect.stringMatching(/Job job_\w+ is cancelled\./) });
    expect(await jobsOf(home)).toMatchObject([{ state: 'cancelled' }, { state: 'completed' }]);

    const other = home.start(['call', 'slow', '--url', url, '--args', '{"steps":600,"name":"older"}']);
    await other.says('step ');
    const newer = home.start(['call', 'slow', '--url', url, '--args', '{"steps":600,"name":"newer"}']);
    await newer.says('step ');
    other.interrupt();
    const [, cancelled = ''] = /Job (job_\w+) is cancelled\./.exec((await other.end).stderr) ?? [];
    expect(await jobsOf(home)).toMatchObject([{ state: 'active' }, { job_id: cancelled, state: 'cancelled' }, {}, {}]);
    newer.interrupt();
    await newer.end;

    server.interrupt('SIGTERM');
    expect(await server.end).toMatchObject({ code: 0, stdout: '' });
    await nothingIsLeft(home.dataDir);
  });
});

describe('longhaul stdio', () => {
  it('writes nothing to stdout but the protocol, and ends with stdin', async () => {
    const home = await cliHome();
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const stdin = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
    const { code, stdout } = await home.run(['stdio', '--log-level', 'trace'], { stdin });
    expect(code).toBe(0);
    const messages = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages).toMatchObject([{ jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-11-25' } }]);
    await nothingIsLeft(home.dataDir);
  });
});

describe('longhaul analyze', () => {
  it('scans the given folder and prints a table', async () => {
    const home = await cliHome();
    await mkdir(join(home.folder, 'code'));
    await writeFile(join(home.folder, 'code', 'a.ts'), '// one\nconst a = 1;\n\n');
    const end = await home.run(['analyze', 'code']);
    expect(end.code).toBe(0);
    expect(end.stdout).toMatch(/^Language +Files +Lines +Code +Comments +Blanks$/m);
    expect(end.stdout).toMatch(/^Total +1 +\d+ +1 +1 +/m);
    expect(end.stdout).not.toContain('|');
    const json = await home.run(['analyze', 'code', '--json', '--exclude', '**/*.ts']);
    expect(JSON.parse(json.stdout)).toMatchObject({ root: join(home.folder, 'code'), files_scanned: 0 });
  });

  it('measures the metrics it is asked for, and prints a table of each', async () => {
    const home = await cliHome();
    await mkdir(join(home.folder, 'code'));
    await writeFile(join(home.folder, 'code', 'a.ts'), 'export function hard(a: number) {\n  return a ? 1 : 2;\n}\n');
    const end = await home.run(['analyze', 'code', '--metrics', 'complexity, coverage']);
    expect(end).toMatchObject({ code: 0 });
    expect(end.stdout).toMatch(/^ +hard +a\.ts:1 +1 +2 +1$/m);
    expect(end.stdout).toContain('Coverage\n  No coverage report was found in the tree.');
    const wrong = await home.run(['analyze', 'code', '--metrics', 'complexty', '--json']);
    expect(wrong.code).toBe(2);
    expect(JSON.parse(wrong.stdout).error.message).toContain('did you mean complexity?');
  });

  it.each([
    { path: 'missing', code: 'path_not_found' },
    { path: 'file.txt', code: 'path_not_a_folder' },
  ])('refuses $path before any server is started', async ({ path, code }) => {
    const home = await cliHome();
    await writeFile(join(home.folder, 'file.txt'), '');
    const end = await home.run(['analyze', path, '--json']);
    expect(end.code).toBe(1);
    expect(JSON.parse(end.stdout)).toMatchObject({ error: { code } });
  });
});
