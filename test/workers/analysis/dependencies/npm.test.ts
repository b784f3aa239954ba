/** What npm, pnpm and yarn write is read alike: the lock files here come from these programs themselves. */
import { describe, expect, it } from 'vitest';
import { brief, fixture, measure } from './measure.js';

const MANIFEST = JSON.stringify(
  {
    name: 'fixture',
    dependencies: { '@sindresorhus/is': '^4.0.0', chalk: '4.1.2', 'old-ms': 'npm:ms@2.0.0' },
    devDependencies: { debug: '^4.3.4' },
    optionalDependencies: { fsevents: '~2.3.2' },
  },
  null,
  2,
);

/** What the manifest above comes to; `ms` is in the tree twice, once under an alias. */
const PACKAGES = [
  'pkg:npm/%40sindresorhus/is@4.6.0 direct runtime',
  'pkg:npm/ansi-styles@4.3.0 transitive runtime',
  'pkg:npm/chalk@4.1.2 direct runtime',
  'pkg:npm/color-convert@2.0.1 transitive runtime',
  'pkg:npm/color-name@1.1.4 transitive runtime',
  'pkg:npm/debug@4.4.3 direct dev',
  'pkg:npm/fsevents@2.3.3 direct optional',
  'pkg:npm/has-flag@4.0.0 transitive runtime',
  'pkg:npm/ms@2.0.0 direct runtime',
  'pkg:npm/ms@2.1.3 transitive dev',
  'pkg:npm/supports-color@7.2.0 transitive runtime',
];

const LOCKS: readonly (readonly [file: string, fixture: string])[] = [
  ['package-lock.json', 'package-lock-v1.json'],
  ['package-lock.json', 'package-lock-v2.json'],
  ['npm-shrinkwrap.json', 'package-lock-v3.json'],
  ['pnpm-lock.yaml', 'pnpm-lock-v5.yaml'],
  ['pnpm-lock.yaml', 'pnpm-lock-v6.yaml'],
  ['pnpm-lock.yaml', 'pnpm-lock-v9.yaml'],
  ['yarn.lock', 'yarn-v1.lock'],
];

describe('a project of npm', () => {
  it.each(LOCKS)('is read from its manifest and %s (%s)', async (file, name) => {
    const report = await measure({ 'package.json': MANIFEST, [file]: fixture(name) });
    expect(report.table.map(brief)).toEqual(PACKAGES);
    expect(report.problems).toEqual([]);
    expect(report.totals).toMatchObject({
      manifests: 1,
      locks: 1,
      packages: 11,
      direct: 5,
      transitive: 6,
      unlocked: 0,
    });
    expect(report.duplicates).toEqual([
      { purl: 'pkg:npm/ms', ecosystem: 'npm', versions: ['2.0.0', '2.1.3'], versionsTotal: 2, projects: 1 },
    ]);
  });

  it('is read from a lock file of modern yarn, which brings more along', async () => {
    const report = await measure({ 'package.json': MANIFEST, 'yarn.lock': fixture('yarn-modern.lock') });
    const rows = report.table.map(brief);
    expect(rows).toEqual(expect.arrayContaining(PACKAGES));
    expect(rows).toContain('pkg:npm/node-gyp@13.1.0 transitive optional');
    expect(report.totals).toMatchObject({ direct: 5, scopes: { dev: 2 } });
  });

  it('is read with its line endings, byte order mark or encoding changed', async () => {
    const lock = fixture('pnpm-lock-v9.yaml');
    const report = await measure({
      'package.json': Buffer.from(`\uFEFF${MANIFEST}`, 'utf16le'),
      'pnpm-lock.yaml': `\uFEFF${lock.replaceAll('\n', '\r\n')}`,
    });
    expect(report.table.map(brief)).toEqual(PACKAGES);
  });

  it('names where each dependency is declared', async () => {
    const { table } = await measure({ 'package.json': MANIFEST });
    const place = table.find(({ name }) => name === 'ms')?.declared;
    expect(place).toEqual([{ path: 'package.json', line: 6, scope: 'runtime', range: '2.0.0' }]);
    expect(table.map(brief)).toContain('pkg:npm/%40sindresorhus/is direct runtime unlocked');
    expect(table.map(brief)).toContain('pkg:npm/chalk@4.1.2 direct runtime unlocked');
  });
});

describe('a workspace of npm', () => {
  const members = {
    'package.json': '{"name":"root","workspaces":["packages/*"],"devDependencies":{"ms":"2.0.0"}}',
    'packages/a/package.json': '{"name":"a","version":"1.0.0","dependencies":{"ms":"2.1.3","b":"1.0.0"}}',
    'packages/b/package.json':
      '{"name":"b","version":"1.0.0","dependencies":{"debug":"4.3.4","c":"workspace:*"},"peerDependencies":{"lodash":"^4.17.0"}}',
  };

  it('is joined with the lock file above its members, each need with its own version', async () => {
    const report = await measure({ ...members, 'package-lock.json': fixture('package-lock-workspace.json') });
    expect(report.table.map(brief)).toEqual([
      'pkg:npm/debug@4.3.4 direct runtime',
      'pkg:npm/lodash direct peer unlocked',
      'pkg:npm/ms@2.0.0 direct dev',
      'pkg:npm/ms@2.1.2 transitive runtime',
      'pkg:npm/ms@2.1.3 direct runtime',
    ]);
    expect(report.table.map(({ project }) => project)).toEqual(['', '', '', '', '']);
    expect(report.table.at(-1)?.declared.map(({ path }) => path)).toEqual(['packages/a/package.json']);
  });

  it('leaves a project below that is no member to itself', async () => {
    const report = await measure({
      ...members,
      'package-lock.json': fixture('package-lock-workspace.json'),
      'examples/x/package.json': '{"dependencies":{"ms":"^1.0.0"}}',
    });
    const rows = report.table.filter(({ project }) => project === 'examples/x');
    expect(rows.map(brief)).toEqual(['pkg:npm/ms direct runtime unlocked']);
    expect(report.table).toHaveLength(6);
  });

  it('counts its own members as local, not as packages', async () => {
    const report = await measure({ ...members, 'package-lock.json': fixture('package-lock-workspace.json') });
    expect(report.totals.local).toBe(2);
    expect(report.table.map(({ name }) => name)).not.toContain('b');
  });

  it('keeps a project with a lock file of its own apart', async () => {
    const report = await measure({
      ...members,
      'package-lock.json': fixture('package-lock-workspace.json'),
      'tools/package.json': MANIFEST,
      'tools/yarn.lock': fixture('yarn-v1.lock'),
    });
    const tools = report.table.filter(({ project }) => project === 'tools');
    expect(tools.map(brief)).toEqual(PACKAGES);
    expect(report.duplicates.map(({ purl, versions, projects }) => [purl, versions, projects])).toEqual([
      ['pkg:npm/ms', ['2.0.0', '2.1.2', '2.1.3'], 2],
      ['pkg:npm/debug', ['4.3.4', '4.4.3'], 2],
    ]);
  });
});
