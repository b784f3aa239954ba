/** Holds the sources to DESIGN.md's import and package laws and to the size budget of the house style. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PACKAGE_LAW } from './support/package-law.js';
import { type FileFacts, factsOf, importCycles, readSources } from './support/source-graph.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const PLACES = ['src', 'workers', 'test', 'bench', 'build', 'examples', 'vitest.config.ts'];

/** Which layer may import which others; files in one layer may always import each other. `src` means `src/*.ts`. */
const IMPORT_LAW: Readonly<Record<string, readonly string[]>> = {
  'src/core': [],
  'src/tools': ['src/core'],
  'src/jobs': ['src/core'],
  'src/redis': ['src/core'],
  'src/bullmq': ['src/core'],
  'src/embedded': ['src/core'],
  'src/web': ['src/core'],
  'src/mcp': ['src/core', 'src/tools', 'src/jobs', 'src/web'],
  'src/ops': ['src/core', 'src/jobs', 'src/web'],
  'src/dashboard': ['src/core', 'src/jobs', 'src/ops', 'src/web'],
  'src/secrets': ['src/core'],
  // What is counted, and how it is told; it opens nothing by itself.
  'src/metrics': ['src/core'],
  'src/trace': ['src/core'],
  // Tells others that a job ended.
  'src/webhook': ['src/core'],
  // Reports are text made of an analysis: they know neither the command line that asks for them nor MCP.
  'src/report': ['src/core', 'src/web'],
  'src/cli': ['src/core', 'src/report', 'src/config.ts'],
  src: ['src/*', 'package.json'],
  'workers/analysis': [],
  'workers/review': ['workers/analysis', 'src/core'],
  'workers/policy': ['src/core'],
  'workers/refactor': ['workers/analysis', 'workers/review', 'src/core'],
  'workers/handlers': ['src/tools', 'src/core', 'workers/analysis', 'workers/review', 'workers/refactor'],
  workers: ['src', 'src/*', 'workers/*'],
};

type Names = Readonly<Record<string, string>>;

/** Packages that are run, not imported: each must be called by a script of package.json under this name. */
const TOOL_COMMANDS: Names = { '@biomejs/biome': 'biome', typescript: 'tsc', wabt: 'wat2wasm' };
/** Packages that a test starts as a program: each is used as long as that test is there. */
const STARTED_BY_TESTS: Names = { '@modelcontextprotocol/inspector-cli': 'test/mcp/inspector.test.ts' };
/** Packages of data, whose files are opened and never imported: each is used as long as that file names it. */
const OPENED_BY: Names = {
  '@bull-board/ui': 'src/bullmq/board.ts',
  '@repomix/tree-sitter-wasms': 'workers/analysis/syntax/grammars.ts',
  '@vscode/tree-sitter-wasm': 'workers/analysis/syntax/grammars.ts',
};
/** Declared only to hold down the version that the other package asks for as its peer. */
const PINNED_PEERS: Names = { vite: 'vitest' };
const ENVIRONMENT_READER = 'src/config.ts';
/** The layers that may import everything, hence also a file that a setting names. */
const COMPOSITION = ['src', 'workers'];
const LIMITS = { productFileLines: 300, testFileLines: 400, functionLines: 50, nesting: 3 };

