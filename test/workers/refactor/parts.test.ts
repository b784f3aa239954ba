/** The parts that keep a file what it is: its form, its secrets, its diff, and the moment it is replaced. */
import { chmod, chown, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fingerprintBytes } from '../../../workers/refactor/fingerprint-bytes.js';
import { openFolder, readOwnFile } from '../../../workers/refactor/open-folder.js';
import { restoreValues, strayPlaceholder } from '../../../workers/refactor/placeholders.js';
import { replaceFile } from '../../../workers/refactor/replace-file.js';
import { bytesIn, plainAnswer, readText } from '../../../workers/refactor/text-form.js';
import { unifiedDiff } from '../../../workers/refactor/unified-diff.js';
import { plantTree, type Tree } from './bench.js';

let tree: Tree | undefined;
afterEach(async () => {
  await tree?.remove();
  tree = undefined;
});

describe('the form of a text', () => {
  it.each(['a\nb\n', 'a\nb', 'a\r\nb\r\n', 'a\r\nb', '\uFEFFa\n', '\uFEFFa\r\nb', 'a', '\n', 'a\n\n\nb\n', 'ü€😀\n'])(
    'is the same after reading and writing: %j',
    (text) => {
      const read = readText(Buffer.from(text));
      if (!read.ok) throw new Error(read.reason);
      expect(read.body).not.toMatch(/[\r\uFEFF]/);
      expect(bytesIn(read.form, read.body).toString()).toBe(text);
    },
  );

  it.each([
    ['a\r\nb\n', 'mixed line ends'],
    ['a\rb', 'mixed line ends'],
    ['a\0b', 'binary'],
    [Buffer.from([0x61, 0xff]), 'not UTF-8'],
    [Buffer.from('\uFEFFa', 'utf16le'), 'binary'],
  ] as const)('is not guessed at: %j', (text, reason) => {
    expect(readText(Buffer.from(text as string))).toEqual({ ok: false, reason });
  });

  it('is given to an answer that lost it', () => {
    const ended = { mark: '', lineEnd: '\n', ended: true } as const;
    for (const answer of ['a\nb', 'a\nb\n', 'a\r\nb\r\n\r\n', '\uFEFFa\nb'])
      expect(plainAnswer(answer, ended)).toBe('a\nb\n');
    expect(plainAnswer('a\n\n', { ...ended, ended: false })).toBe('a');
    expect(plainAnswer('\n', ended)).toBe('');
  });
});

describe('the values of secrets', () => {
  const [A, B] = ['[REDACTED:github_token:1f3a]', '[REDACTED:password:00ff]'];

  it('come back wherever the placeholder is used, special characters and all', () => {
    const original = 'key = "s3(r.e*t$&"\nurl = a:s3(r.e*t$&@b, p$$w\n';
    const redacted = `key = "${A}"\nurl = a:${A}@b, ${B}\n`;
    expect(restoreValues(original, redacted, `x(${B});\ny(${A}, ${A});\n`)).toBe(
      'x(p$$w);\ny(s3(r.e*t$&, s3(r.e*t$&);\n',
    );
  });

  it.each([
    ['lines are missing', 'a\nb', 'a'],
    ['the text around differs', 'a = secret;', `b = ${A};`],
    ['a line without a placeholder differs', 'other', 'line'],
    ['one placeholder stands for two values', 'one\ntwo', `${A}\n${A}`],
  ])('are not guessed at when %s', (_what, original, redacted) => {
    expect(restoreValues(original, redacted, A)).toBeUndefined();
  });

  it('are missed, doubled or made up as soon as the counts differ', () => {
    expect(strayPlaceholder(`${A} ${A} ${B}`, `${B} ${A} ${A}`)).toBeUndefined();
    expect(strayPlaceholder(`${A} ${A}`, A)).toBe(A);
    expect(strayPlaceholder('', B)).toBe(B);
  });
});

