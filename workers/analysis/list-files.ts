/** Lists the files of a tree that are to be counted, and names the reason for each one that is not. */
import picomatch from 'picomatch';
import { type Declared, mayDeclare, readDeclarations } from './attributes.js';
import type { SettlingRule } from './cache/identity.js';
import type { ListingProof } from './cache/list-record.js';
import type { Skip } from './count-chunk.js';
import { compareText, MOST_EXAMPLES, mergeSkipped, type SkippedFiles, type SkipReason } from './counts.js';
import { generatedByName } from './generated.js';
import { findGitExcludes } from './git-excludes.js';
import { type GitListing, listWithGit } from './git-list.js';
import type { FileList, Listing } from './listing.js';
import { printablePath } from './paths.js';
import { foldersOf } from './special-files.js';
import { askOnce, type ThreadPool } from './thread-pool.js';
import { vendoredByPath } from './vendored.js';

export type { FileList } from './listing.js';

/** How many paths are looked at before others may run: a few milliseconds' worth. */
const SLICE_FILES = 1024;

/** Files that are no plain ones: a name on their way begins with a dot, they came from elsewhere, or a program wrote them. */
export type FileClass = 'hidden' | 'vendored' | 'generated';

/** As git has it, which lists hidden files like others; the rest is not the project's own work. */
const DEFAULT_CLASSES: readonly FileClass[] = ['hidden'];
const HIDDEN = /(?:^|\/)\./;

/** What to list. */
export interface ListOptions {
  /** The absolute real path of a folder. */
  readonly root: string;
  /** Whether ignored files are left out, as git does; without it everything but git's own folders is listed. Default true. */
  readonly respectGitignore?: boolean | undefined;
  /**
   * Globs relative to the root, which `*` does not cross; when given only matching files are listed. One without a slash
   * matches base names at any depth, one that names a folder everything below it.
   */
  readonly include?: readonly string[] | undefined;
  /** Classes of files to list; those left out are skipped, with their class for the reason. Default: hidden ones. */
  readonly classes?: readonly FileClass[] | undefined;
  /** Globs of the same kind for files to leave out. */
  readonly exclude?: readonly string[] | undefined;
  /** On abort the promise rejects with its reason; git is killed and threads are ended. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: ListProgress) => void) | undefined;
  /** Hears of each skipped file. */
  readonly onSkip?: ((skip: Skip) => void) | undefined;
  /** By which rule to judge whether the listing can be proved to be unchanged later. */
  readonly rule?: SettlingRule | undefined;
  /** Hears by what the listing was decided, where there is a rule and all of it can be known again. */
  readonly onProof?: ((proof: ListingProof) => void) | undefined;
  /** Threads that live on between listings; without it a listing starts its own, and ends it. */
  readonly pool?: ThreadPool | undefined;
}

/** How far a listing is. */
export interface ListProgress {
  readonly phase: 'list';
  readonly done: number;
}

/** Lists a tree: through git where it can, by a walk of our own elsewhere. */
export async function listFiles(options: ListOptions): Promise<FileList> {
  options.signal.throwIfAborted();
  const listing = await findFiles(options);
  options.signal.throwIfAborted();
  return classify(listing, options);
}

async function findFiles(options: ListOptions): Promise<Listing> {
  const { root, signal, respectGitignore = true } = options;
  if (!respectGitignore) return walk(options, { respectGitignore, base: root, patterns: [] });
  const onProgress = (done: number) => options.onProgress?.({ phase: 'list', done });
  const sinceMs = Date.now();
  const listing = await listWithGit({ root, signal, onProgress });
  if (listing === undefined) {
    const rules = findGitExcludes(root);
    const walked = await walk(options, { respectGitignore, ...rules });
    return rules.inWorkTree ? walked : enterRepositories(options, walked);
  }
  // An outer repository that ignores the whole folder has nothing to say about what is in it.
  const empty = listing.files.length + listing.skips.length + listing.submodules.length === 0;
  if (empty) return enterRepositories(options, await walk(options, { respectGitignore, base: root, patterns: [] }));
  const special = await lookForSpecialFiles(options, listing, sinceMs);
  return { ...listing, files: without(listing.files, special), skips: [...listing.skips, ...special] };
}

/** A folder of many checkouts is scanned whole: only within a repository is another one foreign. Each is listed by its own rules. */
async function enterRepositories(options: ListOptions, outside: Listing): Promise<Listing> {
  const files = [...outside.files];
  const skips = [...outside.skips];
  const submodules: string[] = [];
  for (const repository of outside.submodules) {
    const inner = await findFiles({ ...options, root: `${options.root}/${repository}`, rule: undefined });
    const within = (path: string) => `${repository}/${path}`;
    for (const path of inner.files) files.push(within(path));
    for (const { path, reason } of inner.skips) skips.push({ path: within(path), reason });
    submodules.push(...inner.submodules.map(within));
  }
  return { files, skips, submodules };
}

