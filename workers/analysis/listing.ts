/** What looking through a tree finds before any file is opened. */
import type { Skip, SkippedFiles } from './counts.js';

/** The paths of a tree, relative to its root, with slashes; stray bytes escaped as by `decodePath`. */
export interface Listing {
  /** Regular files as far as the listing can tell; what they are is looked at again when they are opened. */
  readonly files: readonly string[];
  /** What is no regular file: links, pipes, sockets, devices, folders that cannot be read. */
  readonly skips: readonly Skip[];
  /** Folders that are repositories of their own. */
  readonly submodules: readonly string[];
}

/** A listed tree; plain JSON. */
export interface FileList {
  /** Sorted; relative to the root, with slashes; bytes that are not UTF-8 travel as lone surrogates (see `paths.ts`). */
  readonly files: readonly string[];
  /** Those of `files` that .gitattributes declares not to be generated, whatever they contain. */
  readonly handwritten: readonly string[];
  readonly skipped: readonly SkippedFiles[];
  readonly submodules: readonly string[];
}

/** What a list says besides naming its files. */
export type ListSummary = Omit<FileList, 'files' | 'handwritten'>;
