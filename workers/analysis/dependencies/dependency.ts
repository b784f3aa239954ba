/** The words of the dependency metric: what files declare and lock, and what comes of it. Plain JSON throughout. */

import type { Problem } from '../formats/problem.js';

/** The package URL types that are told apart. */
export const ECOSYSTEMS = ['npm', 'pypi', 'golang', 'cargo', 'maven', 'gem', 'composer', 'nuget'] as const;

/** A package URL type: whose names and versions these are. Gradle's packages are Maven's. */
export type Ecosystem = (typeof ECOSYSTEMS)[number];

/** What needs a package; strongest first. Test, build and documentation needs are `dev`, what a host provides is `peer`. */
export const SCOPES = ['runtime', 'optional', 'peer', 'dev'] as const;

/** See `SCOPES`. */
export type Scope = (typeof SCOPES)[number];

/** A dependency as a manifest states it. */
export interface Declared {
  /** As the ecosystem writes it: `@scope/name`, `group:artifact`, a module path. */
  readonly name: string;
  /** The version range as written; undefined where any will do. */
  readonly range?: string | undefined;
  /** The one version that the manifest admits, if it pins one. */
  readonly version?: string | undefined;
  readonly scope: Scope;
  readonly line?: number | undefined;
  /** What a lock file may call this need, where it does not go by the name alone. */
  readonly asks?: readonly string[] | undefined;
  /** Stated by the manifest to be needed only by others, as Go does. */
  readonly transitive?: boolean | undefined;
  /** Offered to the projects below, as by a version catalog: counts only where no project is seen to take it. */
  readonly offered?: boolean | undefined;
}

/** A package as a lock file fixes it. */
export interface Locked {
  /** Tells packages of one lock file apart; `requires` speaks of these. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Whether the lock file itself says that the project names it; undefined where it does not tell. */
  readonly direct?: boolean | undefined;
  /** Which needs this version is the answer to, by `asks`; undefined where it goes by the name. */
  readonly answers?: readonly string[] | undefined;
  /** The scope that the lock file itself states. */
  readonly scope?: Scope | undefined;
  readonly requires?: readonly string[] | undefined;
}

/** Which projects share a lock file: those in these folders, those of these names, or all below. */
export interface Members {
  readonly all?: boolean;
  /** Paths of the tree. */
  readonly folders?: readonly string[];
  readonly names?: readonly string[];
}

/** What one file says. */
export interface Facts {
  readonly declared: readonly Declared[];
  readonly locked: readonly Locked[];
  /** Of a lock file: the projects below its folder that it covers besides the one beside it. */
  readonly members?: Members | undefined;
  /** The names under which this file's own project is known to others of the tree. */
  readonly provides: readonly string[];
  /** Dependencies on parts of the same tree or other folders, which are no packages. */
  readonly local: number;
  readonly problems: readonly Omit<Problem, 'path'>[];
}

/** A file being read, and what of the tree around it the reader may ask for. */
export interface Source {
  /** Relative to the root of the tree. */
  readonly path: string;
  /** The folder it is in; empty for the root. */
  readonly folder: string;
  readonly text: string;
  /** The text of another listed file of the tree by its path from the root; undefined where there is none or it cannot be read. */
  sibling(path: string): string | undefined;
}

/** Reads one kind of file; may throw a `FormatFault`, which names the file's problem. */
export type FactsReader = (source: Source) => Facts;

/** Facts with nothing but what is given. */
export function facts(given: Partial<Facts>): Facts {
  return { declared: [], locked: [], provides: [], local: 0, problems: [], ...given };
}

/** Where a dependency is declared. */
export interface DeclarationPlace {
  readonly path: string;
  readonly line?: number | undefined;
  readonly scope: Scope;
  readonly range?: string | undefined;
}

/** A package that one project of the tree needs, in one version. */
export interface Dependency {
  /** With the version if one is locked or pinned. */
  readonly purl: string;
  readonly ecosystem: Ecosystem;
  readonly name: string;
  readonly version?: string | undefined;
  /** Whether the version comes from a lock file. */
  readonly locked: boolean;
  readonly direct: boolean;
  /** The strongest of its needs. */
  readonly scope: Scope;
  /** The folder whose manifests and locks these are; empty for the root. */
  readonly project: string;
  /** The first of the places that declare it; empty for a transitive one. */
  readonly declared: readonly DeclarationPlace[];
  /** The lock files that hold it. */
  readonly lockedIn: readonly string[];
}

/** One ecosystem in figures. Packages are counted once a version, however many projects use them. */
export interface EcosystemCounts {
  readonly ecosystem: Ecosystem;
  readonly manifests: number;
  readonly locks: number;
  readonly packages: number;
  readonly direct: number;
  readonly transitive: number;
  /** Those that no lock file fixes. */
  readonly unlocked: number;
  readonly scopes: Readonly<Record<Scope, number>>;
  /** Dependencies on folders instead of packages, not among `packages`. */
  readonly local: number;
}

/** One package that the tree holds in several versions. */
export interface Duplicate {
  /** Without a version. */
  readonly purl: string;
  readonly ecosystem: Ecosystem;
  /** In ascending order, the first hundred. */
  readonly versions: readonly string[];
  readonly versionsTotal: number;
  readonly projects: number;
}

/** A manifest or lock file that was read. */
export interface DependencyFile {
  readonly path: string;
  readonly ecosystem: Ecosystem;
  readonly kind: 'manifest' | 'lock';
  readonly format: string;
  readonly packages: number;
}

/** What a tree depends on. */
export interface DependencyReport {
  readonly totals: Omit<EcosystemCounts, 'ecosystem'>;
  readonly ecosystems: readonly EcosystemCounts[];
  /** The packages in the most versions first, at most `MOST_LISTED`. */
  readonly duplicates: readonly Duplicate[];
  readonly duplicatesTotal: number;
  /** At most `MOST_LISTED`. */
  readonly files: readonly DependencyFile[];
  readonly filesTotal: number;
  /** In the order of their files, at most `MOST_LISTED`. */
  readonly problems: readonly Problem[];
  readonly problemsTotal: number;
  /** Every dependency, by ecosystem, name, version and project: the full table, at most `MOST_ROWS`. */
  readonly table: readonly Dependency[];
  readonly tableTotal: number;
}
