/** Lists the files of a tree that are to be counted, and names the reason for each one that is not. */
import { type Declared, mayDeclare, readDeclarations } from './attributes.js';
import { digestOfNumbers, type SettlingRule } from './cache/identity.js';
import type { ListingProof } from './cache/list-record.js';
import type { Settling } from './cache/look-again.js';
import type { Skip } from './count-chunk.js';
import { compareText, MOST_EXAMPLES, mergeSkipped, type SkippedFiles, type SkipReason } from './counts.js';
import { generatedByName } from './generated.js';
import { findGitExcludes, NO_WORK_TREE } from './git-excludes.js';
import { type GitListing, listWithGit } from './git-list.js';
import { compileGlob, withoutBraces } from './globs.js';
import type { FileList, Listing } from './listing.js';
import { isHidden, printablePath } from './paths.js';
import { foldersOf } from './special-files.js';
import { askOnce, type ThreadPool } from './thread-pool.js';
import { vendoredByPath } from './vendored.js';
import type { Walked, WalkOptions } from './walk.js';

export type { FileList } from './listing.js';

/** How many paths are looked at before it is asked how long that took, and after how long others may run: rules may be many. */
const SLICE_FILES = 16;
const SLICE_MS = 5;
/** Looking into so many folders takes as long as asking another thread is worth. */
const FOLDERS_A_THREAD = 500;

/** Files that are no plain ones: a name on their way begins with a dot, they came from elsewhere, or a program wrote them. */
export type FileClass = 'hidden' | 'vendored' | 'generated';

/** As git has it, which lists hidden files like others; the rest is not the project's own work. */
const DEFAULT_CLASSES: readonly FileClass[] = ['hidden'];

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
  const found = await findFiles(options);
  // Folders are looked into meanwhile; what is found there, which is seldom, is set aside from what the classes go by.
  const [classified, special] = await Promise.all([classify(found.listing, options), found.special]);
  return told(special.length === 0 ? classified : await classify(await whole(found), options), options);
}

/** What was found, and what a look into its folders is going to add. */
interface Found {
  readonly listing: Listing;
  /** What stands beside or in the place of listed files and is no regular file. */
  readonly special: Promise<readonly Skip[]>;
}

async function findFiles(options: ListOptions): Promise<Found> {
  const { root, signal, respectGitignore = true } = options;
  if (!respectGitignore) return walk(options, { respectGitignore, base: root, patterns: [] });
  const onProgress = (done: number) => options.onProgress?.({ phase: 'list', done });
  const sinceMs = Date.now();
  const listing = await listWithGit({ root, signal, onProgress });
  if (listing === undefined) {
    const rules = findGitExcludes(root);
    if (rules.inWorkTree) return walk(options, { respectGitignore, ...rules });
    return enterRepositories(options, await walkAlone(options, sinceMs));
  }
  // An outer repository that ignores the whole folder has nothing to say about what is in it.
  const empty = listing.files.length + listing.skips.length + listing.submodules.length === 0;
  if (empty) return enterRepositories(options, await walk(options, { respectGitignore, base: root, patterns: [] }));
  const special = lookForSpecialFiles(options, listing, sinceMs);
  // Who waits for it hears of a failure.
  special.catch(() => undefined);
  return { listing, special };
}

/** The listing with what a look into its folders added. A tracked file may have been replaced by a pipe, of which git says nothing. */
async function whole({ listing, special }: Found): Promise<Listing> {
  const added = await special;
  const odd = new Set(added.map(({ path }) => path));
  return {
    ...listing,
    files: odd.size === 0 ? listing.files : listing.files.filter((path) => !odd.has(path)),
    skips: [...listing.skips, ...added],
  };
}

/** A folder of many checkouts is scanned whole: only within a repository is another one foreign. Each is listed by its own rules. */
async function enterRepositories(options: ListOptions, outside: Found): Promise<Found> {
  const { listing, special } = outside;
  const files = [...listing.files];
  const skips = [...listing.skips];
  const submodules: string[] = [];
  for (const repository of listing.submodules) {
    const inner = await whole(await findFiles({ ...options, root: `${options.root}/${repository}`, rule: undefined }));
    const within = (path: string) => `${repository}/${path}`;
    for (const path of inner.files) files.push(within(path));
    for (const { path, reason } of inner.skips) skips.push({ path: within(path), reason });
    submodules.push(...inner.submodules.map(within));
  }
  return { listing: { files, skips, submodules }, special };
}

/** Git passes over pipes and their like in silence; here every skipped file has a reason. */
async function lookForSpecialFiles(
  options: ListOptions,
  { files, digest }: GitListing,
  sinceMs: number,
): Promise<readonly Skip[]> {
  const { rule, onProof } = options;
  const folders = foldersOf(files);
  const declaring = rule ? files.filter(mayDeclare) : [];
  const prove = rule && { sinceMs, rule };
  const half = folders.length < FOLDERS_A_THREAD ? 0 : folders.length >> 1;
  const seen = await Promise.all([
    ...(half > 0 ? [look(options, { folders: folders.slice(0, half), files: [], prove })] : []),
    look(options, { folders: folders.slice(half), files: declaring, prove }),
  ]);
  const identities = seen.flatMap((one) => one.identities ?? []);
  if (prove && identities.length === seen.length)
    onProof?.({ git: digest, looked: [...folders, ...declaring], identities: digestOfNumbers(identities) });
  return seen.flatMap(({ skips }) => skips);
}

