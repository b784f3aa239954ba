/** No content of a tree makes the dependency metric fail, hang, grow without bound or read outside the tree. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { measureDependencies } from '../../../../workers/analysis/dependencies/measure.js';
import { ownMs } from '../../../support/own-time.js';
import { plantTree } from '../trees.js';
import { brief, measure } from './measure.js';

const FAULTS: readonly (readonly [path: string, text: string, line: number | undefined, message: RegExp])[] = [
  ['package.json', '{\n  "dependencies": { "a": x }\n}', 2, /not JSON: expected value, found "x"/],
  ['package.json', '{"a": [1, 2', 1, /expected , or \], found the end of the file/],
  ['package.json', '', 1, /expected value, found the end/],
  ['package-lock.json', '{"packages": {},}', 1, /expected key, found "}"/],
  ['pnpm-lock.yaml', 'a: b\nc: [1,\n d: }', 3, /not YAML/],
  ['yarn.lock', 'a@1:\n  version "1"\nnonsense\n', 3, /not a yarn lock file/],
  ['pyproject.toml', '[project]\nname = \n', 2, /not TOML/],
  ['requirements.txt', 'ok==1\n???\n', 2, /no requirement/],
  ['go.mod', 'module x\nfrobnicate y\n', 2, /knows no 'frobnicate'/],
  ['go.mod', 'module x\nrequire (\n a v1.0.0\n', undefined, /has no end/],
  ['pom.xml', '<project>\n<dependencies>\n</project>', 3, /not XML/],
  ['gradle.lockfile', 'a:b:1=x\nwhat is this\n', 2, /no locked module/],
  ['App.csproj', '<Project>&undefined;</Project>', 1, /not XML: undefined entity/],
  ['composer.json', Buffer.from('{"a":"\0"}').toString(), undefined, /NUL bytes/],
];

describe('a file with a fault', () => {
  it.each(FAULTS)('%s is named with its place: %j', async (path, text, line, message) => {
    const report = await measure({ [path]: text, 'ok/package.json': '{"dependencies":{"kept":"1.0.0"}}' });
    expect(report.problems).toHaveLength(1);
    expect(report.problems[0]).toMatchObject({ path, ...(line === undefined ? {} : { line }) });
    expect(report.problems[0]?.message).toMatch(message);
    expect(report.table.map(brief)).toContain('pkg:npm/kept@1.0.0 direct runtime unlocked');
  });

  it('costs only itself when it nests without end', async () => {
    const deep = 100_000;
    const report = await measure({
      'package.json': `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`,
      'pnpm-lock.yaml': '['.repeat(deep),
      'pyproject.toml': `a = ${'['.repeat(deep)}`,
      'pom.xml': '<a>'.repeat(deep),
    });
    expect(report.problems.map(({ path }) => path).sort()).toEqual(['pnpm-lock.yaml', 'pom.xml', 'pyproject.toml']);
  });
});

describe('a bomb', () => {
  it('of YAML aliases stays small', async () => {
    const levels = [...'abcdefghijklmnopqrstuvwxyz'];
    const nested = levels.slice(1).map((key, at) => `${key}: &${key} [${Array(9).fill(`*${levels[at]}`).join(',')}]`);
    const report = await measure({
      'pnpm-lock.yaml': `a: &a [x,x]\n${nested.join('\n')}\npackages:\n  ms@2.0.0: *z\n`,
    });
    expect(report.table.map(({ purl }) => purl)).toEqual(['pkg:npm/ms@2.0.0']);
  });

  it('of XML entities is never expanded', async () => {
    const pom = `<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>\n<project><name>&b;&f;</name></project>`;
    const { problems } = await measure({ 'pom.xml': pom });
    expect(problems).toMatchObject([{ path: 'pom.xml', line: 2, message: 'This is not XML: undefined entity.' }]);
  });

  it('of properties that grow each other is cut off', async () => {
    const grown = Array.from({ length: 40 }, (_, at) => `<p${at}>\${p${at + 1}}\${p${at + 1}}</p${at}>`).join('');
    const report = await measure({
      'pom.xml': `<project><properties>${grown}</properties><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>\${p0}</version></dependency></dependencies></project>`,
    });
    expect(report.table.map(({ name }) => name)).toEqual(['g:a']);
    expect(report.table[0]?.declared[0]?.range?.length).toBeLessThanOrEqual(1000);
  });
});

describe('a text made to be slow to search', () => {
  const many = 100_000;

  it.each([
    ['build.gradle', `dependencies { api${' '.repeat(many)}x }`],
    ['build.gradle', `api${'\n'.repeat(40 * many)}`],
    ['gradle.properties', '\n'.repeat(40 * many)],
    ['requirements.txt', `a${' '.repeat(many)}b`],
    ['Gemfile', `gem "${'\\\\"'.repeat(many)}`],
    ['yarn.lock', `a@1:\n  dependencies:\n${'    "'.repeat(many)}`],
    ['Cargo.lock', '[[package]]\nname="a"\nversion="1"\nsource="x"\ndependencies=["a"]\n'.repeat(many / 10)],
  ])('%s takes no time', async (path, text) => {
    const started = ownMs();
    await measure({ 'app/build.gradle': '', [path]: text });
    expect(ownMs() - started).toBeLessThan(5000);
  });
});

describe('names that are keys of every object', () => {
  const keys = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];

  it('are names like any other', async () => {
    const json = `{"dependencies":{${keys.map((key) => `"${key}":"1.0.0"`).join(',')}}}`;
    const toml = `[dependencies]\n${keys.map((key) => `${key} = "=1.0.0"`).join('\n')}\n`;
    const report = await measure({
      'package.json': json,
      'Cargo.toml': toml,
      'p/pnpm-lock.yaml': keys.map((key) => `${key}: {polluted: yes}`).join('\n'),
    });
    expect(report.problems).toEqual([]);
    expect(report.table.filter(({ ecosystem }) => ecosystem === 'cargo').map(({ name }) => name)).toEqual(
      [...keys].sort(),
    );
    expect(report.table.filter(({ ecosystem }) => ecosystem === 'npm')).toHaveLength(keys.length);
  });
});

describe('the rim of the tree', () => {
  /** A tree whose parent folder holds a secret file of each kind. */
  function plantBeneathSecrets(files: Record<string, string>) {
    const tree = plantTree(files);
    const root = join(tree.root, 'inner');
    const secrets = {
      'secret.txt': 'leaked==1\n',
      'pom.xml': '<project><properties><v>leaked</v></properties></project>',
    };
    for (const [path, text] of Object.entries(secrets)) writeFileSync(join(tree.root, path), text);
    return root;
  }

  it.each(['../secret.txt', '/etc/passwd', '..\\secret.txt', 'a/../../secret.txt'])(
    'is not passed by -r %s',
    async (include) => {
      const root = plantBeneathSecrets({ 'inner/requirements.txt': `-r ${include}\nkept==1\n` });
      const { signal } = new AbortController();
      const report = await measureDependencies({ root, files: ['requirements.txt'], signal });
      expect(report.table.map(({ name }) => name)).toEqual(['kept']);
      expect(report.problems).toMatchObject([{ path: 'requirements.txt', line: 1 }]);
      expect(report.problems[0]?.message).toMatch(/leads out of the tree/);
    },
  );

  it('is not passed by the parent of a pom', async () => {
    const pom = (parent: string) =>
      `<project><parent><groupId>g</groupId><artifactId>p</artifactId><version>1</version>${parent}</parent><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>\${v}</version></dependency></dependencies></project>`;
    const root = plantBeneathSecrets({
      'inner/pom.xml': pom(''),
      'inner/app/pom.xml': pom('<relativePath>../../pom.xml</relativePath>'),
    });
    const { signal } = new AbortController();
    const report = await measureDependencies({ root, files: ['pom.xml', 'app/pom.xml'], signal });
    expect(JSON.stringify(report)).not.toContain('leaked');
    expect(report.problems).toMatchObject([{ path: 'app/pom.xml', line: 1 }]);
  });

  it('is not passed through a link', async () => {
    const root = plantBeneathSecrets({ 'inner/requirements.txt': '-r link.txt\n-r folder/secret.txt\n' });
    symlinkSync('../secret.txt', join(root, 'link.txt'));
    symlinkSync('..', join(root, 'folder'));
    const { signal } = new AbortController();
    const report = await measureDependencies({ root, files: ['requirements.txt', 'link.txt'], signal });
    expect(report.table).toEqual([]);
    expect(report.problems).toHaveLength(2);
  });

  it('holds rings of includes and of parents', async () => {
    const parent = (path: string) =>
      `<project><parent><groupId>g</groupId><artifactId>p</artifactId><version>1</version><relativePath>${path}</relativePath></parent></project>`;
    const report = await measure({
      'requirements.txt': '-r a.txt\n',
      'a.txt': '-r b.txt\none==1\n',
      'b.txt': '-r a.txt\n-r requirements.txt\ntwo==2\n',
      'pom.xml': parent('x/pom.xml'),
      'x/pom.xml': parent('../pom.xml'),
    });
    expect(report.table.map(brief)).toEqual([
      'pkg:pypi/one@1 direct runtime unlocked',
      'pkg:pypi/two@2 direct runtime unlocked',
    ]);
    expect(report.problems).toEqual([]);
  });
});

