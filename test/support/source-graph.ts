/** Reads TypeScript sources into the facts that the architecture test judges; it knows no law itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { type Node, parseSync, visitorKeys } from 'oxc-parser';

/** A source by its path from the repository's root, with `/` on every system. */
export type Sources = ReadonlyMap<string, string>;

/** What one file brings in: files of ours, packages by name, and imports whose target only run time knows. */
export type Imports = { files: string[]; packages: string[]; builtins: string[]; computed: number[] };

/** A function's place and size in lines, with the depth of its deepest nested statement. */
export type FunctionFacts = { line: number; lines: number; nesting: number };

/** Every fact about one file; line numbers count from 1. */
export type FileFacts = {
  path: string;
  lines: number;
  imports: Imports;
  functions: FunctionFacts[];
  environmentReads: number[];
  consoleUses: number[];
  anyTypes: number[];
  nonNullAssertions: number[];
};

const BLOCKS = new Set([
  ...['IfStatement', 'ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement'],
  ...['SwitchStatement', 'TryStatement'],
]);
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** All `.ts` files below the given folders, and the given files; what is not there counts as empty. */
export function readSources(root: string, places: readonly string[]): Sources {
  const paths = places.flatMap((place) => (place.endsWith('.ts') ? [place] : typescriptFiles(root, place)));
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** Parses one file. Throws when it is not valid TypeScript: an unread file would be an unjudged one. */
export function factsOf(path: string, text: string): FileFacts {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors.map((error) => error.message).join('; ')}`);
  const reader = createReader(path, text);
  reader.visit(program, undefined);
  return reader.facts;
}

/** Each group of files that import each other in a ring, sorted (Tarjan's strongly connected components, 1972). */
export function importCycles(files: readonly FileFacts[]): string[][] {
  const edges = new Map(files.map((file) => [file.path, file.imports.files]));
  const found = new Map<string, { index: number; low: number }>();
  const open: string[] = [];
  const cycles: string[][] = [];

  function close(path: string): void {
    const group = open.splice(open.indexOf(path));
    if (group.length > 1 || edges.get(path)?.includes(path)) cycles.push(group.sort());
  }
  function visit(path: string): { index: number; low: number } {
    const self = { index: found.size, low: found.size };
    found.set(path, self);
    open.push(path);
    for (const next of edges.get(path) ?? []) {
      const seen = found.get(next);
      if (seen === undefined) self.low = Math.min(self.low, visit(next).low);
      else if (open.includes(next)) self.low = Math.min(self.low, seen.index);
    }
    if (self.low === self.index) close(path);
    return self;
  }

  for (const path of edges.keys()) if (!found.has(path)) visit(path);
  return cycles;
}

function typescriptFiles(root: string, folder: string): string[] {
  try {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.ts')).map((name) => posix.join(folder, name.replaceAll('\\', '/')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

type Reader = { facts: FileFacts; visit(node: Node, parent: Node | undefined): void };

function createReader(path: string, text: string): Reader {
  const facts: FileFacts = {
    path,
    lines: text.replace(/\n$/, '').split('\n').length,
    imports: { files: [], packages: [], builtins: [], computed: [] },
    functions: [],
    environmentReads: [],
    consoleUses: [],
    anyTypes: [],
    nonNullAssertions: [],
  };
  const lineOf = createLineIndex(text);
  /** The functions being read, innermost last; depth counts the blocks open in each. */
  const open: { facts: FunctionFacts; depth: number }[] = [];

  function visit(node: Node, parent: Node | undefined): void {
    const line = lineOf(node.start);
    note(facts, node, line);
    const isFunction = FUNCTIONS.has(node.type);
    const isBlock = BLOCKS.has(node.type) && !isElseIf(node, parent);
    if (isFunction) open.push({ facts: { line, lines: lineOf(node.end) - line + 1, nesting: 0 }, depth: 0 });
    const here = open.at(-1);
    if (here && isBlock) here.facts.nesting = Math.max(here.facts.nesting, ++here.depth);
    for (const child of childrenOf(node)) visit(child, node);
    if (here && isBlock) here.depth -= 1;
    if (isFunction && here) facts.functions.push(here.facts);
    if (isFunction) open.pop();
  }
  return { facts, visit };
}

/** Answers the line of an offset from a table, since it is asked for every node. */
function createLineIndex(text: string): (offset: number) => number {
  const lines = new Uint32Array(text.length + 1).fill(1);
  for (let offset = 1; offset <= text.length; offset += 1) {
    lines[offset] = (lines[offset - 1] ?? 1) + (text[offset - 1] === '\n' ? 1 : 0);
  }
  return (offset) => lines[offset] ?? 1;
}

function isElseIf(node: Node, parent: Node | undefined): boolean {
  return parent?.type === 'IfStatement' && node.type === 'IfStatement' && parent.alternate === node;
}

function childrenOf(node: Node): Node[] {
  const values: unknown[] = (visitorKeys[node.type] ?? []).map((key) => Reflect.get(node, key));
  return values.flat().filter(isNode);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function note(facts: FileFacts, node: Node, line: number): void {
  const target = importTarget(node);
  if (target !== undefined) addImport(facts, target, line);
  if (readsEnvironment(node)) facts.environmentReads.push(line);
  if (node.type === 'MemberExpression' && isName(node.object, 'console')) facts.consoleUses.push(line);
  if (node.type === 'TSAnyKeyword') facts.anyTypes.push(line);
  if (node.type === 'TSNonNullExpression') facts.nonNullAssertions.push(line);
  if ('definite' in node && node.definite === true) facts.nonNullAssertions.push(line);
}

/** The node that names what is imported, in each of the ways a module can be asked for. */
function importTarget(node: Node): Node | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ImportExpression':
    case 'ExportAllDeclaration':
    case 'TSImportType':
      return node.source;
    case 'ExportNamedDeclaration':
      return node.source ?? undefined;
    case 'CallExpression':
      return isName(node.callee, 'require') ? node.arguments[0] : undefined;
    default:
      return undefined;
  }
}

function addImport(facts: FileFacts, target: Node, line: number): void {
  if (target.type !== 'Literal' || typeof target.value !== 'string') facts.imports.computed.push(line);
  else if (target.value.startsWith('.')) facts.imports.files.push(fileOf(facts.path, target.value));
  else if (isBuiltin(target.value)) facts.imports.builtins.push(target.value);
  else facts.imports.packages.push(packageOf(target.value));
}

function fileOf(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** `process.env`, `{ env } = process`, `env` from `node:process` and `import.meta.env` are one and the same. */
function readsEnvironment(node: Node): boolean {
  switch (node.type) {
    case 'MemberExpression':
      return isEnvironmentOwner(node.object) && (isName(node.property, 'env') || isText(node.property, 'env'));
    case 'VariableDeclarator':
      return node.init !== null && isEnvironmentOwner(node.init) && takesEnvironment(node.id);
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
      return /^(node:)?process$/.test(node.source?.value ?? '') && node.specifiers.some(isEnvironmentSpecifier);
    default:
      return false;
  }
}

function isEnvironmentOwner(node: Node): boolean {
  const isGlobalProcess = node.type === 'MemberExpression' && isName(node.object, 'globalThis');
  return (
    isName(node, 'process') || node.type === 'MetaProperty' || (isGlobalProcess && isName(node.property, 'process'))
  );
}

function takesEnvironment(pattern: Node): boolean {
  if (pattern.type !== 'ObjectPattern') return false;
  return pattern.properties.some((property) => property.type === 'RestElement' || isName(property.key, 'env'));
}

function isEnvironmentSpecifier(specifier: Node): boolean {
  if (specifier.type === 'ImportSpecifier') return isName(specifier.imported, 'env');
  return specifier.type === 'ExportSpecifier' && isName(specifier.local, 'env');
}

function isName(node: Node, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}

function isText(node: Node, text: string): boolean {
  return node.type === 'Literal' && node.value === text;
}
