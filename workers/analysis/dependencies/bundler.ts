/** Reads Bundler's Gemfile and Gemfile.lock and gem specifications. */
import { shortLines } from '../formats/short-lines.js';
import { type Declared, type Facts, facts, type Locked, type Scope, type Source } from './dependency.js';

const DEV_GROUP = /\b(?:development|test|dev|lint|ci|doc|docs|rubocop)\b/;
const GEM = /^\s*gem[\s(]+(['"])([^'"]+)\1(.*)$/;
const BLOCK = /^\s*(group|path|git|github|source|platforms?|install_if|if|unless)\b(.*?)(?:\bdo\b.*|)$/;
const SPECIFIED =
  /\.add_(runtime_|development_|)dependency[\s(]+(?:(['"])([^'"]+)\2|%q[<([{]([^>)\]}]+)[>)\]}])(?:\.freeze)?(.*)$/;
const QUOTED = /(['"])((?:[~<>=!]{1,2}\s*)?\d[^'"]*)\1/g;

/** Reads Gemfile. It is a program: what it computes is not seen, what it writes down is. */
export function readGemfile({ text }: Source): Facts {
  const declared: Declared[] = [];
  const blocks: { readonly verb: string; readonly settings: string }[] = [];
  let local = 0;
  shortLines(text).forEach((raw, index) => {
    const line = withoutComment(raw);
    const block = BLOCK.exec(line);
    if (/^\s*end\b/.test(line)) blocks.pop();
    else if (block !== null && (/\bdo\b/.test(line) || /^(?:if|unless)$/.test(block[1] ?? ''))) {
      blocks.push({ verb: block[1] ?? '', settings: block[2] ?? '' });
    }
    const [, , name, options = ''] = GEM.exec(line) ?? [];
    if (name === undefined) return;
    const isLocal = blocks.some(({ verb }) => verb === 'path') || /(?:\bpath:|:path\s*=>)/.test(options);
    const groups = blocks.filter(({ verb }) => verb === 'group').map(({ settings }) => settings);
    if (isLocal) local += 1;
    else
      declared.push({
        name,
        ...rangeOf(options),
        scope: groupScope([...groups, groupOption(options)].join(' ')),
        line: index + 1,
      });
  });
  return facts({ declared, local });
}

/** Takes a comment off; a `#` in quotes opens none. */
function withoutComment(line: string): string {
  return line.replace(
    /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|#.*$/g,
    (_whole, quoted: string | undefined) => quoted ?? '',
  );
}

function groupOption(options: string): string {
  return /(?:\bgroups?:|:groups?\s*=>)\s*(\[[^\]]*\]|:\w+|['"]\w+['"])/.exec(options)?.[1] ?? '';
}

/** A gem that any group of its users needs at run time is needed at run time. */
function groupScope(groups: string): Scope {
  const names = groups.match(/\w+/g) ?? [];
  return names.length > 0 && names.every((name) => DEV_GROUP.test(name)) ? 'dev' : 'runtime';
}

function rangeOf(options: string): Pick<Declared, 'range' | 'version'> {
  const positional = options.split(/\b\w+:\s|:\w+\s*=>/)[0] ?? '';
  const range = [...positional.matchAll(QUOTED)].map(([, , wanted]) => wanted).join(', ');
  return { range: range || undefined, version: /^=?\s*(\d[\w.]*)$/.exec(range)?.[1] };
}

/** Reads a gem specification. */
export function readGemspec({ text }: Source): Facts {
  const declared: Declared[] = [];
  shortLines(text).forEach((raw, index) => {
    const [, kind, , quoted, bracketed, options = ''] = SPECIFIED.exec(withoutComment(raw)) ?? [];
    const name = quoted ?? bracketed;
    if (name !== undefined) {
      declared.push({ name, ...rangeOf(options), scope: kind === 'development_' ? 'dev' : 'runtime', line: index + 1 });
    }
  });
  const own = /\.name\s*=\s*(['"])([^'"]+)\1/.exec(text)?.[2];
  return facts({ declared, provides: own === undefined ? [] : [own] });
}

/** Reads Gemfile.lock: specs by source, and what the Gemfile itself and the gems in the tree's own folders name. */
export function readGemfileLock({ text }: Source): Facts {
  const direct = new Set<string>();
  const gems = new Map<string, { name: string; version: string; requires: string[] }>();
  let section = '';
  const own: string[] = [];
  let gem: { requires: string[] } | undefined;
  for (const line of text.split('\n')) {
    const [, indent = '', name, version] = /^( *)([\w.-]+)!?(?: \(([^)]*)\))?!?\s*$/.exec(line.trimEnd()) ?? [];
    if (/^[A-Z]/.test(line)) section = line.trim();
    if (name === undefined || indent === '') continue;
    if (section === 'DEPENDENCIES') direct.add(name);
    else if (indent.length === 6 && section === 'PATH') direct.add(name);
    else if (indent.length === 6) gem?.requires.push(name);
    else if (indent.length === 4 && section === 'PATH') own.push(name);
    else if (indent.length === 4 && version !== undefined) {
      // A version for one platform is written `1.2.3-platform`; the platforms of one version are one package.
      const [plain = version] = version.split('-');
      const entry = gems.get(`${name} ${plain}`) ?? { name, version: plain, requires: [] };
      gems.set(`${name} ${plain}`, entry);
      gem = entry;
    }
  }
  const ids = new Map([...gems].map(([id, { name }]) => [name, id]));
  const locked = [...gems].map(([id, { name, version, requires }]): Locked => {
    return { id, name, version, direct: direct.has(name), requires: requires.flatMap((need) => ids.get(need) ?? []) };
  });
  return facts({ locked, local: own.length, members: { names: own } });
}
