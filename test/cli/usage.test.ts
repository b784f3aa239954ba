import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliHome } from './run-cli.js';

const COMMANDS = [
  ['stdio'],
  ['http'],
  ['worker'],
  ['call'],
  ['analyze'],
  ['jobs'],
  ['jobs', 'list'],
  ['jobs', 'show'],
  ['jobs', 'cancel'],
  ['jobs', 'retry'],
  ['doctor'],
  ['status'],
  ['jobs', 'logs'],
];

const MISTAKES: readonly { args: string[]; says: string }[] = [
  { args: ['stdoi'], says: 'Did you mean stdio?' },
  { args: ['jobs', 'lst'], says: 'Did you mean list?' },
  { args: ['stdio', '--rot', '/tmp'], says: 'Did you mean --root?' },
  { args: ['stdio', 'superfluous'], says: 'too many arguments' },
  { args: ['jobs'], says: 'Usage: longhaul jobs' },
  { args: ['jobs', 'show'], says: "missing required argument 'id'" },
  { args: ['jobs', 'list', '--state', 'done'], says: 'Expected one of waiting, active' },
  { args: ['jobs', 'list', '--limit', '0'], says: 'whole number from 1 to 1000' },
  { args: ['jobs', 'list', '--cursor', 'nonsense'], says: 'Expected the cursor' },
  { args: ['http', '--port', '70000'], says: 'port from 0 to 65535' },
  { args: ['call'], says: "missing required argument 'tool'" },
  { args: ['call', 'x', '--args', '{"a":'], says: '--args: expected a JSON object from the command line' },
  { args: ['call', 'x', '--args', '[1]'], says: 'got a list' },
  { args: ['call', 'x', '--args', 'null'], says: 'got null' },
  { args: ['call', 'x', '--args', '@missing.json'], says: '--args: cannot read the file' },
  { args: ['call', 'x', '--url', 'ftp://host'], says: 'Expected an http:// or https:// URL' },
  {
    args: ['call', 'x', '--url', 'http://127.0.0.1:3000/mcp', '--root', '/tmp'],
    says: "cannot be used with option '--url",
  },
  { args: ['call', 'x', '--timeout', 'soon'], says: 'Expected seconds' },
  { args: ['analyze', '--min-tokens', 'x'], says: 'whole number of at least 1' },
  { args: ['analyze', '--max-file-bytes', '-1'], says: 'whole number of at least 1' },
  { args: ['stdio', '--root', '/tmp/a:b'], says: 'separates entries' },
  { args: ['doctor', '--redis', 'localhost'], says: '--redis (LONGHAUL_REDIS_URL): expected redis://' },
];

describe('the command line', () => {
  it('prints its help when nothing is asked of it', async () => {
    const { run } = await cliHome();
    const bare = await run([]);
    expect(bare).toMatchObject({ code: 0, stderr: '' });
    expect(bare.stdout).toBe((await run(['--help'])).stdout);
    for (const [command = ''] of COMMANDS) expect(bare.stdout).toContain(`  ${command}`);
  });

  it('prints the version of the package', async () => {
    const { run } = await cliHome();
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it.each(COMMANDS.map((words) => [words.join(' '), words] as const))(
    'explains %s with an example',
    async (_, words) => {
      const { run } = await cliHome();
      const help = await run([...words, '--help']);
      expect(help).toMatchObject({ code: 0, stderr: '' });
      expect(help.stdout).toContain(`Usage: longhaul ${words.join(' ')}`);
      expect(help.stdout).toMatch(/Examples:\n {2}longhaul /);
    },
  );

  it.each(MISTAKES)('refuses $args as wrong usage', async ({ args, says }) => {
    const { run } = await cliHome();
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('names every wrong setting at once, with the option that gave it', async () => {
    const { run } = await cliHome();
    const { code, stderr } = await run(['worker', '--workers', 'abc', '--grace', '-1'], {
      env: { LONGHAUL_LOG_LEVL: 'info', LONGHAUL_CONCURRENCY: 'z' },
    });
    expect(code).toBe(2);
    expect(stderr).toContain('4 faults');
    expect(stderr).toContain('LONGHAUL_LOG_LEVL: unknown setting (did you mean LONGHAUL_LOG_LEVEL?)');
    expect(stderr).toContain('--workers (LONGHAUL_WORKERS): expected a whole number from 0 to 64 (got "abc")');
    expect(stderr).toContain('--grace (LONGHAUL_GRACE_SECONDS):');
    expect(stderr).toMatch(/\n {2}LONGHAUL_CONCURRENCY: /);
  });

  it('never shows the password of a Redis URL', async () => {
    const { run } = await cliHome();
    const { stderr } = await run(['doctor', '--redis', 'https://user:s3cret@host']);
    expect(stderr).not.toContain('s3cret');
  });

  it('tells a wrong setting as JSON when JSON is asked for', async () => {
    const { run } = await cliHome();
    const { code, stdout } = await run(['jobs', 'list', '--json', '--redis', 'nonsense']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'invalid_configuration', retryable: false } });
  });
});
