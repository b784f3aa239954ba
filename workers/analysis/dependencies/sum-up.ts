/** Counts dependencies by ecosystem and finds packages that a tree holds in several versions. */
import { compareText } from '../counts.js';
import {
  type Dependency,
  type Duplicate,
  type Ecosystem,
  type EcosystemCounts,
  SCOPES,
  type Scope,
} from './dependency.js';
import { type Joined, strongest } from './join.js';
import type { SourceFacts } from './projects.js';
import { nameKey, packageUrl } from './purl.js';

/** Counts one ecosystem; a package in one version counts once, as direct if any project names it. */
export function countEcosystem(ecosystem: Ecosystem, files: readonly SourceFacts[], joined: Joined): EcosystemCounts {
  const packages = new Map<string, { direct: boolean; locked: boolean; scope: Scope }>();
  for (const { purl, direct, locked, scope } of joined.dependencies) {
    const known = packages.get(purl);
    packages.set(purl, {
      direct: direct || known?.direct === true,
      locked: locked || known?.locked === true,
      scope: strongest(known === undefined ? [scope] : [scope, known.scope]),
    });
  }
  const all = [...packages.values()];
  const direct = all.filter((each) => each.direct).length;
  return {
    ecosystem,
    manifests: files.filter(({ kind }) => kind === 'manifest').length,
    locks: files.filter(({ kind }) => kind === 'lock').length,
    packages: all.length,
    direct,
    transitive: all.length - direct,
    unlocked: all.filter((each) => !each.locked).length,
    scopes: countScopes((scope) => all.filter((each) => each.scope === scope).length),
    local: joined.local,
  };
}

function countScopes(count: (scope: Scope) => number): Record<Scope, number> {
  const [runtime, optional, peer, dev] = SCOPES;
  return { runtime: count(runtime), optional: count(optional), peer: count(peer), dev: count(dev) };
}

/** Sums the ecosystems up. */
export function sumCounts(ecosystems: readonly EcosystemCounts[]): Omit<EcosystemCounts, 'ecosystem'> {
  const sum = (figure: (counts: EcosystemCounts) => number) =>
    ecosystems.reduce((total, each) => total + figure(each), 0);
  return {
    manifests: sum((each) => each.manifests),
    locks: sum((each) => each.locks),
    packages: sum((each) => each.packages),
    direct: sum((each) => each.direct),
    transitive: sum((each) => each.transitive),
    unlocked: sum((each) => each.unlocked),
    scopes: countScopes((scope) => sum((each) => each.scopes[scope])),
    local: sum((each) => each.local),
  };
}

const MOST_VERSIONS = 100;

/** Packages in several versions, most versions first. */
export function findDuplicates(table: readonly Dependency[]): Duplicate[] {
  const packages = new Map<string, { row: Dependency; versions: Set<string>; projects: Set<string> }>();
  for (const row of table) {
    if (row.version === undefined) continue;
    const key = `${row.ecosystem} ${nameKey(row.ecosystem, row.name)}`;
    const known = packages.get(key) ?? { row, versions: new Set(), projects: new Set() };
    packages.set(key, known);
    known.versions.add(row.version);
    known.projects.add(row.project);
  }
  return [...packages.values()]
    .filter(({ versions }) => versions.size > 1)
    .map(({ row, versions, projects }) => ({
      purl: packageUrl(row.ecosystem, row.name) ?? row.purl,
      ecosystem: row.ecosystem,
      versions: [...versions]
        .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
        .slice(0, MOST_VERSIONS),
      versionsTotal: versions.size,
      projects: projects.size,
    }))
    .sort((one, other) => other.versionsTotal - one.versionsTotal || compareText(one.purl, other.purl));
}
