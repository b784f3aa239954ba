/** Which files a review gathers, and by which names they are told. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRedactor } from '../../src/secrets/redactor.js';
import { gatherFiles } from '../../workers/handlers/review-files.js';

const redactor = createRedactor({ secret: async () => 'of this test' });
afterAll(() => redactor.close());

async function gather(folders: readonly Readonly<Record<string, string>>[], paths: readonly string[]) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-gather-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  for (const [index, files] of folders.entries())
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(base, `${index}`, path)), { recursive: true });
      await writeFile(join(base, `${index}`, path), content);
    }
  const context = {
    allowedFolders: folders.map((_, index) => join(base, `${index}`)),
    signal: new AbortController().signal,
    progress: () => undefined,
  };
  const found = await gatherFiles({ paths: paths.map((path) => join(base, path)), context, redactor });
  return { base, ...found };
}

describe('a file under review', () => {
  it('whose name holds a secret is told without it, reviewed or skipped', async () => {
    const secret = ['AKIA', 'Z7QX2M4N8PLKW3RT'].join('');
    const tree = { [`a-${secret}.js`]: 'eval(1)', [`${secret}/b.txt`]: 'x', [`${secret}/empty.js`]: '' };
    const { files, skipped } = await gather([tree], ['0']);
    const sign = (text: string) => text.replace(/\[REDACTED:aws_access_key:\w+\]/, 'KEY');
    expect(files.map(({ path }) => sign(path))).toEqual(['a-KEY.js']);
    expect(skipped.map(({ path }) => sign(path)).sort()).toEqual(['KEY/b.txt', 'KEY/empty.js']);
  });

  it('that has its name from several allowed folders is told by its whole path, the others are not', async () => {
    const { base, files } = await gather(
      [{ 'x.js': 'one()' }, { 'x.js': 'two()', 'y.js': 'three()' }],
      ['0/x.js', '1/x.js', '1/y.js'],
    );
    expect(files.map(({ path, text }) => [path.replace(base, ''), text])).toEqual([
      ['/0/x.js', 'one()'],
      ['/1/x.js', 'two()'],
      ['y.js', 'three()'],
    ]);
  });
});
