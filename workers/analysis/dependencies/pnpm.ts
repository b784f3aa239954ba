/** Reads pnpm-lock.yaml of the lock file versions 5 to 9. */
import { entriesAt, isTable, textAt, valueAt } from '../formats/data.js';
import { joinWithin } from '../formats/tree-path.js';
import { parseYaml } from '../formats/yaml.js';
import { type Facts, facts, type Locked, type Scope, type Source } from './dependency.js';
import { askOf } from './npm.js';

const SECTIONS: readonly (readonly [section: string, scope: Scope])[] = [
  ['dependencies', 'runtime'],
  ['optionalDependencies', 'optional'],
  ['devDependencies', 'dev'],
];
const NEEDS = ['dependencies', 'optionalDependencies'];
const LOCAL = /^(?:link|file|workspace):/;
/** How keys of `packages` are written: `/name/1.0.0_peers` (5), `/name@1.0.0(peers)` (6), `name@1.0.0(peers)` (9). */
const KEY_FORMS = [/^\/?(@[^@/]+\/[^@/(]+|[^@/(]+)@([^(]+)/, /^\/((?:@[^/]+\/)?[^/]+)\/([^/_(]+)/];

/** Reads the lock file; its importers tell what is direct, its snapshots (9) or packages who needs whom. */
export function readPnpmLock({ folder, text }: Source): Facts {
  const lock = parseYaml(text);
  const keys = new Set([...entriesAt(lock, 'snapshots'), ...entriesAt(lock, 'packages')].map(([key]) => key));
  const roots = readImporters(folder, lock, keys);
  const graph = isTable(valueAt(lock, 'snapshots')) ? entriesAt(lock, 'snapshots') : entriesAt(lock, 'packages');
  const locked = new Map<string, Locked>();
  let local = roots.local;
  for (const [key, entry] of graph) {
    const found = identify(key, valueAt(lock, 'packages', key) ?? entry);
    if (found === undefined) {
      local += 1;
      continue;
    }
    const requires = NEEDS.flatMap((section) => entriesAt(entry, section)).map(([name, version]) =>
      keyOf(keys, name, typeof version === 'string' ? version : ''),
    );
    const root = roots.direct.get(key);
    const scope = root?.scope ?? (textAt(entry, 'dev') === 'true' ? 'dev' : undefined);
    locked.set(key, { id: key, ...found, requires, scope, direct: root !== undefined, answers: root?.answers });
  }
  const folders = entriesAt(lock, 'importers').flatMap(([path]) => joinWithin(folder, path) ?? []);
  return facts({ locked: [...locked.values()], local, members: { folders } });
}

interface Root {
  readonly scope: Scope;
  readonly answers: string[];
}

interface Roots {
  readonly direct: ReadonlyMap<string, Root>;
  readonly local: number;
}

/** A lock file of one project has its sections at the top, one of a workspace under each importer. */
function readImporters(folder: string, lock: unknown, keys: ReadonlySet<string>): Roots {
  const direct = new Map<string, Root>();
  let local = 0;
  const importers = [...entriesAt(lock, 'importers'), ['.', lock] as const];
  const needs = SECTIONS.flatMap(([section, scope]) =>
    importers.flatMap(([path, importer]) =>
      entriesAt(importer, section).map(([name, wanted]) => ({
        name,
        wanted,
        scope,
        ask: askOf(joinWithin(folder, path) ?? path, name),
      })),
    ),
  );
  for (const { name, wanted, scope, ask } of needs) {
    const version = typeof wanted === 'string' ? wanted : (textAt(wanted, 'version') ?? '');
    const key = keyOf(keys, name, version);
    const root = direct.get(key) ?? { scope, answers: [] };
    root.answers.push(ask);
    if (LOCAL.test(version)) local += 1;
    else direct.set(key, root);
  }
  return { direct, local };
}

/** A reference is a version where the key's name is its own, the whole key where it is an alias. */
function keyOf(keys: ReadonlySet<string>, name: string, version: string): string {
  const forms = [`${name}@${version}`, `/${name}@${version}`, `/${name}/${version}`, version];
  return forms.find((form) => keys.has(form)) ?? version;
}

function identify(key: string, entry: unknown): Pick<Locked, 'name' | 'version'> | undefined {
  const [, name, version] = KEY_FORMS.map((form) => form.exec(key)).find((match) => match !== null) ?? [];
  const stated = { name: textAt(entry, 'name') ?? name, version: textAt(entry, 'version') ?? version };
  if (stated.name === undefined || stated.version === undefined || LOCAL.test(stated.version)) return undefined;
  return { name: stated.name, version: stated.version };
}