describe('a file that is not as it was listed', () => {
  it('is named: too large, vanished, a pipe, a link', async () => {
    const { root, write } = plantTree({ 'package.json': '{}' });
    write('big/package-lock.json', Buffer.alloc(50 * 1024 * 1024, ' '));
    write('big/package.json', '{}');
    mkdirSync(join(root, 'pipe'));
    execFileSync('mkfifo', [join(root, 'pipe/go.mod')]);
    symlinkSync('/etc/passwd', join(root, 'Gemfile'));
    const files = ['package.json', 'big/package.json', 'pipe/go.mod', 'Gemfile', 'gone/Cargo.toml'];
    const report = await measureDependencies({ root, files, signal: new AbortController().signal });
    expect(report.problems.map(({ path, message }) => [path, message])).toEqual([
      ['pipe/go.mod', expect.stringContaining('fifo')],
      ['Gemfile', expect.stringContaining('symlink')],
      ['gone/Cargo.toml', expect.stringContaining('vanished')],
      ['big/package-lock.json', expect.stringContaining('larger than the limit')],
    ]);
  });
});

describe('an abort', () => {
  it('ends a measurement within a second, in the middle of a file too', async () => {
    const entries = Array.from({ length: 60_000 }, (_, at) => `  p${at}@1.0.0:\n    resolution: {integrity: x}\n`);
    const { root } = plantTree({ 'pnpm-lock.yaml': `packages:\n${entries.join('')}`, 'package.json': '{}' });
    for (let at = 0; at < 40; at++) writeLock(root, at, entries);
    const controller = new AbortController();
    let aborted = 0;
    const running = measureDependencies({
      root,
      files: ['package.json', ...Array.from({ length: 40 }, (_, at) => `d${at}/package.json`)],
      signal: controller.signal,
      onProgress: () => {
        if (aborted > 0) return;
        aborted = ownMs();
        controller.abort(new Error('enough'));
      },
    });
    await expect(running).rejects.toThrow('enough');
    expect(ownMs() - aborted).toBeLessThan(1000);
  });

  function writeLock(root: string, at: number, entries: readonly string[]): void {
    const path = join(root, `d${at}/pnpm-lock.yaml`);
    mkdirSync(dirname(path));
    onTestFinished(() => rmSync(path, { force: true }));
    writeFileSync(path, `packages:\n${entries.join('')}`);
    writeFileSync(join(dirname(path), 'package.json'), '{}');
  }
});
