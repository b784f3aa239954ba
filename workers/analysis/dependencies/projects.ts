/** Tells which manifests a lock file speaks for. */
import { foldersUpward } from '../formats/tree-path.js';
import type { Ecosystem, Facts } from './dependency.js';

/** A file of one ecosystem with what it says. */
export interface SourceFacts {
  readonly path: string;
  readonly folder: string;
  readonly ecosystem: Ecosystem;
  readonly kind: 'manifest' | 'lock';
  readonly facts: Facts;
}

/** What is joined: lock files of one folder with the manifests they cover, or the manifests of a folder without any. */
export interface Project {
  readonly folder: string;
  readonly manifests: SourceFacts[];
  readonly locks: SourceFacts[];
}

/**
 * A project is a folder with a lock file, the manifests beside it and those of the members of its workspace; any other
 * manifest is a project of its own folder.
 */
export function groupProjects(files: readonly SourceFacts[]): Project[] {
  const projects = new Map<string, Project>();
  const projectAt = (folder: string): Project => {
    const project = projects.get(folder) ?? { folder, manifests: [], locks: [] };
    projects.set(folder, project);
    return project;
  };
  const locks = new Map<string, SourceFacts[]>();
  for (const lock of files.filter(({ kind }) => kind === 'lock')) {
    projectAt(lock.folder).locks.push(lock);
    locks.set(lock.folder, projectAt(lock.folder).locks);
  }
  for (const manifest of files.filter(({ kind }) => kind === 'manifest')) {
    const above = foldersUpward(manifest.folder).find((folder) =>
      (locks.get(folder) ?? []).some((lock) => covers(lock, manifest)),
    );
    projectAt(above ?? manifest.folder).manifests.push(manifest);
  }
  return [...projects.values()];
}

function covers({ folder, facts: { members } }: SourceFacts, manifest: SourceFacts): boolean {
  if (manifest.folder === folder || members?.all === true) return true;
  const { folders = [], names = [] } = members ?? {};
  return folders.includes(manifest.folder) || names.some((name) => manifest.facts.provides.includes(name));
}
