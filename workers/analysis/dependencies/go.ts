/** Reads Go's go.mod and go.sum. */
import { FormatFault } from '../formats/fault.js';
import { shortLines } from '../formats/short-lines.js';
import { folderOf } from '../formats/tree-path.js';
import { type Declared, type Facts, facts, type Locked, type Source } from './dependency.js';

/** From this version on go.mod names every module that is needed. */
const COMPLETE_SINCE = { major: 1, minor: 17 };
const DIRECTIVES = [
  'module',
  'go',
  'toolchain',
  'godebug',
  'require',
  'exclude',
  'replace',
  'retract',
  'tool',
  'ignore',
];

interface Statement {
  readonly verb: string;
  readonly words: readonly string[];
  readonly comment: string;
  readonly line: number;
}

/** Reads go.mod: requirements with their one version, replaced where the file says so; `// indirect` ones are transitive. */
export function readGoMod({ text }: Source): Facts {
  const statements = parseStatements(text);
  const replaced = readReplacements(statements);
  const declared: Declared[] = [];
  let local = 0;
  for (const { verb, words, comment, line } of statements) {
    const [module, version] = words;
    if (verb !== 'require' || module === undefined || version === undefined) continue;
    const replacement = replaced.get(`${module} ${version}`) ?? replaced.get(module);
    if (replacement === 'local') {
      local += 1;
      continue;
    }
    const { name, version: chosen } = replacement ?? { name: module, version };
    declared.push({
      name,
      range: version,
      version: chosen,
      scope: 'runtime',
      line,
      transitive: /^indirect\b/.test(comment),
    });
  }
  const own = statements.find(({ verb }) => verb === 'module')?.words[0];
  return facts({ declared, local, provides: own === undefined ? [] : [own] });
}

function parseStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let block: string | undefined;
  shortLines(text).forEach((raw, index) => {
    const [code = '', comment = ''] = raw.split(/\/\/(.*)/);
    const words = code.trim().split(/\s+/).filter(Boolean).map(unquoted);
    const line = index + 1;
    if (words.length === 0) return;
    if (block !== undefined) {
      if (words[0] === ')') block = undefined;
      else statements.push({ verb: block, words, comment: comment.trim(), line });
      return;
    }
    const [verb = '', ...rest] = words;
    if (!DIRECTIVES.includes(verb))
      throw new FormatFault(`go.mod knows no '${verb.slice(0, 40)}'.`, { line, column: 1 });
    if (rest[0] === '(') block = verb;
    else statements.push({ verb, words: rest, comment: comment.trim(), line });
  });
  if (block !== undefined) throw new FormatFault(`The block of '${block}' has no end.`);
  return statements;
}

function unquoted(word: string): string {
  return word.replace(/^(["`])(.*)\1$/, '$2');
}

/** `old [version] => new version` or `=> folder`. */
function readReplacements(statements: readonly Statement[]): Map<string, { name: string; version: string } | 'local'> {
  const replaced = new Map<string, { name: string; version: string } | 'local'>();
  for (const { verb, words } of statements) {
    const arrow = words.indexOf('=>');
    const [name, version] = words.slice(arrow + 1);
    if (verb !== 'replace' || arrow < 1 || name === undefined) continue;
    replaced.set(words.slice(0, arrow).join(' '), version === undefined ? 'local' : { name, version });
  }
  return replaced;
}

/**
 * Reads go.sum, which also holds what was only looked at. Since Go 1.17 the go.mod beside it says all, so nothing is
 * taken from here; before, its modules count in their newest version where go.mod does not name them.
 */
export function readGoSum({ path, text, sibling }: Source): Facts {
  const folder = folderOf(path);
  const mod = sibling(folder === '' ? 'go.mod' : `${folder}/go.mod`);
  const [, major, minor] = /^go\s+(\d+)\.(\d+)/m.exec(mod ?? '') ?? [];
  const newest = new Map<string, string>();
  text.split('\n').forEach((raw, index) => {
    const [module, version, hash] = raw.trim().split(/\s+/);
    if (module === undefined || module === '') return;
    if (version === undefined || hash === undefined) {
      throw new FormatFault('go.sum: expected a module, a version and a hash.', { line: index + 1 });
    }
    if (version.endsWith('/go.mod')) return;
    const known = newest.get(module);
    if (known === undefined || isNewer(version, known)) newest.set(module, version);
  });
  const complete = Number(major) > COMPLETE_SINCE.major || Number(minor) >= COMPLETE_SINCE.minor;
  if (complete) return facts({});
  const named = new Set(mod === undefined ? [] : parseStatements(mod).flatMap(({ words }) => words[0] ?? []));
  const locked = [...newest].filter(([module]) => !named.has(module));
  return facts({
    locked: locked.map(([name, version]): Locked => ({ id: name, name, version, direct: false, scope: 'runtime' })),
  });
}

/** Compares by numbers first; a pre-release is older than its release. */
function isNewer(version: string, than: string): boolean {
  return (
    version.replace('+incompatible', '~').localeCompare(than.replace('+incompatible', '~'), 'en', { numeric: true }) > 0
  );
}
