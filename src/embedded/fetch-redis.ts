/**
 * Fetches the distribution's own Redis package into a cache folder without root and without installing it.
 *
 * `apt-get download` checks the package against the distribution's signed lists, `dpkg -x` only unpacks it. Everything
 * is unpacked in a folder of this process's own and appears in the cache by one rename, so that processes which fetch
 * at the same time, or die while they do, never show each other half a server.
 */
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inspectBinary } from './inspect-binary.js';
import { type RunResult, runCommand } from './run-command.js';

/** What to fetch into. */
export interface FetchOptions {
  /** The folder of `cacheFolder()`. */
  folder: string;
  /** An abort ends the download, removes what was unpacked and rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** The packages that hold a server: Debian keeps the program itself in the `-tools` one. */
const PACKAGES = [
  { server: 'redis-server', tools: 'redis-tools' },
  { server: 'valkey-server', tools: 'valkey-tools' },
];
const DOWNLOAD_LIMIT_MS = 120_000;
const MOST_LIBRARIES = 16;
const UNPACKED = 'root';

/** The folder of the cache for this system: a home folder may be shared by machines whose libraries differ. */
export async function cacheFolder(cacheDir: string): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string) => new RegExp(`^${name}="?([\\w.-]+)`, 'm').exec(release)?.[1];
  const system = [field('ID') ?? process.platform, field('VERSION_ID') ?? 'unversioned', process.arch];
  return join(cacheDir, 'redis', system.join('-'));
}

/** The server program unpacked in `folder` and the folders of its libraries, or undefined when there is none. */
export async function packagedBinary(folder: string): Promise<{ path: string; libraryPath: string } | undefined> {
  for (const { server } of PACKAGES) {
    const path = join(folder, 'usr', 'bin', server);
    if (await exists(path)) return { path, libraryPath: await libraryFolders(folder) };
  }
  return undefined;
}

/**
 * Downloads and unpacks the server and every shared library that this system lacks, within two minutes a step.
 *
 * Resolves with undefined when the folder holds a server afterwards, else with a sentence that says why not.
 */
export async function fetchRedis({ folder, signal }: FetchOptions): Promise<string | undefined> {
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeAbandoned(parent);
  const work = await mkdtemp(join(parent, `.fetch-${process.pid}-`));
  try {
    const apt = createApt(work, signal);
    const fault = await unpackServer(apt, work);
    return fault ?? (await publish(join(work, UNPACKED), folder));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

type Apt = ReturnType<typeof createApt>;

function createApt(work: string, signal: AbortSignal | undefined) {
  const options = { cwd: work, limitMs: DOWNLOAD_LIMIT_MS, signal };
  const ownLists = ['-o', `Dir::State::lists=${join(work, 'lists')}`, '-o', `Dir::Cache=${join(work, 'cache')}`];
  let lists: readonly string[] = [];
  const download = (names: readonly string[]) => runCommand('apt-get', ['download', ...lists, ...names], options);
  return {
    /** The system's own lists may be empty (images) or older than the archive; then lists of our own are fetched once. */
    async download(names: readonly string[]): Promise<RunResult> {
      const first = await download(names);
      if (first.failure === undefined || lists.length > 0) return first;
      await mkdir(join(work, 'lists', 'partial'), { recursive: true });
      await mkdir(join(work, 'cache', 'archives', 'partial'), { recursive: true });
      lists = ownLists;
      const updated = await runCommand('apt-get', ['update', ...lists], options);
      return updated.failure === undefined ? download(names) : updated;
    },
    async dependencies(name: string): Promise<string[]> {
      const kinds = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
        (kind) => `--no-${kind}`,
      );
      const listed = await runCommand('apt-cache', ['depends', '--recurse', ...kinds, ...lists, name], options);
      return listed.stdout.split('\n').filter((line) => /^\w/.test(line));
    },
    async unpack(): Promise<string | undefined> {
      const packages = (await readdir(work)).filter((name) => name.endsWith('.deb'));
      for (const name of packages) {
        const unpacked = await runCommand('dpkg', ['-x', join(work, name), join(work, UNPACKED)], options);
        await rm(join(work, name));
        if (unpacked.failure) return unpacked.failure;
      }
      return undefined;
    },
  };
}

async function unpackServer(apt: Apt, work: string): Promise<string | undefined> {
  const faults: string[] = [];
  for (const { server, tools } of PACKAGES) {
    const downloaded = await apt.download([server, tools]);
    const fault = downloaded.failure ?? (await apt.unpack()) ?? (await addLibraries(apt, join(work, UNPACKED), tools));
    if (fault === undefined) return undefined;
    faults.push(fault);
  }
  return faults.join('; ');
}

/** The loader names one missing library at a time, and a library just added may need another. */
async function addLibraries(apt: Apt, root: string, tools: string): Promise<string | undefined> {
  const dependencies = await apt.dependencies(tools);
  for (let added = 0; added <= MOST_LIBRARIES; added += 1) {
    const packaged = await packagedBinary(root);
    if (!packaged) return `${tools} holds no server program`;
    const found = await inspectBinary(packaged.path, packaged.libraryPath);
    if (found.fault === undefined) return undefined;
    if (!found.missingLibrary) return found.fault;
    const name = packageOf(found.missingLibrary, dependencies);
    if (!name) return `no package is known for the library ${found.missingLibrary}`;
    const fault = (await apt.download([name])).failure ?? (await apt.unpack());
    if (fault) return fault;
  }
  return `${tools} needs more than ${MOST_LIBRARIES} libraries`;
}

/** Debian names a library's package after its soname (Policy 8.1): `liblua5.1.so.0` is in `liblua5.1-0`. */
function packageOf(soname: string, names: readonly string[]): string | undefined {
  const bare = (name: string) => name.replace(/t64$/, '').replace(/\W|_/g, '');
  const wanted = bare(soname.replace('.so.', '').replace(/^libcrypto/, 'libssl'));
  return names.find((name) => bare(name) === wanted);
}

async function publish(unpacked: string, folder: string): Promise<string | undefined> {
  const renamed = await rename(unpacked, folder).catch((error: Error) => error);
  if (!renamed) return undefined;
  const other = await packagedBinary(folder);
  if (other && (await inspectBinary(other.path, other.libraryPath)).fault === undefined) return undefined;
  // What is there does not run (the caller would have used it): move it away under a name nobody else uses.
  await rename(folder, `${unpacked}-broken`).catch(() => undefined);
  return rename(unpacked, folder).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = /^\.fetch-(\d+)-/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function libraryFolders(root: string): Promise<string> {
  const parents = [join(root, 'usr', 'lib'), join(root, 'lib')];
  const listed = await Promise.all(
    parents.map(async (parent) => {
      const names = await readdir(parent).catch(() => []);
      return [parent, ...names.filter((name) => name.includes('-linux-')).map((name) => join(parent, name))];
    }),
  );
  return listed.flat().join(':');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
