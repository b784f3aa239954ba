/** What is read of a unified diff: every file it names, and of each the new lines by their numbers. */
import { describe, expect, it } from 'vitest';
import { sourcesOfDiff } from '../../../workers/review/diff-source.js';

function read(...lines: readonly string[]) {
  const { sources, skipped } = sourcesOfDiff(lines.join('\n'));
  const added = sources.map(({ path, lines: own }) => [path, own.filter((line) => line.added).map(({ text }) => text)]);
  return { added: Object.fromEntries(added), skipped };
}

const ADDED = ['--- a/new.js', '+++ b/new.js', '@@ -0,0 +1 @@', '+next()'];

describe('a file of a diff without the heads of git', () => {
  it('that only loses lines is not taken for the one after it', () => {
    expect(read('--- a/old.js', '+++ b/old.js', '@@ -1,2 +0,0 @@', '-one', '-two', ...ADDED)).toEqual({
      added: { 'new.js': ['next()'] },
      skipped: [{ path: 'old.js', reason: 'no added lines' }],
    });
  });

  it('that is deleted is told by its old name', () => {
    expect(read('--- a/old.js', '+++ /dev/null', '@@ -1 +0,0 @@', '-one', ...ADDED)).toEqual({
      added: { 'new.js': ['next()'] },
      skipped: [{ path: 'old.js', reason: 'deleted' }],
    });
  });

  it('that is binary is told by its own name, and not by that of the file before', () => {
    expect(read(...ADDED, 'Binary files a/pic.png and b/pic.png differ')).toEqual({
      added: { 'new.js': ['next()'] },
      skipped: [{ path: 'pic.png', reason: 'binary' }],
    });
  });
});

describe('a file with a head of git', () => {
  it.each([
    [['similarity index 100%', 'rename from a.js', 'rename to c.js'], 'renamed, and otherwise as before'],
    [['old mode 100644', 'new mode 100755'], 'no added lines'],
    [['index 1..2', 'Binary files a/c.js and b/c.js differ'], 'binary'],
    [['index 1..2', 'GIT binary patch', 'literal 4', 'LcmZQ'], 'binary'],
  ])('and no hunk is told with its reason: %j', (lines, reason) => {
    expect(read('diff --git a/a.js b/c.js', ...lines, 'diff --git a/new.js b/new.js', ...ADDED)).toEqual({
      added: { 'new.js': ['next()'] },
      skipped: [{ path: 'c.js', reason }],
    });
  });

  it.each([
    ['"a/caf\\303\\251 \\"x\\".png" "b/caf\\303\\251 \\"x\\".png"', 'café "x".png'],
    ['a/one b/two.png b/one b/two.png', 'one b/two.png'],
    ['pic.png pic.png', 'pic.png'],
  ])('and no other names is told by those of its head: %s', (names, path) => {
    expect(read(`diff --git ${names}`, 'Binary files differ', ...ADDED).skipped).toEqual([{ path, reason: 'binary' }]);
  });

  it.each([
    [['deleted file mode 100644', 'index 1..0'], 'deleted'],
    [['deleted file mode 100644', 'Binary files a/c.js and /dev/null differ'], 'deleted'],
    [['rename from a.js', 'rename to c.js', '--- a/a.js', '+++ b/c.js', '@@ -1 +0,0 @@', '-x'], 'no added lines'],
  ])('says what became of it: %j', (lines, reason) => {
    expect(read('diff --git a/c.js b/c.js', ...lines).skipped).toEqual([{ path: 'c.js', reason }]);
  });

  it('that is a merge of several is told as not read', () => {
    const merge = [
      'diff --cc m.js',
      'index 1,2..3',
      '--- a/m.js',
      '+++ b/m.js',
      '@@@ -1,1 -1,1 +1,2 @@@',
      '  a',
      '++b',
    ];
    for (const all of [
      [...merge, '--- not a head', 'diff --git a/new.js b/new.js', ...ADDED],
      [...ADDED, ...merge],
    ])
      expect(read(...all)).toEqual({
        added: { 'new.js': ['next()'] },
        skipped: [{ path: 'm.js', reason: 'the diff of a merge, which is not read' }],
      });
  });
});

describe('a hunk', () => {
  it('with line breaks of Windows, and no line break at its end, is read line by line', () => {
    const { sources } = sourcesOfDiff(
      ['--- a/x.js', '+++ b/x.js', '@@ -1,2 +1,2 @@', ' a', '-b', '\\ No newline at end of file', '+c'].join('\r\n'),
    );
    expect(sources[0]?.lines).toEqual([
      { number: 1, text: 'a', added: false },
      { number: 2, text: 'c', added: true },
    ]);
  });

  it('with lines that look like heads keeps them', () => {
    expect(read('--- a/x.sql', '+++ b/x.sql', '@@ -1 +1,2 @@', '--- old', '+++ new', '+-- more').added).toEqual({
      'x.sql': ['++ new', '-- more'],
    });
  });
});
