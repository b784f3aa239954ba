/** Reads yarn.lock, of the classic line (a format of its own) and of the modern one (YAML). */
import { entriesAt, textAt } from '../formats/data.js';
import { FormatFault } from '../formats/fault.js';
import { joinWithin } from '../formats/tree-path.js';
import { parseYaml } from '../formats/yaml.js';
import { type Facts, facts, type Locked, type Source } from './dependency.js';

const MODERN = /^__metadata:/m;
const NEEDS = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'];
/** Protocols of what lies in a folder. */
const LOCAL = /@(?:workspace|link|portal|file):/;

/** Reads either form. */
export function readYarnLock(source: Source): Facts {
  return MODERN.test(source.text) ? readModern(source) : readClassic(source.text);
}

interface Entry {
  /** The `name@range` pairs that this version satisfies. */
  readonly patterns: readonly string[];
  version: string;
  resolved: string;
  readonly needs: string[];
}

function readClassic(text: string): Facts {
  const entries: Entry[] = [];
  let entry: Entry | undefined;
  let inNeeds = false;
  text.split('\n').forEach((raw, index) => {
    const line = raw.trimEnd();
    const indent = line.length - line.trimStart().length;
    if (line === '' || line.startsWith('#')) return;
    if (indent === 0) {
      if (!line.endsWith(':'))
        throw new FormatFault('This is not a yarn lock file: expected an entry.', { line: index + 1 });
      entry = { patterns: splitPatterns(line.slice(0, -1)), version: '', resolved: '', needs: [] };
      entries.push(entry);
      return;
    }
    if (entry === undefined)
      throw new FormatFault('This is not a yarn lock file: a value has no entry.', { line: index + 1 });
    if (indent === 2) inNeeds = NEEDS.includes(line.trim().slice(0, -1));
    const [key, value] = splitPair(line.trim());
    if (indent === 2 && key === 'version') entry.version = value;
    if (indent === 2 && key === 'resolved') entry.resolved = value;
    if (indent > 2 && inNeeds) entry.needs.push(`${key}@${value}`);
  });
  const packages = entries.filter(({ patterns }) => !patterns.some((pattern) => LOCAL.test(pattern)));
  return { ...linked(packages, new Set()), members: { all: true } };
}

function splitPatterns(header: string): string[] {
  return header.split(',').map((pattern) => unquoted(pattern.trim()));
}

function splitPair(line: string): [key: string, value: string] {
  const end = line.startsWith('"') ? line.indexOf('"', 1) + 1 : line.search(/\s|$/);
  return [unquoted(line.slice(0, end)), unquoted(line.slice(end).trim())];
}

function unquoted(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** The modern form lists the workspaces too, which tell what is direct. */
function readModern({ folder, text }: Source): Facts {
  const lock = parseYaml(text);
  const direct = new Set<string>();
  const entries: Entry[] = [];
  const folders: string[] = [];
  let local = 0;
  for (const [header, value] of entriesAt(lock)) {
    const resolved = textAt(value, 'resolution') ?? '';
    // A patched package stands there unpatched too.
    if (header === '__metadata' || resolved.includes('@patch:')) continue;
    const needs = ['dependencies', 'optionalDependencies'].flatMap((section) => entriesAt(value, section));
    const wanted = needs.map(([name, range]) => `${name}@${typeof range === 'string' ? range : ''}`);
    if (LOCAL.test(resolved)) {
      const path = resolved.split('@workspace:')[1];
      folders.push((path === undefined ? undefined : joinWithin(folder, path)) ?? folder);
      local += 1;
      for (const pattern of wanted) direct.add(withProtocol(pattern));
    } else
      entries.push({
        patterns: header.split(/,\s*/),
        version: textAt(value, 'version') ?? '',
        resolved,
        needs: wanted,
      });
  }
  return { ...linked(entries, direct), local, members: { folders } };
}

/** Older modern lock files leave out the `npm:` that the headers have. */
function withProtocol(pattern: string): string {
  const at = pattern.indexOf('@', 1);
  return at < 0 || pattern.slice(at + 1).includes(':')
    ? pattern
    : `${pattern.slice(0, at)}@npm:${pattern.slice(at + 1)}`;
}

function linked(entries: readonly Entry[], direct: ReadonlySet<string>): Facts {
  const ids = new Map<string, string>();
  for (const { patterns, version } of entries) {
    for (const pattern of patterns) ids.set(pattern, idOf(patterns, version));
  }
  const locked: Locked[] = entries.map(({ patterns, version, resolved, needs }) => ({
    id: idOf(patterns, version),
    name: nameOf(resolved.includes('@npm:') ? resolved : (patterns[0] ?? ''), resolved),
    version,
    requires: needs.flatMap((need) => ids.get(need) ?? ids.get(withProtocol(need)) ?? []),
    // A manifest of today says `^1`, the header `npm:^1`.
    answers: [...patterns, ...patterns.map((pattern) => pattern.replace(/@npm:(?=[^@]*$)/, '@'))],
    direct: direct.size > 0 ? patterns.some((pattern) => direct.has(pattern)) : undefined,
  }));
  return facts({ locked: locked.filter(({ version }) => version !== '') });
}

function idOf(patterns: readonly string[], version: string): string {
  return `${patterns[0]}=${version}`;
}

/** The name in `name@range`; an alias says behind `npm:` whose package it is. */
function nameOf(pattern: string, resolution: string): string {
  const alias = /@npm:(@?[^@]+)@/.exec(pattern)?.[1];
  if (alias !== undefined && !resolution.startsWith(pattern)) return alias;
  const at = pattern.indexOf('@', 1);
  return at < 0 ? pattern : pattern.slice(0, at);
}
