/** Joins manifests with the lock file beside or above them, and tells what each project needs directly and by others. */
import {
  type DeclarationPlace,
  type Declared,
  type Dependency,
  type Ecosystem,
  type Locked,
  SCOPES,
  type Scope,
} from './dependency.js';
import { groupProjects, type Project, type SourceFacts } from './projects.js';
import { nameKey, packageUrl } from './purl.js';

/** More places of one dependency are not listed: a workspace of hundreds may all name the same. */
const MOST_PLACES = 10;

/** The dependencies of one ecosystem, and how many turned out to be parts of the tree itself. */
export interface Joined {
  readonly dependencies: readonly Dependency[];
  readonly local: number;
}

interface Need extends Declared {
  readonly path: string;
}

/** Joins all files of one ecosystem. */
export function joinSources(ecosystem: Ecosystem, files: readonly SourceFacts[]): Joined {
  const provided = new Set(files.flatMap(({ facts }) => facts.provides).map((name) => nameKey(ecosystem, name)));
  const projects = groupProjects(files);
  const rows: Dependency[] = [];
  let local = 0;
  for (const project of projects) {
    const joined = joinProject(ecosystem, project, provided);
    for (const row of joined.dependencies) rows.push(row);
    local += joined.local;
  }
  const taken = new Set(rows.map(({ name }) => nameKey(ecosystem, name)));
  const offered = projects.flatMap(({ manifests }) => needsOf(manifests).filter(({ offered }) => offered === true));
  const untaken = offered.filter(({ name }) => !taken.has(nameKey(ecosystem, name)));
  for (const [, needs] of groupByName(ecosystem, untaken)) {
    const row = unlockedRow(ecosystem, projects.find(({ manifests }) => holds(manifests, needs))?.folder ?? '', needs);
    if (row !== undefined) rows.push(row);
  }
  return { dependencies: rows, local };
}

function holds(manifests: readonly SourceFacts[], needs: readonly Need[]): boolean {
  return manifests.some(({ path }) => path === needs[0]?.path);
}

function needsOf(manifests: readonly SourceFacts[]): Need[] {
  return manifests.flatMap(({ path, facts }) => facts.declared.map((declared) => ({ ...declared, path })));
}

function groupByName(ecosystem: Ecosystem, needs: readonly Need[]): Map<string, Need[]> {
  const groups = new Map<string, Need[]>();
  for (const need of needs) {
    const key = nameKey(ecosystem, need.name);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [need]);
    else group.push(need);
  }
  return groups;
}

function joinProject(ecosystem: Ecosystem, project: Project, provided: ReadonlySet<string>): Joined {
  const needs = groupByName(
    ecosystem,
    needsOf(project.manifests).filter(({ offered }) => offered !== true),
  );
  const rows = new Map<string, Dependency>();
  const answered = new Set<Need>();
  for (const lock of project.locks) {
    for (const row of lockedRows(ecosystem, lock, { needs, answered })) {
      const known = rows.get(row.purl);
      rows.set(row.purl, known === undefined ? row : merged(known, row));
    }
  }
  let local = 0;
  for (const [key, all] of needs) {
    const group = all.filter((need) => !answered.has(need));
    if (provided.has(key)) {
      local += group.length;
      continue;
    }
    for (const needed of byVersion(group)) {
      const row = unlockedRow(ecosystem, project.folder, needed);
      if (row !== undefined) rows.set(row.purl, ecosystem === 'golang' ? withSums(row, project.locks) : row);
    }
  }
  return { dependencies: [...rows.values()].map((row) => ({ ...row, project: project.folder })), local };
}

/**
 * Two manifests of a project may pin two versions of one package: each is a row of its own. Where there is one pin, needs
 * that would take any version have it too; the pin stands first.
 */
function byVersion(needs: readonly Need[]): Need[][] {
  const groups = new Map<string | undefined, Need[]>();
  for (const need of needs) {
    const group = groups.get(need.version);
    if (group === undefined) groups.set(need.version, [need]);
    else group.push(need);
  }
  const open = groups.get(undefined);
  const [pinned, ...others] = [...groups].filter(([version]) => version !== undefined);
  if (open === undefined || pinned === undefined || others.length > 0) return [...groups.values()];
  return [[...pinned[1], ...open]];
}

