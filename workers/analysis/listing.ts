/** What looking through a tree finds before any file is opened. */
import type { Skip } from './count-chunk.js';

/** The paths of a tree, relative to its root, with slashes; stray bytes escaped as by `decodePath`. */
export interface Listing {
  /** Regular files as far as the listing can tell; what they are is looked at again when they are opened. */
  readonly files: readonly string[];
  /** What is no regular file: links, pipes, sockets, devices, folders that cannot be read. */
  readonly skips: readonly Skip[];
  /** Folders that are repositories of their own. */
  readonly submodules: readonly string[];
}
