import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliHome, cliHome } from './run-cli.js';

/** Long enough to be a clone, and hard enough to be told. */
const TANGLE = `export function tangle(a: number, b: number): number {
  let sum = 0;
  for (let at = 0; at < a; at++) {
    if (at % 2 === 0) {
      for (let other = 0; other < b; other++) {
        if (other > at && other % 3 === 0) {
          if (sum > 10 || at > 5) {
            sum += other * at;
          } else if (sum < -10 && b > 2) {
            sum -= other;
          }
        }
      }
    } else if (at % 3 === 0 || b < 0) {
      sum += 1;
    }
  }
  return sum;
}
`;
const HOSTILE = '=1+1,"<img src=x>.ts';

async function setup(): Promise<CliHome & { read: (name: string) => Promise<string> }> {
  const home = await cliHome();
  const code = join(home.folder, 'code');
  await mkdir(join(code, 'src'), { recursive: true });
  await writeFile(join(code, 'src', 'one.ts'), TANGLE);
  await writeFile(join(code, 'src', 'two.ts'), `// the same again\n${TANGLE}`);
  await writeFile(join(code, HOSTILE), 'const a = 1;\n\n');
  await writeFile(join(code, 'README.md'), '# Title\n');
  await writeFile(join(code, 'logo.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0]));
  return { ...home, read: (name) => readFile(join(home.folder, name), 'utf8') };
}

describe('longhaul analyze --output', () => {
  it('writes every format of one scan, by file and with metrics, and prints the table all the same', async () => {
    const home = await setup();
    const names = ['r.json', 'r.md', 'r.html', 'r.sarif', 'r.csv'];
    const args = ['analyze', 'code', '--by-file', '--sort', 'name', '--metrics', 'complexity,duplication'];
    const end = await home.run([...args, ...names.flatMap((name) => ['--output', name])]);
    expect(end).toMatchObject({ code: 0 });
    for (const name of names) expect(end.stderr).toMatch(new RegExp(`^Wrote ${name} \\(\\d`, 'm'));
    expect(end.stdout).toMatch(/^Path +Language +Lines +Code +Comments +Blanks +Complexity$/m);
    expect(end.stdout).toMatch(/^src\/two\.ts +TypeScript +20 +19 +1 +0 +\d+$/m);
    expect((await readdir(home.folder)).sort()).toEqual(['code', 'data', 'home', ...names].sort());

    const { files, totals } = JSON.parse(await home.read('r.json'));
    expect(files.map(({ path }: { path: string }) => path)).toEqual([HOSTILE, 'README.md', 'src/one.ts', 'src/two.ts']);
    expect(files[3]).toEqual({
      path: 'src/two.ts',
      language: 'TypeScript',
      lines: 20,
      code: 19,
      comments: 1,
      blanks: 0,
      bytes: Buffer.byteLength(TANGLE) + 18,
      complexity: files[2].complexity,
    });
    expect(files[2].complexity).toBeGreaterThan(5);
    const sum = (key: string) => files.reduce((all: number, file: Record<string, number>) => all + (file[key] ?? 0), 0);
    expect({ lines: sum('lines'), code: sum('code'), bytes: sum('bytes') }).toEqual({
      lines: totals.lines,
      code: totals.code,
      bytes: totals.bytes,
    });

    const [head, first] = (await home.read('r.csv')).split('\r\n');
    expect(head).toBe('path,language,lines,code,comments,blanks,bytes,complexity');
    expect(first).toMatch(/^"'=1\+1,""<img src=x>\.ts",TypeScript,2,1,0,1,14,\d+$/);
    expect(await home.read('r.md')).toContain('| `src/one.ts:1-19, src/two.ts:2-20` | TypeScript |');
    const html = await home.read('r.html');
    expect(html).toContain('<!doctype html>');
    expect(html).not.toContain('<img');
    const [run] = JSON.parse(await home.read('r.sarif')).runs;
    expect(run.results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
      'duplicate-code',
      'complex-function',
      'complex-function',
    ]);
    expect(run.invocations[0].toolExecutionNotifications).toMatchObject([{ descriptor: { id: 'skipped-binary' } }]);
  });

  it('reports all that metrics found, of which the result names the first few', async () => {
    const home = await setup();
    const variants = Array.from({ length: 14 }, (_, i) =>
      TANGLE.replaceAll('sum', `sum${i}`).replace('tangle', `tangle${i}`),
    );
    for (const [i, text] of variants.entries()) {
      await writeFile(join(home.folder, 'code', `a${i}.ts`), text);
      await writeFile(join(home.folder, 'code', `b${i}.ts`), `// again\n${text}`);
    }
    const end = await home.run([
      'analyze',
      'code',
      '-o',
      'r.sarif',
      '-o',
      'r.json',
      '-o',
      'r.md',
      '-o',
      'r.html',
      '--json',
    ]);
    const result = JSON.parse(end.stdout);
    expect([result.duplication.clones.length, result.complexity.hardest_functions.length]).toEqual([10, 10]);
    const clones: number = result.duplication.clones_total;
    expect(clones).toBeGreaterThan(14);

    const [run] = JSON.parse(await home.read('r.sarif')).runs;
    const found = (rule: string) => run.results.filter(({ ruleId }: { ruleId: string }) => ruleId === rule).length;
    expect([found('duplicate-code'), found('complex-function')]).toEqual([clones, 30]);
    const { tables } = JSON.parse(await home.read('r.json'));
    expect([tables.clones.length, tables.functions.length]).toEqual([clones, 30]);
    expect(tables.clones[0].places).toHaveLength(2);
    for (const page of [await home.read('r.md'), await home.read('r.html')]) {
      for (const [i] of variants.entries()) expect(page).toContain(`tangle${i}`);
    }
  });

  it('sorts and cuts the table, and tells the total of all', async () => {
    const home = await setup();
    const json = await home.run(['analyze', 'code', '--by-file', '--top', '2', '--json']);
    const { files } = JSON.parse(json.stdout);
    expect(files).toMatchObject([{ path: 'src/one.ts', complexity: expect.any(Number) }, { path: 'src/two.ts' }]);
    const end = await home.run(['analyze', 'code', '--sort', 'bytes', '--top', '1']);
    expect(end.stdout).toMatch(/^Language +Files +Lines +Code +Comments +Blanks +Bytes$/m);
    expect(end.stdout).toMatch(/^TypeScript +3 .*\nTotal +4 .*\n1 more row; the total is of all\.$/m);
  });

  it('takes an empty name for a mistake, not for the folder it is in', async () => {
    const home = await setup();
    const end = await home.run(['analyze', '']);
    expect(end).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Expected the name of a folder'),
    });
  });

  it('measures what a page shows, and maps its files without --by-file', async () => {
    const home = await setup();
    const end = await home.run(['analyze', 'code', '-o', 'r.html', '--json']);
    const document = JSON.parse(end.stdout);
    expect(document).not.toHaveProperty('files');
    expect(document).toMatchObject({ complexity: { status: 'complete' }, hotspots: { history: { source: 'none' } } });
    const counted = await home.run(['analyze', 'code', '-o', 'r.html', '--metrics', 'none', '--json']);
    expect(JSON.parse(counted.stdout)).not.toHaveProperty('complexity');
    expect(await home.read('r.html')).toContain('<bdi>src/<wbr>one.ts</bdi>');
    expect(end.stderr).not.toContain('warning: The map');
  });

  it.each([
    {
      target: 'code',
      says: /^error: option '-o, --output <file>' argument 'code' is invalid\. .*\.json, .*\.sarif/m,
      code: 2,
    },
    { target: 'dir.md', says: /^error: The report dir\.md cannot be written: it is a folder/m, code: 1 },
    { target: 'no/r.md', says: /there is no folder no; make it first/, code: 1 },
  ])('refuses $target before any server is started', async ({ target, says, code }) => {
    const home = await setup();
    await mkdir(join(home.folder, 'dir.md'));
    const end = await home.run(['analyze', 'code', '-o', target]);
    expect(end).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
    expect(await readdir(home.folder)).not.toContain('data');
  });
});
