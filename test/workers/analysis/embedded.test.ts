/** Languages within files of other languages: each line counts once, under the name of the language it is written in. */
import { describe, expect, it } from 'vitest';
import { createLexers } from '../../../workers/analysis/embedded.js';
import { countFiles, mergeCounts, noCounts, scan } from '../../../workers/analysis/scan.js';
import { figures, measure } from './measure.js';
import { plantTree } from './trees.js';

const never = new AbortController().signal;

/** What each language has in a text: the file's own first, then the embedded ones as they come. */
function divide(name: string, content: string): string[] {
  const { language, embedded, ...counts } = measure(name, content);
  const own = { code: counts.code, comments: counts.comments, blanks: counts.blanks };
  for (const part of embedded) {
    own.code -= part.code;
    own.comments -= part.comments;
    own.blanks -= part.blanks;
  }
  return [`${language} ${figures(own)}`, ...embedded.map((part) => `${part.language} ${figures(part)}`)];
}

const cell = (type: string, ...source: string[]) => ({ cell_type: type, source });
const notebook = (language: string | undefined, ...cells: object[]) =>
  JSON.stringify({ cells, metadata: language ? { kernelspec: { language } } : {}, nbformat: 4 }, undefined, 1);

/** Rule, name, text, what each language has. */
const RULES: readonly (readonly [rule: string, name: string, text: string, expected: readonly string[]])[] = [
  [
    'the tags of a script are the page’s, the lines between are the script’s',
    'a.html',
    '<p>\n<script>\n// a\nx = 1;\n\n</script>\n<style>\n/* b */\n</style>\n',
    ['HTML 5/0/0', 'JavaScript 1/1/1', 'CSS 0/1/0'],
  ],
  [
    'a script that shares its line with its tags is the page’s',
    'a.html',
    '<script>x = 1</script>\n<script>/* a\n*/ y = 2; // </script>\n<style></style>\n',
    ['HTML 4/0/0'],
  ],
  [
    'a comment that opens beside a tag goes on in the script',
    'a.html',
    '<script>/* a\nb\n*/\n</script>\n',
    ['HTML 2/0/0', 'JavaScript 0/2/0'],
  ],
  ['a script without an end runs to the end', 'a.html', '<script>\nx\n\n// y', ['HTML 1/0/0', 'JavaScript 1/1/1']],
  [
    '`type` names the language of a script',
    'a.html',
    '<script type="application/ld+json">\n{}\n</script>\n<script type=module\n async>\nx\n</script>\n<script type="text/x-template">\n<!-- a -->\n</script>\n',
    ['HTML 7/0/0', 'JSON 1/0/0', 'JavaScript 1/0/0', 'HTML 0/1/0'],
  ],
  [
    'a script of a type that nobody knows is the page’s',
    'a.html',
    '<script type="text/x-unheard-of">\n// a\n\n</script>\n',
    ['HTML 3/0/1'],
  ],
  [
    '`lang` names the language of a script or style',
    'a.svelte',
    '<script lang="ts" context="module">\n// a\n</script>\n<style lang=\'scss\'>\n// b\n</style>\n<style>\n// c\n</style>\n',
    ['Svelte 6/0/0', 'TypeScript 0/1/0', 'SCSS 0/1/0', 'CSS 1/0/0'],
  ],
  [
    'a template is the component’s own markup',
    'a.vue',
    '<template>\n  <template #x>\n  </template>\n  <!-- a -->\n</template>\n\n<script setup lang="ts">\nx\n</script>\n',
    ['Vue 6/1/1', 'TypeScript 1/0/0'],
  ],
  [
    'a template in another language ends at the start of a line',
    'a.vue',
    '<template lang="pug">\n//- a\n  b\n  </template>\np\n</template>\n',
    ['Vue 2/0/0', 'Pug 1/3/0'],
  ],
  [
    'what stands between rules at the start of an Astro page is TypeScript',
    'a.astro',
    '---\n// a\nx\n---\n<p>\n---\n<style>\n\n</style>\n',
    ['Astro 6/0/0', 'TypeScript 1/1/0', 'CSS 0/0/1'],
  ],
  [
    'a fenced block is of the language it names',
    'a.md',
    '# A\n\n```js title="x"\n// a\n\n```\n~~~ {.python}\n# b\n~~~~\n  ```C#\n  // c\n  ```\n',
    ['Markdown 7/0/1', 'JavaScript 0/1/1', 'Python 0/1/0', 'C# 0/1/0'],
  ],
  [
    'a fenced block of no language, or of prose, is Markdown',
    'a.md',
    '```\n# a\n\n```\n```text\n// b\n```\n```unheard-of\n/* c */\n```\n',
    ['Markdown 9/0/1'],
  ],
  [
    'a fence ends at one as long of the same marks, and nothing else on its line',
    'a.md',
    '````js\n```\n~~~~\n```` a\n`````\n# b\n',
    ['Markdown 3/0/0', 'JavaScript 3/0/0'],
  ],
  ['marks within a line open no block', 'a.md', 'a ```js\n```js``` b\n// c\n', ['Markdown 3/0/0']],
  [
    'a fence without an end runs to the end of the text',
    'a.md',
    '```rust,no_run\n/* a\n\n',
    ['Markdown 1/0/0', 'Rust 0/2/0'],
  ],
  ['a last line without a newline is the block’s', 'a.md', '```js\n// a', ['Markdown 1/0/0', 'JavaScript 0/1/0']],
  [
    'what a block leaves open ends with it',
    'a.md',
    '```js\n/* a\n```\nb\n```sh\ncat <<X\n```\n# c\n```yaml\na: |\n```\n  d\n',
    ['Markdown 9/0/0', 'JavaScript 0/1/0', 'Shell 1/0/0', 'YAML 1/0/0'],
  ],
  [
    'parts may hold parts',
    'a.md',
    '```html\n<script>\n// a\n</script>\n```\n',
    ['Markdown 2/0/0', 'JavaScript 0/1/0', 'HTML 2/0/0'],
  ],
  [
    'a notebook has the lines of its cells, by kernel',
    'a.ipynb',
    notebook(
      'python',
      cell('markdown', '# A\n', '\n', '```sh\n', '# b\n', '```'),
      cell('code', '"""c"""\n', '\n', 'x = 1'),
      cell('code'),
      cell('raw', 'd\n', 'e'),
    ),
    ['Jupyter Notebook 2/0/0', 'Shell 0/1/0', 'Markdown 3/0/1', 'Python 1/1/1'],
  ],
  [
    'a kernel’s version does not matter',
    'a.ipynb',
    notebook('C++17', cell('code', '// a')),
    ['Jupyter Notebook 0/0/0', 'C++ 0/1/0'],
  ],
  [
    'a cell that is handed to another language is of that',
    'a.ipynb',
    notebook(
      'python',
      cell('code', '%%bash\n# a\nls'),
      cell('code', '%%script ruby -w\n# b'),
      cell('code', '%%time\n# c'),
    ),
    ['Jupyter Notebook 0/0/0', 'Bash 2/1/0', 'Ruby 1/1/0', 'Python 1/1/0'],
  ],
  [
    'a notebook that names no kernel is Python',
    'a.ipynb',
    notebook(undefined, { cell_type: 'code', source: '# a\nb' }),
    ['Jupyter Notebook 0/0/0', 'Python 1/1/0'],
  ],
  [
    'a notebook of the third format has worksheets',
    'a.ipynb',
    JSON.stringify({ worksheets: [{ cells: [{ cell_type: 'code', language: 'ruby', input: ['# a'] }] }] }),
    ['Jupyter Notebook 0/0/0', 'Ruby 0/1/0'],
  ],
  ['a notebook that cannot be read counts as it stands', 'a.ipynb', '{"cells": [\n\n', ['Jupyter Notebook 1/0/1']],
  ['JSON that is no notebook counts as it stands', 'a.ipynb', '[\n]\n', ['Jupyter Notebook 2/0/0']],
  [
    'a comment takes along what is indented below it',
    'a.haml',
    '-# a\n  b\n\n  c\n\n%p\n  /\n    d\n  / e\n  f\n/[if IE]\n  g\n',
    ['Haml 3/8/1'],
  ],
  ['a mark behind text opens no comment in Pug', 'a.pug', 'a http://b\n//- c\n\n d\n| //\n', ['Pug 2/3/0']],
];