type Manifest = {
  name: string;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
type Rule = (files: readonly FileFacts[], manifest: Manifest) => string[];

const RULES: Readonly<Record<string, Rule>> = {
  'each folder imports only what the import law allows': (files) =>
    product(files).flatMap((file) => file.imports.files.filter((to) => !mayImport(file.path, to)).map(arrow(file))),

  'only composition imports what is computed at run time, where no law can follow': (files) =>
    product(files)
      .filter((file) => !COMPOSITION.includes(layerOf(file.path)))
      .flatMap((file) => at(file, file.imports.computed)),

  'each package is imported only where the package law allows': (files) =>
    product(files).flatMap((file) => file.imports.packages.filter((name) => !isHome(file.path, name)).map(arrow(file))),

  'the product imports only declared dependencies, other code any declared package': (files, manifest) =>
    files.flatMap((file) => file.imports.packages.filter((name) => !declares(manifest, file, name)).map(arrow(file))),

  'every declared package is used': (files, manifest) => [
    ...unused(
      Object.keys(manifest.dependencies),
      new Set([...packagesOf(product(files)), ...namedIn(OPENED_BY, product(files))]),
    ),
    ...unused(
      Object.keys(manifest.devDependencies),
      new Set([...packagesOf(files), ...toolsOf(manifest), ...namedIn(STARTED_BY_TESTS, files)]),
    ),
  ],

  'no files import each other in a ring': (files) => importCycles(files).map((ring) => ring.join(' <-> ')),

  'no file is longer than its limit': (files) =>
    files.filter((file) => file.lines > lineLimit(file)).map((file) => `${file.path} has ${file.lines} lines`),

  'no function of the product is longer than its limit': (files) =>
    functionsOf(files).flatMap(([file, { line, lines }]) =>
      lines > LIMITS.functionLines ? [`${file.path}:${line} has ${lines} lines`] : [],
    ),

  'no function of the product nests deeper than its limit': (files) =>
    functionsOf(files).flatMap(([file, { line, nesting }]) =>
      nesting > LIMITS.nesting ? [`${file.path}:${line} nests ${nesting} deep`] : [],
    ),

  'only the configuration reads the environment': (files) =>
    product(files)
      .filter((file) => file.path !== ENVIRONMENT_READER)
      .flatMap((file) => at(file, file.environmentReads)),

  'the product never writes to the console': (files) => product(files).flatMap((file) => at(file, file.consoleUses)),

  'the product never says any': (files) => product(files).flatMap((file) => at(file, file.anyTypes)),

  'the product never asserts that a value is there': (files) =>
    product(files).flatMap((file) => at(file, file.nonNullAssertions)),
};

describe('the sources', () => {
  const files = parse(Object.fromEntries(readSources(ROOT, PLACES)));
  const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  it.each(Object.entries(RULES))('%s', (_name, rule) => {
    expect(rule(files, manifest)).toEqual([]);
  });

  it('in WebAssembly text are all built, and none is longer than a file of the product', () => {
    const folder = join(ROOT, 'workers/analysis/lexer/simd-scan');
    const names = readdirSync(folder).sort();
    const lengths = names.map((name) => readFileSync(join(folder, name), 'utf8').split('\n').length - 1);

    expect(manifest.scripts['build:scanner']?.match(/\b[\w-]+\.wat\b/g)?.sort()).toEqual(names);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(LIMITS.productFileLines);
  });

  it('fill every layer that the import law names, and no other', () => {
    expect([...new Set(product(files).map((file) => layerOf(file.path)))].sort()).toEqual(
      Object.keys(IMPORT_LAW).sort(),
    );
  });
});

/** A tree that keeps every rule; each breach below changes it in one place. */
const LAWFUL = {
  'src/core/job.ts': `import { z } from 'zod';\nimport { randomUUID } from 'node:crypto';\nexport const a = [z, randomUUID];`,
  'src/main.ts': `import { a } from './core/job.js';\nimport b from '../package.json' with { type: 'json' };\nexport const load = (tool: string) => [a, b, import(tool)];`,
  'src/config.ts': `export const read = () => process.env['A'];`,
  'workers/main.ts': `import { a } from '../src/core/job.js';\nexport const argv = [a, process.argv];`,
  'test/job.test.ts': `import { it } from 'vitest';\nimport { a } from '../src/core/job.js';\nit('is', () => a);`,
  'examples/tool.ts': `import 'longhaul-mcp-server/tool';`,
};
const LAWFUL_MANIFEST: Manifest = {
  name: 'longhaul-mcp-server',
  scripts: { build: 'tsc -p tsconfig.json' },
  dependencies: { zod: '4' },
  devDependencies: { vitest: '4', vite: '8', typescript: '7', '@types/node': '20' },
};

type Breach = { breaks: string; files?: Record<string, string>; manifest?: Partial<Manifest>; reports: string };

const from = (path: string, target: string, reports = `${path} -> `): Breach => ({
  breaks: target.startsWith('.') ? 'folder imports only' : 'imported only where',
  files: { [path]: `import '${target}';`, 'src/core/seen.ts': '', 'src/tools/seen.ts': '', 'workers/seen.ts': '' },
  manifest: target.startsWith('.') ? {} : { dependencies: { zod: '4', [target.replace('/stdio', '')]: '1' } },
  reports,
});
const core = (text: string) => ({ 'src/core/bad.ts': text });
const nested = (depth: number) => `export function f(a: boolean) { ${'if (a) {'.repeat(depth)} ${'}'.repeat(depth)} }`;

const BREACHES: readonly Breach[] = [
  from('src/core/bad.ts', '../tools/seen.js', 'src/core/bad.ts -> src/tools/seen.ts'),
  from('src/core/bad.ts', '../config.js'),
  from('src/tools/bad.ts', '../jobs/seen.js'),
  from('src/jobs/bad.ts', '../redis/seen.js'),
  from('src/redis/bad.ts', '../jobs/seen.js'),
  from('src/bullmq/bad.ts', '../redis/seen.js'),
  from('src/embedded/bad.ts', '../redis/seen.js'),
  from('src/mcp/bad.ts', '../bullmq/seen.js'),
  from('src/ops/bad.ts', '../mcp/seen.js'),
  from('src/secrets/bad.ts', '../tools/seen.js'),
  from('src/report/bad.ts', '../tools/seen.js'),
  from('src/cli/bad.ts', '../main.js'),
  from('src/bad.ts', '../workers/seen.js', 'src/bad.ts -> workers/seen.ts'),
  from('src/jobs/bad.ts', '../../workers/seen.js'),
  from('src/bad.ts', '../test/job.test.js'),
  from('src/unnamed/bad.ts', '../core/seen.js'),
  from('workers/handlers/bad.ts', '../../src/jobs/seen.js'),
  from('workers/handlers/bad.ts', '../seen.js'),
  from('workers/analysis/bad.ts', '../../src/core/seen.js'),
  from('workers/review/bad.ts', '../../src/tools/seen.js'),
  from('src/core/bad.ts', 'pino', 'src/core/bad.ts -> pino'),
  from('src/embedded/bad.ts', 'ioredis'),
  from('src/bullmq/bad.ts', 'ioredis'),
  from('src/redis/bad.ts', 'bullmq'),
  from('src/jobs/bad.ts', 'bullmq'),
  from('src/cli/bad.ts', '@modelcontextprotocol/server/stdio', 'bad.ts -> @modelcontextprotocol/server'),
  from('src/bad.ts', '@modelcontextprotocol/node'),
  from('workers/review/bad.ts', 'saxes'),
  from('workers/bad.ts', 'a-package-without-a-home'),
  { breaks: 'folder imports only', files: core(`export type A = import('../config.js').A;`), reports: 'src/config.ts' },
  { breaks: 'folder imports only', files: core(`export * from '../config.js';`), reports: 'src/config.ts' },
  { breaks: 'folder imports only', files: core(`export { a } from '../config.js';`), reports: 'src/config.ts' },
  { breaks: 'folder imports only', files: core(`export const a = import('../config.js');`), reports: 'src/config.ts' },
  { breaks: 'folder imports only', files: core(`export const a = require('../config.js');`), reports: 'src/config.ts' },
  { breaks: 'environment', files: { 'src/main.ts': 'export const a = process.env;' }, reports: 'src/main.ts:1' },
  { breaks: 'computed', files: core('export const f = (a: string) => import(a);'), reports: 'src/core/bad.ts:1' },
  { breaks: 'declared dep', files: { 'test/bad.ts': `import 'undeclared';` }, reports: 'test/bad.ts -> undeclared' },
  { breaks: 'declared dep', files: core(''), manifest: { dependencies: {}, devDependencies: {} }, reports: '-> zod' },
  { breaks: 'package is used', manifest: { dependencies: { zod: '4', bullmq: '6' } }, reports: 'bullmq' },
  { breaks: 'package is used', manifest: { dependencies: { zod: '4', vitest: '4' } }, reports: 'vitest' },
  { breaks: 'package is used', manifest: { devDependencies: { vitest: '4', ajv: '8' } }, reports: 'ajv' },
  { breaks: 'package is used', manifest: { scripts: {} }, reports: 'typescript' },
  {
    breaks: 'package is used',
    manifest: { devDependencies: { vitest: '4', '@modelcontextprotocol/inspector-cli': '1' } },
    reports: 'inspector-cli',
  },
  {
    breaks: 'package is used',
    manifest: { dependencies: { zod: '4', '@vscode/tree-sitter-wasm': '1' } },
    reports: 'tree-sitter-wasm',
  },
  {
    breaks: 'package is used',
    manifest: { devDependencies: { vite: '8' } },
    files: { 'test/job.test.ts': '' },
    reports: 'vite',
  },
  {
    breaks: 'package is used',
    manifest: { devDependencies: { vitest: '4', '@types/saxes': '4' } },
    reports: '@types/saxes',
  },
  {
    breaks: 'ring',
    files: {
      'src/core/a.ts': `import './b.js';`,
      'src/core/b.ts': `import type { C } from './c.js';`,
      'src/core/c.ts': `export { A } from './a.js';`,
    },
    reports: 'src/core/a.ts <-> src/core/b.ts <-> src/core/c.ts',
  },
  { breaks: 'ring', files: core(`import './bad.js';`), reports: 'src/core/bad.ts' },
  { breaks: 'file is longer', files: core('\n'.repeat(301)), reports: 'src/core/bad.ts has 301 lines' },
  { breaks: 'file is longer', files: { 'test/bad.ts': '\n'.repeat(401) }, reports: 'test/bad.ts has 401 lines' },
  {
    breaks: 'product is longer',
    files: core(`\nexport const f = () => {${'\n'.repeat(50)}};`),
    reports: 'src/core/bad.ts:2 has 51 lines',
  },
  { breaks: 'nests deeper', files: core(nested(4)), reports: 'src/core/bad.ts:1 nests 4 deep' },
  { breaks: 'environment', files: core('\nexport const a = process.env;'), reports: 'src/core/bad.ts:2' },
  { breaks: 'environment', files: core(`export const a = process['env'];`), reports: 'src/core/bad.ts:1' },
  { breaks: 'environment', files: core('export const a = globalThis.process.env;'), reports: 'src/core/bad.ts:1' },
  { breaks: 'environment', files: core('export const { env } = process;'), reports: 'src/core/bad.ts:1' },
  { breaks: 'environment', files: core(`export { env as a } from 'node:process';`), reports: 'src/core/bad.ts:1' },
  { breaks: 'environment', files: core(`import { env } from 'node:process';`), reports: 'src/core/bad.ts:1' },
  { breaks: 'console', files: { 'workers/bad.ts': `console.error('a');` }, reports: 'workers/bad.ts:1' },
  { breaks: 'says any', files: core('export const a = 1 as any;'), reports: 'src/core/bad.ts:1' },
  { breaks: 'is there', files: core('export const f = (a?: string) => a!.length;'), reports: 'src/core/bad.ts:1' },
  { breaks: 'is there', files: core('export class A { a!: string; }'), reports: 'src/core/bad.ts:1' },
  { breaks: 'is there', files: core('let a!: string; export { a };'), reports: 'src/core/bad.ts:1' },
];

describe('the rules', () => {
  it('find nothing in a lawful tree', () => {
    expect(judge(LAWFUL, LAWFUL_MANIFEST)).toEqual({});
  });

  it('allow a file, a function and a nesting of exactly the limit', () => {
    const atLimit = `export const f = () => {${'\n'.repeat(49)}};${'\n'.repeat(251)}`;
    expect(judge({ ...LAWFUL, ...core(atLimit), 'src/core/nested.ts': nested(3) }, LAWFUL_MANIFEST)).toEqual({});
  });

  it('count an else-if as no deeper than its if', () => {
    const chain = `export function f(a: number) { ${[1, 2, 3, 4, 5].map((n) => `if (a === ${n}) {}`).join(' else ')} }`;
    expect(judge({ ...LAWFUL, ...core(chain) }, LAWFUL_MANIFEST)).toEqual({});
  });

  it.each(BREACHES)('report a breach of $breaks: $reports', ({ breaks, files, manifest, reports }) => {
    const reported = judge({ ...LAWFUL, ...files }, { ...LAWFUL_MANIFEST, ...manifest });
    const [name] = Object.keys(RULES).filter((rule) => rule.includes(breaks));
    expect(Object.keys(reported)).toEqual([name]);
    expect(reported[name ?? '']?.join('\n')).toContain(reports);
  });

  it('are each proven able to fail', () => {
    const unproven = Object.keys(RULES).filter((rule) => !BREACHES.some(({ breaks }) => rule.includes(breaks)));
    expect(unproven).toEqual([]);
  });

  it('refuse a file they cannot read', () => {
    expect(() => parse({ 'src/core/bad.ts': 'export const = ;' })).toThrow(/src\/core\/bad\.ts does not parse/);
  });
});

function judge(sources: Record<string, string>, manifest: Manifest): Record<string, string[]> {
  const files = parse(sources);
  const reports = Object.entries(RULES).map(([name, rule]) => [name, rule(files, manifest)] as const);
  return Object.fromEntries(reports.filter(([, found]) => found.length > 0));
}

function parse(sources: Record<string, string>): FileFacts[] {
  return Object.entries(sources).map(([path, text]) => factsOf(path, text));
}

function product(files: readonly FileFacts[]): FileFacts[] {
  return files.filter(isProduct);
}

function isProduct(file: FileFacts): boolean {
  return file.path.startsWith('src/') || file.path.startsWith('workers/');
}

function layerOf(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 2).join('/');
}

