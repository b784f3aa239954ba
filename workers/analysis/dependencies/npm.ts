/** Reads npm's manifest and lock files (package-lock and npm-shrinkwrap, versions 1 to 3). */
import { entriesAt, textAt, valueAt } from '../formats/data.js';
import { parseJson } from '../formats/json.js';
import { createPlaceFinder } from '../formats/place-finder.js';
import { joinWithin } from '../formats/tree-path.js';
import { type Declared, type Facts, facts, type Locked, type Scope, type Source } from './dependency.js';

const SECTIONS: readonly (readonly [section: string, scope: Scope])[] = [
  ['dependencies', 'runtime'],
  ['optionalDependencies', 'optional'],
  ['peerDependencies', 'peer'],
  ['devDependencies', 'dev'],
];
/** What names a folder or a part of the workspace instead of a package. */
const LOCAL = /^(?:file|link|portal|workspace):|^\.{0,2}\//;
const EXACT = /^=?v?(\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)$/;
const NESTED = 'node_modules/';

/** Reads package.json: dependencies by section; an optional peer counts as a peer. */
export function readPackageJson({ folder, text }: Source): Facts {
  const manifest = parseJson(text);
  const places = createPlaceFinder(text);
  const declared: Declared[] = [];
  let local = 0;
  for (const [section, scope] of SECTIONS) {
    for (const [alias, wanted] of entriesAt(manifest, section)) {
      if (typeof wanted !== 'string') continue;
      if (LOCAL.test(wanted)) local += 1;
      else
        declared.push({
          ...resolveAlias(alias, wanted),
          scope,
          asks: [alias, `${alias}@${wanted}`, askOf(folder, alias)],
          line: places.line(alias, section),
        });
    }
  }
  const own = textAt(manifest, 'name');
  return facts({ declared, local, provides: own === undefined ? [] : [own] });
}

/** `npm:name@range` names another package than its key; what is taken from a repository or an address keeps its key. */
function resolveAlias(alias: string, wanted: string): Pick<Declared, 'name' | 'range' | 'version'> {
  const [, name = alias, range = wanted] = /^npm:(@?[^@]+)(?:@(.*))?$/.exec(wanted) ?? [];
  const shown = wanted.startsWith('npm:') && range === wanted ? undefined : range;
  return { name, range: shown, version: EXACT.exec(shown ?? '')?.[1] };
}

/** How a lock file that knows the folders of a workspace names the need of one of them. */
export function askOf(folder: string, alias: string): string {
  return `${folder}:${alias}`;
}

/** Reads package-lock.json and npm-shrinkwrap.json. */
export function readPackageLock({ folder, text }: Source): Facts {
  const lock = parseJson(text);
  const packages = entriesAt(lock, 'packages');
  return packages.length > 0 ? readFlatLock(folder, packages) : readNestedLock(lock);
}

/** Versions 2 and 3: every installed folder by its path; folders outside node_modules are the project's own. */
function readFlatLock(folder: string, packages: readonly [string, unknown][]): Facts {
  const installed = new Map(packages);
  const direct = new Map<string, string[]>();
  let local = 0;
  const own = packages.filter(([path]) => !path.includes(NESTED));
  for (const [path, entry] of own) {
    for (const [name] of SECTIONS.flatMap(([section]) => entriesAt(entry, section))) {
      const found = resolve(installed, path, name);
      const ask = askOf(joinWithin(folder, path) ?? path, name);
      if (found !== undefined) direct.set(found, [...(direct.get(found) ?? []), ask]);
    }
  }
  const locked: Locked[] = [];
  for (const [path, entry] of packages) {
    const version = textAt(entry, 'version');
    if (!path.includes(NESTED)) continue;
    if (valueAt(entry, 'link') === true) local += 1;
    else if (version !== undefined) {
      const name = textAt(entry, 'name') ?? path.slice(path.lastIndexOf(NESTED) + NESTED.length);
      const isDirect = own.length > 0 ? direct.has(path) : undefined;
      locked.push({ id: path, name, version, scope: flagged(entry), direct: isDirect, answers: direct.get(path) });
    }
  }
  const folders = own.flatMap(([path]) => joinWithin(folder, path) ?? []);
  return facts({ locked, local, members: { folders } });
}

/** Where a folder finds a package by name: in the nearest node_modules at or above it. */
function resolve(installed: ReadonlyMap<string, unknown>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}${NESTED}${name}`;
    if (installed.has(path)) return path;
    if (folder === '') return undefined;
  }
}

function flagged(entry: unknown): Scope {
  if (valueAt(entry, 'dev') === true) return 'dev';
  if (valueAt(entry, 'devOptional') === true || valueAt(entry, 'optional') === true) return 'optional';
  return valueAt(entry, 'peer') === true ? 'peer' : 'runtime';
}

/** Version 1: packages within packages. Those nested in another are needed by it alone, hence never the project's own. */
function readNestedLock(lock: unknown): Facts {
  const locked: Locked[] = [];
  let local = 0;
  const open: { readonly path: string; readonly entry: unknown }[] = [{ path: '', entry: lock }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const [alias, entry] of entriesAt(at.entry, 'dependencies')) {
      const path = `${at.path}/${alias}`;
      open.push({ path, entry });
      const version = textAt(entry, 'version');
      if (version === undefined) continue;
      if (LOCAL.test(version)) local += 1;
      else {
        const { name, range = version } = resolveAlias(alias, version);
        locked.push({
          id: path,
          name,
          version: range,
          scope: flagged(entry),
          direct: at.path === '' ? undefined : false,
          answers: [alias],
        });
      }
    }
  }
  return facts({ locked, local });
}
