/** Plants a tree and measures its dependencies as a scan would; shared by the suites of this folder. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import {
  type Dependency,
  type DependencyOptions,
  type DependencyReport,
  measureDependencies,
} from '../../../../workers/analysis/dependencies/measure.js';
import { listFiles } from '../../../../workers/analysis/scan.js';
import { plantTree } from '../trees.js';

const FIXTURES = new URL('../../../fixtures/dependencies/', import.meta.url);

/** A lock file as its package manager wrote it. */
export function fixture(name: string): string {
  return readFileSync(new URL(`${name}.txt`, FIXTURES), 'utf8');
}

/** Measures a tree of the given files. */
export async function measure(
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<DependencyOptions> = {},
): Promise<DependencyReport> {
  const { root } = plantTree(files);
  const { signal } = new AbortController();
  const listed = await listFiles({ root, signal });
  return measureDependencies({ root, files: listed.files, signal, ...options });
}

/** A row in short: `purl direct|transitive scope`, with ` unlocked` where no lock file holds it. */
export function brief({ purl, direct, scope, locked }: Dependency): string {
  return `${purl} ${direct ? 'direct' : 'transitive'} ${scope}${locked ? '' : ' unlocked'}`;
}

/** A tree and what it must come to. */
export interface TreeCase {
  readonly files: Readonly<Record<string, string>>;
  /** In short, in any order. */
  readonly packages: readonly string[];
  /** Dependencies on folders instead of packages. */
  readonly local?: number;
}

/** Holds a tree to its packages, without problems. */
export async function expectPackages({ files, packages, local = 0 }: TreeCase): Promise<void> {
  const report = await measure(files);
  expect([...report.table.map(brief)].sort()).toEqual([...packages].sort());
  expect(report.problems).toEqual([]);
  expect(report.totals.local).toBe(local);
}