function mayImport(path: string, target: string): boolean {
  const layer = layerOf(path);
  const allowed = IMPORT_LAW[layer];
  if (allowed === undefined) return false;
  const targetLayer = layerOf(target);
  const wildcard = `${targetLayer.split('/')[0]}/*`;
  return targetLayer === layer || [target, targetLayer, wildcard].some((entry) => allowed.includes(entry));
}

function isHome(path: string, name: string): boolean {
  return (PACKAGE_LAW[name] ?? []).some((home) => (home.endsWith('/') ? path.startsWith(home) : path === home));
}

/** Examples import the product as its users do, by its own name; the product itself never goes through its public entry. */
function declares(manifest: Manifest, file: FileFacts, name: string): boolean {
  return (
    name in manifest.dependencies || (!isProduct(file) && (name in manifest.devDependencies || name === manifest.name))
  );
}

function packagesOf(files: readonly FileFacts[]): Set<string> {
  const packages = files.flatMap((file) => [...file.imports.packages, ...file.imports.builtins.map(() => 'node')]);
  return new Set(packages.flatMap((name) => [name, `@types/${name}`]));
}

function toolsOf(manifest: Manifest): string[] {
  const words = Object.values(manifest.scripts).flatMap((script) => script.split(/\s+/));
  const tools = Object.keys(TOOL_COMMANDS).filter((name) => words.includes(TOOL_COMMANDS[name] ?? ''));
  return [
    ...tools,
    ...Object.keys(PINNED_PEERS).filter((name) => (PINNED_PEERS[name] ?? '') in manifest.devDependencies),
  ];
}

function namedIn(table: Names, files: readonly FileFacts[]): string[] {
  return Object.keys(table).filter((name) => files.some(({ path }) => path === table[name]));
}

function unused(declared: readonly string[], used: ReadonlySet<string>): string[] {
  return declared.filter((name) => !used.has(name));
}

function functionsOf(files: readonly FileFacts[]) {
  return product(files).flatMap((file) => file.functions.map((facts) => [file, facts] as const));
}

function lineLimit(file: FileFacts): number {
  return isProduct(file) ? LIMITS.productFileLines : LIMITS.testFileLines;
}

function arrow(file: FileFacts): (target: string) => string {
  return (target) => `${file.path} -> ${target}`;
}

function at(file: FileFacts, lines: readonly number[]): string[] {
  return lines.map((line) => `${file.path}:${line}`);
}
