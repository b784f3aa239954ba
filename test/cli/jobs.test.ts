import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nothingIsLeft } from '../embedded/holders.js';
import { type CliHome, cliHome, TEST_TOOLS } from './run-cli.js';

const UNKNOWN = `job_${'0'.repeat(26)}`;

/** Runs jobs of a tool to their ends and gives their ids, newest first. */
async function withJobs(home: CliHome, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    const call = await home.run(['call', 'echo', '--tools', TEST_TOOLS, '--args', JSON.stringify({ text })]);
    expect(call).toMatchObject({ code: 0, stdout: `${text}\n` });
    const page = JSON.parse((await home.run(['jobs', 'list', '--limit', '1', '--json'])).stdout);
    ids.unshift(page.jobs[0].job_id);
  }
  return ids;
}

describe('longhaul jobs', () => {
  it('shows the files of a scan in pages, for people and for programs, and names the sections there are', async () => {
    const home = await cliHome();
    const tree = join(home.dataDir, '..', `tree-${process.pid}`);
    await mkdir(tree);
    for (const name of ['a', 'b', 'c']) await writeFile(join(tree, `${name}.ts`), 'x();\n');
    const { job_id } = JSON.parse((await home.run(['analyze', tree, '--json'])).stdout);

    const shown = ['jobs', 'show', job_id, '--section'];
    const page = await home.run([...shown, 'files', '--offset', '1', '--limit', '1', '--json']);
    expect(JSON.parse(page.stdout)).toMatchObject({ rows: [{ path: 'b.ts', lines: 1 }], total: 3, next_offset: 2 });
    const table = await home.run([...shown, 'files', '--limit', '2']);
    expect(table.stdout).toMatch(/^path +language +lines .*\na\.ts .*\nb\.ts .*\nfiles: rows 1 to 2 of 3\n$/);
    expect(table.stderr).toContain('--offset 2');
    const unknown = await home.run([...shown, 'fils']);
    expect(unknown.code).not.toBe(0);
    expect(unknown.stderr).toContain('it has files, skipped; did you mean files?');
    await rm(tree, { recursive: true });
  });

  it('finds no jobs in a new installation, and leaves nothing running', async () => {
    const home = await cliHome();
    expect(await home.run(['jobs', 'list'])).toMatchObject({ code: 0, stdout: 'No jobs.\n', stderr: '' });
    await nothingIsLeft(home.dataDir);
  });

  it('lists, pages and shows jobs that ended in an earlier process', async () => {
    const home = await cliHome();
    const [newest = '', oldest = ''] = await withJobs(home, ['one', 'two']);

    const first = JSON.parse((await home.run(['jobs', 'list', '--limit', '1', '--json'])).stdout);
    expect(first).toMatchObject({ jobs: [{ job_id: newest, state: 'completed' }], total_count: 2, has_more: true });
    const rest = await home.run(['jobs', 'list', '--limit', '1', '--json', '--cursor', first.next_cursor]);
    expect(JSON.parse(rest.stdout)).toMatchObject({ jobs: [{ job_id: oldest }], has_more: false });

    const table = await home.run(['jobs', 'list']);
    expect(table.stdout).toMatch(/^Job +Tool +State +Age +Took +Owner +Progress\n/);
    expect(table.stdout).toContain('2 of 2 jobs');

    const shown = JSON.parse((await home.run(['jobs', 'show', newest, '--json'])).stdout);
    expect(shown).toMatchObject({ args: { text: 'two' }, result: { text: 'two' }, attempt: 1, faults: [] });
    const text = await home.run(['jobs', 'show', newest]);
    expect(text.stdout).toContain('"text": "two"');
    expect(text.stdout).not.toContain('\u001b');
  });

  it('filters by state and tool', async () => {
    const home = await cliHome();
    await withJobs(home, ['one']);
    const count = async (args: string[]) =>
      JSON.parse((await home.run(['jobs', 'list', '--json', ...args])).stdout).total_count;
    expect(await count(['--state', 'completed', '--tool', 'echo'])).toBe(1);
    expect(await count(['--state', 'failed', '--state', 'active'])).toBe(0);
    expect(await count(['--tool', 'other'])).toBe(0);
  });

  it('runs an ended job again as a new one, and cancels that while it waits', async () => {
    const home = await cliHome();
    const [id = ''] = await withJobs(home, ['one']);
    const again = (await home.run(['jobs', 'retry', id])).stdout.trim();
    expect(again).toMatch(/^job_/);
    expect(again).not.toBe(id);

    const cancelled = await home.run(['jobs', 'cancel', again, '--reason', 'not needed', '--json']);
    expect(JSON.parse(cancelled.stdout)).toEqual({ job_id: again, state: 'cancelled', already_ended: false });
    const shown = JSON.parse((await home.run(['jobs', 'show', again, '--json'])).stdout);
    expect(shown).toMatchObject({ state: 'cancelled', cancel_reason: 'not needed', retry_of: id });
    const twice = await home.run(['jobs', 'cancel', again]);
    expect(twice).toMatchObject({ code: 0, stdout: `Job ${again} had already ended: cancelled.\n` });
  });

  it.each(['show', 'cancel', 'retry'])('fails to %s a job that is not there', async (verb) => {
    const home = await cliHome();
    const { code, stdout, stderr } = await home.run(['jobs', verb, UNKNOWN, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'job_not_found', retryable: false } });
    expect(stderr).toMatch(/^error: There is no job /);
  });

  it('says in seconds that a configured Redis cannot be reached', async () => {
    const home = await cliHome();
    const { code, stdout, stderr } = await home.run(['jobs', 'list', '--json', '--redis', 'redis://127.0.0.1:1']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'redis_unavailable', retryable: true } });
    expect(stderr).toContain('ECONNREFUSED');
  });
});