function unlockedRow(ecosystem: Ecosystem, project: string, needs: readonly Need[]): Dependency | undefined {
  const [first] = needs;
  const purl = first === undefined ? undefined : packageUrl(ecosystem, first.name, first.version);
  if (first === undefined || purl === undefined) return undefined;
  const direct = needs.some(({ transitive }) => transitive !== true);
  const scope = strongest(needs.map((need) => need.scope));
  const { name, version } = first;
  return {
    purl,
    ecosystem,
    name,
    version,
    locked: false,
    direct,
    scope,
    project,
    declared: placesOf(needs),
    lockedIn: [],
  };
}

/** What go.mod names is fixed already; go.sum vouches for it. */
function withSums(row: Dependency, sums: readonly SourceFacts[]): Dependency {
  return { ...row, locked: sums.length > 0, lockedIn: sums.map(({ path }) => path) };
}

function placesOf(needs: readonly Need[]): DeclarationPlace[] {
  return needs.slice(0, MOST_PLACES).map(({ path, line, scope, range }) => ({ path, line, scope, range }));
}

/** Notes in `answered` which needs the lock file answers. */
function lockedRows(
  ecosystem: Ecosystem,
  lock: SourceFacts,
  { needs, answered }: { needs: ReadonlyMap<string, readonly Need[]>; answered: Set<Need> },
): Dependency[] {
  const { locked } = lock.facts;
  const needed = new Set(locked.flatMap(({ requires = [] }) => requires));
  const needsFor = (entry: Locked) =>
    (needs.get(nameKey(ecosystem, entry.name)) ?? []).filter((need) => isAnswered(need, entry));
  const isDirect = (entry: Locked) => {
    if (entry.direct !== undefined) return entry.direct;
    // A lock file without its manifest: what nobody in it needs must be what the project named.
    return needs.size > 0 ? needsFor(entry).length > 0 : !needed.has(entry.id);
  };
  for (const need of locked.flatMap(needsFor)) answered.add(need);
  const roots = locked.filter(isDirect);
  const reached = spread(
    locked,
    roots.map((entry) => [entry.id, rootScope(entry, needsFor(entry))] as const),
  );
  const direct = new Set(roots);
  return locked.flatMap((entry): Dependency[] => {
    const { name, version } = entry;
    const purl = packageUrl(ecosystem, name, version);
    if (purl === undefined) return [];
    const isRoot = direct.has(entry);
    const declared = isRoot ? placesOf(needsFor(entry)) : [];
    const scope = isRoot
      ? strongest([reached.get(entry.id), entry.scope].filter((each) => each !== undefined))
      : (entry.scope ?? reached.get(entry.id) ?? 'runtime');
    return [
      {
        purl,
        ecosystem,
        name,
        version,
        locked: true,
        direct: isRoot,
        scope,
        project: lock.folder,
        declared,
        lockedIn: [lock.path],
      },
    ];
  });
}

/** One name may stand for several versions: where the lock file says which need each is for, only that counts. */
function isAnswered({ asks }: Need, { answers }: Locked): boolean {
  return asks === undefined || answers === undefined || answers.some((answer) => asks.includes(answer));
}

function rootScope(entry: Locked, needs: readonly Need[]): Scope {
  return needs.length > 0 ? strongest(needs.map(({ scope }) => scope)) : (entry.scope ?? 'runtime');
}

/** Carries the scopes of the roots along the needs, the strongest first, so that each package gets the strongest that reaches it. */
function spread(
  locked: readonly Locked[],
  roots: readonly (readonly [id: string, scope: Scope])[],
): Map<string, Scope> {
  const requires = new Map(locked.map((entry) => [entry.id, entry.requires ?? []]));
  const reached = new Map<string, Scope>();
  for (const scope of SCOPES) {
    const open = roots.filter(([, own]) => own === scope).map(([id]) => id);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (!reached.has(id)) open.push(...(requires.get(id) ?? []).filter((next) => !reached.has(next)));
      if (!reached.has(id)) reached.set(id, scope);
    }
  }
  return reached;
}

/** The strongest of some scopes, `dev` of none. */
export function strongest(scopes: readonly Scope[]): Scope {
  return SCOPES.find((scope) => scopes.includes(scope)) ?? 'dev';
}

function merged(one: Dependency, other: Dependency): Dependency {
  return {
    ...one,
    direct: one.direct || other.direct,
    scope: strongest([one.scope, other.scope]),
    declared: one.declared.length > 0 ? one.declared : other.declared,
    lockedIn: [...new Set([...one.lockedIn, ...other.lockedIn])],
  };
}