interface Look {
  readonly folders: readonly string[];
  readonly files: readonly string[];
  readonly prove: Settling | undefined;
}

async function look({ root, signal, pool }: ListOptions, { folders, files, prove }: Look) {
  const proving = prove && { files, settling: prove };
  const response = await askOnce({ kind: 'look', root, folders, prove: proving }, signal, pool);
  if (response.kind !== 'looked') throw new TypeError(`A look was answered with '${response.kind}'.`);
  return response;
}

type WalkRules = Omit<WalkOptions, 'root'>;

/** A walk that nothing outside the tree has a say in can be known again, but for the repositories in it. */
async function walkAlone(options: ListOptions, sinceMs: number): Promise<Found> {
  const { root, rule, onProof } = options;
  const prove = rule && { sinceMs, rule };
  const found = await walk(options, { respectGitignore: true, base: root, patterns: [], prove });
  const { watched, listing } = found;
  if (watched && listing.submodules.length === 0)
    onProof?.({ git: NO_WORK_TREE, looked: watched.looked, identities: digestOfNumbers([watched.identities]) });
  return found;
}

/** A walk has seen what everything is. */
async function walk({ root, signal, pool }: ListOptions, rules: WalkRules): Promise<Found & Pick<Walked, 'watched'>> {
  const response = await askOnce({ kind: 'walk', root, ...rules }, signal, pool);
  if (response.kind !== 'walked') throw new TypeError(`A walk was answered with '${response.kind}'.`);
  return { listing: response.listing, watched: response.watched, special: Promise.resolve([]) };
}

/** A listing sorted out; nobody was told of it yet. */
interface Classified extends Pick<FileList, 'files' | 'handwritten'> {
  readonly skips: readonly Skip[];
  readonly submodules: readonly string[];
}

async function classify(listing: Listing, options: ListOptions): Promise<Classified> {
  const { root, classes = DEFAULT_CLASSES } = options;
  const wanted = createFilter(options);
  const declared = readDeclarations(root, listing.files);
  const skips = listing.skips.filter(({ path }) => wanted(path));
  const files: string[] = [];
  const handwritten: string[] = [];
  const takes = { hidden: classes.includes('hidden'), vendored: classes.includes('vendored') };
  const takesGenerated = classes.includes('generated');

  /** The class for which a file is left out, the one that it is told by first. */
  function classLeftOut(path: string, { vendored, generated }: Declared): FileClass | undefined {
    if (!takes.hidden && isHidden(path)) return 'hidden';
    if (!takes.vendored && (vendored ?? vendoredByPath(path))) return 'vendored';
    return !takesGenerated && (generated ?? generatedByName(path)) ? 'generated' : undefined;
  }

  function accept(path: string): void {
    if (!wanted(path)) return;
    const found = declared(path);
    const leftOut = classLeftOut(path, found);
    if (leftOut) {
      skips.push({ path, reason: leftOut });
      return;
    }
    // What is taken whatever it contains is not searched for generators' marks.
    if (takesGenerated || found.generated === false) handwritten.push(path);
    files.push(path);
  }

  await eachInSlices(listing.files, options.signal, accept);
  return { files: files.sort(compareText), handwritten, skips, submodules: listing.submodules };
}

/** Tells of all that was left out, and of the end. */
function told({ files, handwritten, ...rest }: Classified, { onSkip, onProgress }: ListOptions): FileList {
  const skips = createSkipTable(onSkip);
  for (const { path, reason } of rest.skips) skips.add(path, reason);
  onProgress?.({ phase: 'list', done: files.length });
  const submodules = rest.submodules.map(printablePath).sort(compareText);
  return { files, handwritten, skipped: skips.result(), submodules };
}

/** Visits a list without holding the event loop for long. */
async function eachInSlices(
  files: readonly string[],
  signal: AbortSignal,
  visit: (path: string) => void,
): Promise<void> {
  let sinceMs = performance.now();
  for (const [at, path] of files.entries()) {
    visit(path);
    if (at % SLICE_FILES > 0 || performance.now() - sinceMs < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    sinceMs = performance.now();
  }
}

function createFilter({ include, exclude }: ListOptions): (path: string) => boolean {
  const included = include === undefined ? () => true : createGlobs(include);
  const excluded = createGlobs(exclude ?? []);
  return (path) => included(path) && !excluded(path);
}

function createGlobs(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  const patterns = globs.flatMap(withoutBraces).flatMap((glob) => {
    const pattern = glob.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');
    const anywhere = pattern.includes('/') ? pattern : `**/${pattern}`;
    return pattern === '' || pattern === '.' ? ['**'] : [anywhere, `${anywhere}/**`];
  });
  const matchers = patterns.map(compileGlob);
  return (path) => matchers.some((matches) => matches(path));
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