describe('embedded languages', () => {
  it.each(RULES)('%s', (_rule, name, text, expected) => {
    expect(divide(name, text)).toEqual(expected);
    if (!name.endsWith('.ipynb')) expect(divide(name, text.replaceAll('\n', '\r\n'))).toEqual(expected);
  });

  it.each([
    ['text/javascript; charset=utf-8', 'JavaScript'],
    ['importmap', 'JSON'],
    ['x-shader/x-vertex', 'GLSL'],
    ['text/x-handlebars-template', 'Handlebars'],
    ['TSX', 'TSX'],
    ['golang', 'Go'],
    ['bash', 'Bash'],
    ['protocol-buffers', 'Protocol Buffers'],
    ['docker', 'Dockerfile'],
    ['text', undefined],
    ['1', undefined],
    ['', undefined],
    ['constructor', undefined],
  ])('the label %j means %j', (label, language) => {
    expect(createLexers().find(label)?.language).toBe(language);
  });

  it('count a file once, its bytes with it, and every line once, however a tree is divided', async () => {
    const files = {
      'a.html': '<script>\n// a\n</script>\n',
      'b.js': 'b\n',
      'c.ipynb': notebook('javascript', cell('code', '// c\n', 'd')),
      'd.md': '```js\n\n```\n',
    };
    const { root } = plantTree(files);
    const { byLanguage, totals, byExtension } = await scan({ root, signal: never });
    const rows = byLanguage.map(({ language, files: count, lines }) => [language, count, lines]);
    const parts = await Promise.all(Object.keys(files).map((file) => countFiles(root, [file], { signal: never })));

    expect(rows).toEqual([
      ['HTML', 1, 2],
      ['JavaScript', 1, 5],
      ['Markdown', 1, 2],
      ['Jupyter Notebook', 1, 0],
    ]);
    expect(totals).toMatchObject({ files: 4, lines: 9, code: 6, comments: 2, blanks: 1 });
    expect(byLanguage.reduce((sum, row) => sum + row.lines, 0)).toBe(totals.lines);
    expect(byLanguage.find(({ language }) => language === 'JavaScript')?.bytes).toBe(2);
    expect(byExtension.find(({ extension }) => extension === 'ipynb')?.lines).toBe(2);
    expect(parts.reverse().reduce(mergeCounts, noCounts())).toMatchObject({ byLanguage, totals, byExtension });
  });
});