describe('a diff', () => {
  it('is cut at a line and says so when it is long', () => {
    const before = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`).join('');
    const { text, cut, added, removed } = unifiedDiff('a.js', before, before.replaceAll('line', 'row'));
    expect([cut, added, removed]).toEqual([true, 2_000, 2_000]);
    expect(text.length).toBeLessThanOrEqual(12_000);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('tells a missing line break at the end', () => {
    expect(unifiedDiff('a b.js', 'a', 'b').text).toBe(
      '--- a/a b.js\n+++ b/a b.js\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n',
    );
  });
});

describe('replacing a file', () => {
  const swap = (root: string, path: string, old: string, made: string) => ({
    root,
    path,
    oldHash: fingerprintBytes(Buffer.from(old)),
    newHash: fingerprintBytes(Buffer.from(made)),
    tempName: '.ours.tmp',
    rewrite: () => Buffer.from(made),
  });

  it('keeps mode and owner, and is harmless when repeated', async () => {
    tree = await plantTree({ 'a.sh': 'old' });
    const path = join(tree.root, 'a.sh');
    await chmod(path, 0o4751);
    const mayChown = process.getuid?.() === 0;
    if (mayChown) await chown(path, 1234, 4321);
    await chmod(path, 0o4751);
    const replacement = swap(tree.root, 'a.sh', 'old', 'new');
    expect(await replaceFile(replacement)).toEqual({ kind: 'written' });
    const { mode, uid, gid, ino } = await stat(path);
    expect(mode & 0o7777).toBe(0o4751);
    if (mayChown) expect([uid, gid]).toEqual([1234, 4321]);
    expect(await replaceFile(replacement)).toEqual({ kind: 'written' });
    expect((await stat(path)).ino).toBe(ino);
    expect(await readdir(tree.root)).toEqual(['a.sh']);
  });

  it('leaves alone what is saved between the last look and the act', async () => {
    tree = await plantTree({ 'a.js': 'old' });
    const { root, put } = tree;
    const replacement = swap(root, 'a.js', 'old', 'new');
    const { writeFileSync } = await import('node:fs');
    const rewrite = () => {
      writeFileSync(join(root, 'a.js'), 'mine');
      return Buffer.from('new');
    };
    expect(await replaceFile({ ...replacement, rewrite })).toMatchObject({ kind: 'changed_meanwhile' });
    expect([await readFile(join(root, 'a.js'), 'utf8'), await readdir(root)]).toEqual(['mine', ['a.js']]);
    await put('a.js', 'old');
    expect(await replaceFile(replacement)).toEqual({ kind: 'written' });
  });

  it('never writes through a link that waits under the name of the new file', async () => {
    tree = await plantTree({ 'a.js': 'old' });
    const victim = await tree.put('victim', 'precious');
    await symlink(victim, join(tree.root, '.ours.tmp'));
    expect(await replaceFile(swap(tree.root, 'a.js', 'old', 'new'))).toEqual({ kind: 'written' });
    expect(await readFile(victim, 'utf8')).toBe('precious');
  });

  it('tells a fault, and leaves nothing behind', async () => {
    tree = await plantTree({ 'a.js': 'old' });
    const rewrite = () => {
      throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
    };
    const end = await replaceFile({ ...swap(tree.root, 'a.js', 'old', 'new'), rewrite });
    expect(end).toEqual({ kind: 'failed', reason: 'It could not be written (ENOSPC).' });
    expect([await readFile(join(tree.root, 'a.js'), 'utf8'), await readdir(tree.root)]).toEqual(['old', ['a.js']]);
  });
});

describe('an open folder', () => {
  it('is none if its path leads through a link, or to a file, or nowhere', async () => {
    tree = await plantTree({ 'real/in/a.js': 'a' });
    await symlink(join(tree.root, 'real'), join(tree.root, 'link'));
    for (const path of ['link', 'link/in', 'real/in/a.js', 'nothing'])
      expect([path, await openFolder(join(tree.root, path))]).toEqual([path, undefined]);
  });

  it('stays the same folder whatever takes its place', async () => {
    tree = await plantTree({ 'in/a.js': 'ours' });
    const { root } = tree;
    const other = await plantTree({ 'a.js': 'theirs' });
    const folder = await openFolder(join(root, 'in'));
    const { renameSync, symlinkSync } = await import('node:fs');
    renameSync(join(root, 'in'), join(root, 'moved'));
    symlinkSync(other.root, join(root, 'in'));
    const read = await readOwnFile(folder?.at('a.js') ?? '', 100);
    expect(read).toMatchObject({ ok: true, file: { bytes: Buffer.from('ours') } });
    await folder?.close();
    await other.remove();
  });

  it('yields no link, no folder, nothing read-only, nothing too large', async () => {
    tree = await plantTree({ 'big.js': 'x'.repeat(101), 'locked.js': 'x', 'in/a.js': 'x' });
    await chmod(join(tree.root, 'locked.js'), 0o444);
    await symlink('/etc/hosts', join(tree.root, 'link.js'));
    await writeFile(join(tree.root, 'fine.js'), 'x');
    const reasons = await Promise.all(
      ['big.js', 'locked.js', 'in', 'link.js', 'gone.js', 'fine.js'].map(async (name) => {
        const read = await readOwnFile(join(tree?.root ?? '', name), 100);
        return read.ok ? 'fine' : read.reason;
      }),
    );
    expect(reasons).toEqual([
      'too large for one answer',
      'read-only',
      'no regular file',
      'symlink',
      'vanished',
      'fine',
    ]);
  });
});
