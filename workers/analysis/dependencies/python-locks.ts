/** Reads Python's lock files: poetry.lock, uv.lock and Pipfile.lock. */
import { entriesAt, listAt, textAt, textsAt, valueAt } from '../formats/data.js';
import { parseJson } from '../formats/json.js';
import { parseToml } from '../formats/toml.js';
import { joinWithin } from '../formats/tree-path.js';
import { type Facts, facts, type Locked, type Scope, type Source } from './dependency.js';
import { nameKey } from './purl.js';
import { requirementNames } from './python.js';

/** No lock file has more versions of one package; beyond, needs are not followed. */
const MOST_VERSIONS = 50;

/** Reads poetry.lock: old ones state a category, those of Poetry 2 the groups; all of them who needs whom. */
export function readPoetryLock({ text }: Source): Facts {
  const packages = listAt(parseToml(text), 'package');
  const ids = idsByName(packages);
  let local = 0;
  const locked = packages.flatMap((entry): Locked[] => {
    const name = textAt(entry, 'name');
    const version = textAt(entry, 'version');
    if (name === undefined || version === undefined) return [];
    if (['directory', 'file'].includes(textAt(entry, 'source', 'type') ?? '')) {
      local += 1;
      return [];
    }
    const needs = entriesAt(entry, 'dependencies').flatMap(([needed]) => ids.get(nameKey('pypi', needed)) ?? []);
    return [{ id: `${name}@${version}`, name, version, scope: poetryScope(entry), requires: needs }];
  });
  return facts({ locked, local });
}

function poetryScope(entry: unknown): Scope | undefined {
  const groups = textsAt(entry, 'groups');
  const category = textAt(entry, 'category');
  if (category === 'dev' || (groups.length > 0 && !groups.includes('main'))) return 'dev';
  if (valueAt(entry, 'optional') === true) return 'optional';
  return category === 'main' || groups.length > 0 ? 'runtime' : undefined;
}

/** Reads uv.lock: the project's own packages are among the others, without a registry, and tell what is direct. */
export function readUvLock({ folder, text }: Source): Facts {
  const packages = listAt(parseToml(text), 'package');
  const ids = idsByName(packages);
  const own = packages.filter(isOwn);
  const direct = new Map<string, Scope>();
  const note = (names: readonly string[], scope: Scope) => {
    for (const id of names.flatMap((name) => ids.get(nameKey('pypi', name)) ?? []))
      if (!direct.has(id)) direct.set(id, scope);
  };
  for (const entry of own) note(requirementNames(entry, 'dependencies'), 'runtime');
  for (const entry of own) {
    for (const [extra] of entriesAt(entry, 'optional-dependencies')) {
      note(requirementNames(entry, 'optional-dependencies', extra), 'optional');
    }
    for (const [group] of entriesAt(entry, 'dev-dependencies'))
      note(requirementNames(entry, 'dev-dependencies', group), 'dev');
  }
  const locked = packages.flatMap((entry): Locked[] => {
    const name = textAt(entry, 'name');
    const version = textAt(entry, 'version');
    if (name === undefined || version === undefined || isOwn(entry)) return [];
    const id = `${name}@${version}`;
    const requires = uvNeeds(entry).flatMap((needed) => ids.get(nameKey('pypi', needed)) ?? []);
    const isDirect = own.length > 0 ? direct.has(id) : undefined;
    return [{ id, name, version, requires, direct: isDirect, scope: direct.get(id) }];
  });
  return facts({
    locked,
    local: own.length,
    members: { folders: own.flatMap((entry) => folderOfOwn(folder, entry) ?? []) },
  });
}

const OWN_KINDS = ['editable', 'virtual', 'directory', 'path'];

function isOwn(entry: unknown): boolean {
  return OWN_KINDS.some((kind) => valueAt(entry, 'source', kind) !== undefined);
}

function folderOfOwn(folder: string, entry: unknown): string | undefined {
  const path = OWN_KINDS.map((kind) => textAt(entry, 'source', kind)).find((found) => found !== undefined);
  return path === undefined ? undefined : joinWithin(folder, path);
}

function uvNeeds(entry: unknown): string[] {
  const extras = entriesAt(entry, 'optional-dependencies').flatMap(([extra]) =>
    requirementNames(entry, 'optional-dependencies', extra),
  );
  return [...requirementNames(entry, 'dependencies'), ...extras];
}

/** A lock may hold several versions of one package, each for other platforms: a need by name means all of them. */
function idsByName(packages: readonly unknown[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const entry of packages) {
    const name = textAt(entry, 'name');
    if (name === undefined) continue;
    const key = nameKey('pypi', name);
    const known = ids.get(key) ?? [];
    ids.set(key, known);
    if (known.length < MOST_VERSIONS) known.push(`${name}@${textAt(entry, 'version') ?? ''}`);
  }
  return ids;
}

/** Reads Pipfile.lock, which pins and says the scope but not who needs whom. */
export function readPipfileLock({ text }: Source): Facts {
  const lock = parseJson(text);
  const sections: readonly (readonly [string, Scope])[] = [
    ['default', 'runtime'],
    ['develop', 'dev'],
  ];
  const locked = new Map<string, Locked>();
  let local = 0;
  for (const [section, scope] of sections) {
    for (const [name, entry] of entriesAt(lock, section)) {
      const version = textAt(entry, 'version')?.replace(/^==/, '') ?? textAt(entry, 'ref');
      if (version === undefined) local += 1;
      else if (!locked.has(name)) locked.set(name, { id: name, name, version, scope });
    }
  }
  return facts({ locked: [...locked.values()], local });
}
