/** Languages that a tree declares by `linguist-language`: what git says of each path, and that it holds in every count. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { measureEach } from '../../../workers/analysis/complexity/measure-complexity.js';
import { createLanguageDeclarations } from '../../../workers/analysis/declared-languages.js';
import { listFiles } from '../../../workers/analysis/scan.js';
import { findClones, statements, text } from './clone-trees.js';
import { expectAsFresh, makeFolder, scan } from './recalled-scans.js';
import { plantRepository } from './trees.js';

const TOP = [
  '*.x linguist-language=Go',
  '"b c.x" linguist-language=C',
  '*.y linguist-language=C -linguist-language',
  '*.z linguist-language=C',
  '[attr]mine linguist-language=Rust',
  '*.m mine',
  '*.n linguist-language=C mine',
  '*.o -mine',
  '!*.q linguist-language=C',
  '*.r\tlinguist-language=C++\r',
  'a/ linguist-language=C',
  '/a/*.s linguist-language=C',
  'a/**/t linguist-language=D',
  'A.w linguist-language=C',
  '[a-c].k linguist-language=C',
  '\\!z linguist-language=C',
  '*.v !linguist-language linguist-language=C',
  '*.v2 linguist-language=C !linguist-language',
  '*.aa linguist-language=C linguist-language=Java',
  '*.bare linguist-language',
  '# *.q linguist-language=C',
  '**/deep.e linguist-language=Perl',
].join('\n');
const PATHS = [
  ...[
    'q.x',
    'b c.x',
    'q.y',
    'q.z',
    'a/q.z',
    'a/b/q.z',
    'q.m',
    'a/q.m',
    'q.n',
    'q.o',
    'f.q',
    '!f.q',
    'f.r',
    'a/f',
    'f.s',
  ],
  ...['a/f.s', 'a/b/f.s', 'a/t', 'a/b/t', 'a.w', 'A.w', 'b.k', 'd.k', '!z', 'q.v', 'q.v2', 'q.aa', 'q.bare', 'deep.e'],
  ...['a/b/deep.e', 'a/b/c.x', 'a/b/sub.u', 'sub.u', 'a/only.p', 'a/b/only.p'],
];

it('says of every path what git says', () => {
  const tree = plantRepository({
    '.gitattributes': `${TOP}\n`,
    'a/.gitattributes':
      '*.z !linguist-language\n*.u mine\nonly.p linguist-language=Ruby\n[attr]late linguist-language=C\nsub.u late\n',
    'a/b/.gitattributes': '*.z linguist-language=Python\nc.x linguist-language=Lua',
  });
  const asked = ['check-attr', '-z', 'linguist-language', '--', ...PATHS];
  const told = execFileSync('git', asked, { cwd: tree.root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const fields = told.split('\0');
  const none = new Set(['unspecified', 'unset', 'set']);
  const byGit = PATHS.map((path, i) => [path, none.has(fields[3 * i + 2] ?? '') ? undefined : fields[3 * i + 2]]);

  const declared = createLanguageDeclarations(tree.root);
  expect(PATHS.map((path) => [path, declared.of(path)?.name])).toEqual(byGit);
});

it('knows languages by the names others give them, and passes over what nobody knows', () => {
  const tree = plantRepository({
    '.gitattributes':
      'a linguist-language=golang\nb linguist-language=emacs-lisp\nc linguist-language=c#\nd linguist-language=Klingon\n',
  });
  const declared = createLanguageDeclarations(tree.root);
  expect(['a', 'b', 'c', 'd'].map((path) => declared.of(path)?.name)).toEqual(['Go', 'Emacs Lisp', 'C#', undefined]);
});

it('is counted by, and by no other once it is declared otherwise, whatever is remembered', async () => {
  const tree = plantRepository({ 'a.inc': '# one\n// two\nx\n', 'b.c': 'int x;\n', 'd/c.inc': '# one\n' });
  const folder = makeFolder();
  for (const declared of [
    '',
    '*.inc linguist-language=Ruby',
    '*.inc linguist-language=Go',
    '',
    '*.inc linguist-language=Go',
  ])
    for (const _again of [1, 2]) {
      tree.write('.gitattributes', `${declared}\n`);
      const seen = await scan(tree, { folder });
      await expectAsFresh(tree, seen);
      const language = declared.split('=')[1];
      if (language) expect(seen.rows).toContain(`["a.inc","${language}",3,${language === 'Go' ? '2,1' : '2,1'},0,`);
      else expect(seen.rows).not.toMatch(/inc","(?:Ruby|Go)"/);
    }
});

it('holds for complexity and duplication too', async () => {
  const block = statements('block');
  const tree = plantRepository({
    '.gitattributes': '*.odd linguist-language=C\n',
    'a.odd': text('int a()', ...block),
    'b.c': text(...block),
    'f.odd': 'int f(int a) {\n  if (a) return 1;\n  return 2;\n}\n',
  });
  const { signal } = new AbortController();
  const list = await listFiles({ root: tree.root, signal });
  const found = [];
  for await (const file of measureEach({ root: tree.root, ...list, signal })) found.push(file);
  expect(found.find(({ path }) => path === 'f.odd')).toMatchObject({ language: 'C', decisions: 1 });
  const { clones } = await findClones(tree, { minTokens: 40, minLines: 5 });
  expect(clones[0]).toMatchObject({ language: 'C', copies: 2 });
});
