import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkTarget, writeReportFile } from '../../src/cli/report-files.js';

async function setup(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-report-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('a report file', () => {
  it('replaces an earlier one and leaves nothing else behind', async () => {
    const folder = await setup();
    await writeReportFile(join(folder, 'r.md'), 'one');
    await writeReportFile(join(folder, 'r.md'), 'two, für alle');
    expect(await readdir(folder)).toEqual(['r.md']);
    expect(await readFile(join(folder, 'r.md'), 'utf8')).toBe('two, für alle');
  });

  it('is written where a link leads, and the link stays', async () => {
    const folder = await setup();
    await writeFile(join(folder, 'real.md'), 'old');
    await symlink('real.md', join(folder, 'link.md'));
    await writeReportFile(join(folder, 'link.md'), 'new');
    expect(await readFile(join(folder, 'real.md'), 'utf8')).toBe('new');
    expect((await readdir(folder)).sort()).toEqual(['link.md', 'real.md']);
  });

  it('is refused for a folder, a pipe and a missing folder, saying why', async () => {
    const folder = await setup();
    await mkdir(join(folder, 'dir.md'));
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    const code = 'report_not_written';
    await expect(checkTarget(join(folder, 'dir.md'))).rejects.toMatchObject({ code, message: /it is a folder/ });
    await expect(checkTarget(join(folder, 'pipe.md'))).rejects.toMatchObject({ code, message: /no ordinary file/ });
    await expect(checkTarget(join(folder, 'no', 'r.md'))).rejects.toMatchObject({ code, message: /make it first/ });
    await expect(writeReportFile(join(folder, 'dir.md'), 'x')).rejects.toMatchObject({ code });
  });

  it('that cannot be written leaves no draft behind', async () => {
    const folder = await setup();
    const long = join(folder, `${'n'.repeat(260)}.md`);
    await expect(writeReportFile(long, 'x')).rejects.toMatchObject({ code: 'report_not_written' });
    expect(await readdir(folder)).toEqual([]);
  });
});