/** Git passes over pipes and their like in silence; here every skipped file has a reason. */
async function lookForSpecialFiles(
  { root, signal, pool, rule, onProof }: ListOptions,
  { files, digest }: GitListing,
  sinceMs: number,
): Promise<readonly Skip[]> {
  const folders = foldersOf(files);
  const declaring = rule ? files.filter(mayDeclare) : [];
  const prove = rule && { declaring, settling: { sinceMs, rule } };
  const response = await askOnce({ kind: 'look', root, folders, prove }, signal, pool);
  if (response.kind !== 'looked') throw new TypeError(`A look was answered with '${response.kind}'.`);
  const { identities } = response;
  if (identities !== undefined) onProof?.({ git: digest, looked: [...folders, ...declaring], identities });
  return response.skips;
}

/** A tracked file may have been replaced by a pipe, of which git says nothing either. */
function without(files: readonly string[], special: readonly Skip[]): readonly string[] {
  if (special.length === 0) return files;
  const paths = new Set(special.map(({ path }) => path));
  return files.filter((path) => !paths.has(path));
}

interface WalkRules {
  readonly respectGitignore: boolean;
  readonly base: string;
  readonly patterns: readonly string[];
}

async function walk({ root, signal, pool }: ListOptions, rules: WalkRules): Promise<Listing> {
  const response = await askOnce({ kind: 'walk', root, ...rules }, signal, pool);
  if (response.kind !== 'walked') throw new TypeError(`A walk was answered with '${response.kind}'.`);
  return response.listing;
}

async function classify(listing: Listing, options: ListOptions): Promise<FileList> {
  const { root, onProgress, classes = DEFAULT_CLASSES } = options;
  const wanted = createFilter(options);
  const declared = readDeclarations(root, listing.files);
  const skips = createSkipTable(options.onSkip);
  const files: string[] = [];
  const handwritten: string[] = [];
  const takesGenerated = classes.includes('generated');
  let hidden = 0;
  for (const skip of listing.skips) if (wanted(skip.path)) skips.add(skip.path, skip.reason);

  function accept(path: string): void {
    if (!wanted(path)) return;
    const { vendored, generated } = declared(path);
    const isHidden = HIDDEN.test(path);
    const leftOut = classesOf(path, { hidden: isHidden, vendored, generated }).find((one) => !classes.includes(one));
    if (leftOut) {
      skips.add(path, leftOut);
      return;
    }
    // What is taken whatever it contains is not searched for generators' marks.
    if (takesGenerated || generated === false) handwritten.push(path);
    if (isHidden) hidden += 1;
    files.push(path);
  }

  await eachInSlices(listing.files, options.signal, accept);
  onProgress?.({ phase: 'list', done: files.length });
  const submodules = listing.submodules.map(printablePath).sort(compareText);
  return { files: files.sort(compareText), handwritten, skipped: skips.result(), hidden, submodules };
}

/** The classes of a file, the one that it is told by first. */
function classesOf(
  path: string,
  { hidden, vendored, generated }: Declared & { readonly hidden: boolean },
): FileClass[] {
  return [
    ...(hidden ? ['hidden' as const] : []),
    ...((vendored ?? vendoredByPath(path)) ? ['vendored' as const] : []),
    ...((generated ?? generatedByName(path)) ? ['generated' as const] : []),
  ];
}

/** Visits a list without holding the event loop for long. */
async function eachInSlices(
  files: readonly string[],
  signal: AbortSignal,
  visit: (path: string) => void,
): Promise<void> {
  for (let start = 0; start < files.length; start += SLICE_FILES) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    for (const path of files.slice(start, start + SLICE_FILES)) visit(path);
  }
}

function createFilter({ include, exclude }: ListOptions): (path: string) => boolean {
  const included = include === undefined ? () => true : createGlobs(include);
  const excluded = createGlobs(exclude ?? []);
  return (path) => included(path) && !excluded(path);
}

function createGlobs(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  const patterns = globs.flatMap((glob) => {
    const pattern = glob.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
    const anywhere = pattern.includes('/') ? pattern : `**/${pattern}`;
    return pattern === '' || pattern === '.' ? ['**'] : [anywhere, `${anywhere}/**`];
  });
  return picomatch(patterns, { dot: true });
}

function createSkipTable(onSkip: ListOptions['onSkip']) {
  const table = new Map<SkipReason, SkippedFiles>();
  function add(path: string, reason: SkipReason): void {
    onSkip?.({ path: printablePath(path), reason });
    const row = table.get(reason) ?? { reason, files: 0, examples: [] };
    table.set(reason, row);
    row.files += 1;
    if (row.examples.length >= 2 * MOST_EXAMPLES) row.examples.sort(compareText).splice(MOST_EXAMPLES);
    row.examples.push(printablePath(path));
  }
  return { add, result: () => mergeSkipped([...table.values()], []).map(firstExamples) };
}

function firstExamples(row: SkippedFiles): SkippedFiles {
  return { ...row, examples: row.examples.sort(compareText).slice(0, MOST_EXAMPLES) };
}
