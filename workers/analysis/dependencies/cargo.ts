/** Reads Cargo.toml and Cargo.lock. */
import { entriesAt, listAt, type Table, textAt, textsAt, valueAt } from '../formats/data.js';
import { createPlaceFinder, type PlaceFinder } from '../formats/place-finder.js';
import { parseToml } from '../formats/toml.js';
import { foldersUpward } from '../formats/tree-path.js';
import { type Declared, type Facts, facts, type Locked, type Scope, type Source } from './dependency.js';

const SECTIONS: readonly (readonly [section: string, scope: Scope])[] = [
  ['dependencies', 'runtime'],
  ['dev-dependencies', 'dev'],
  ['dev_dependencies', 'dev'],
  ['build-dependencies', 'dev'],
  ['build_dependencies', 'dev'],
];

/** No lock file has more versions of one package; beyond, needs are not followed. */
const MOST_VERSIONS = 50;

/** Reads Cargo.toml: dependencies of all targets; what it takes from its workspace is looked up there. */
export function readCargoToml(source: Source): Facts {
  const manifest = parseToml(source.text);
  const places = createPlaceFinder(source.text);
  const declared: Declared[] = [];
  let local = 0;
  let shared: Table | undefined;
  const targets = entriesAt(manifest, 'target').map(([, target]) => target);
  for (const [section, scope] of SECTIONS) {
    for (const [key, wanted] of [manifest, ...targets].flatMap((part) => entriesAt(part, section))) {
      const inherits = valueAt(wanted, 'workspace') === true;
      if (inherits) shared ??= workspaceTable(source, manifest);
      const settings = inherits ? valueAt(shared, key) : wanted;
      const optional = valueAt(wanted, 'optional') === true;
      const found = readDependency(key, settings, optional && scope === 'runtime' ? 'optional' : scope);
      if (found === undefined) local += 1;
      else declared.push({ ...found, line: places.line(key, section) });
    }
  }
  const own = textAt(manifest, 'package', 'name');
  return facts({
    declared: [...declared, ...readOffers(manifest, places)],
    local,
    provides: own === undefined ? [] : [own],
  });
}

/** What a workspace holds ready for its members. */
function readOffers(manifest: Table, places: PlaceFinder): Declared[] {
  return entriesAt(manifest, 'workspace', 'dependencies').flatMap(([key, wanted]) => {
    const found = readDependency(key, wanted, 'runtime');
    return found === undefined ? [] : [{ ...found, offered: true, line: places.line(key, 'workspace.dependencies') }];
  });
}

/** A dependency's settings; undefined for one that lies in a folder. */
function readDependency(key: string, settings: unknown, scope: Scope): Declared | undefined {
  if (textAt(settings, 'path') !== undefined) return undefined;
  const range = textAt({ settings }, 'settings') ?? textAt(settings, 'version') ?? textAt(settings, 'git');
  return {
    name: textAt(settings, 'package') ?? key,
    range,
    version: /^=\s*([\d][\w.+-]*)$/.exec(range ?? '')?.[1],
    scope,
  };
}

/** The shared dependencies of the nearest manifest upward that is a workspace. */
function workspaceTable({ folder, sibling }: Source, own: Table): Table {
  const tableOf = (manifest: Table) => Object.fromEntries(entriesAt(manifest, 'workspace', 'dependencies'));
  if (valueAt(own, 'workspace') !== undefined) return tableOf(own);
  for (const above of foldersUpward(folder).slice(1)) {
    const text = sibling(above === '' ? 'Cargo.toml' : `${above}/Cargo.toml`);
    const manifest = text === undefined ? undefined : parseQuietly(text);
    if (manifest !== undefined && valueAt(manifest, 'workspace') !== undefined) return tableOf(manifest);
  }
  return {};
}

/** Another file's fault is named where that file is read. */
function parseQuietly(text: string): Table | undefined {
  try {
    return parseToml(text);
  } catch {
    return undefined;
  }
}

/** Reads Cargo.lock: packages without a source are the tree's own, and what they need is direct. */
export function readCargoLock({ text }: Source): Facts {
  const packages = listAt(parseToml(text), 'package');
  const ids = new Map<string, string[]>();
  const note = (key: string, id: string) => {
    const known = ids.get(key);
    if (known === undefined) ids.set(key, [id]);
    else if (known.length < MOST_VERSIONS) known.push(id);
  };
  for (const entry of packages) {
    const id = idOf(entry);
    note(textAt(entry, 'name') ?? '', id);
    note(id, id);
  }
  // A need is `name`, `name version` or `name version (source)`, as short as it can be told apart.
  const needsOf = (entry: unknown) =>
    textsAt(entry, 'dependencies').flatMap((need) => ids.get(need.replace(/ \(.*\)$/, '')) ?? []);
  const isOwn = (entry: unknown) => textAt(entry, 'source') === undefined;
  const direct = new Set(packages.filter(isOwn).flatMap(needsOf));
  const locked = packages.flatMap((entry): Locked[] => {
    const name = textAt(entry, 'name');
    const version = textAt(entry, 'version');
    if (name === undefined || version === undefined || isOwn(entry)) return [];
    const id = idOf(entry);
    return [{ id, name, version, requires: needsOf(entry), direct: direct.has(id) }];
  });
  const own = packages.filter(isOwn);
  const names = own.flatMap((entry) => textAt(entry, 'name') ?? []);
  return facts({ locked, local: own.length, members: { names } });
}

function idOf(entry: unknown): string {
  return `${textAt(entry, 'name') ?? ''} ${textAt(entry, 'version') ?? ''}`;
}
