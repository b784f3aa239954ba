/** Finds Valkey for tests: on PATH, else the distribution's package, of its backports if need be; unpacked, not installed. */
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { findRedis } from '../../src/embedded/find-redis.js';
import { libraryEnv } from '../../src/embedded/inspect-binary.js';
import { runCommand } from '../../src/embedded/run-command.js';
import { testCacheDir } from './redis.js';

/** A program that runs here, and the version it says it is. */
export interface ServerProgram {
  readonly path: string;
  readonly libraryPath?: string | undefined;
  readonly version: string;
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const PACKAGES = ['valkey-server', 'valkey-tools'];

/** The program; a sentence that says why there is none where it cannot be had. */
export async function findValkey(): Promise<ServerProgram | string> {
  // Its libraries are those of the distribution's Redis, which is there wherever these tests run.
  const { libraryPath } = await findRedis({ pathFolders: pathFolders(), cacheDir: testCacheDir() });
  const folder = join(testCacheDir(), 'valkey');
  const candidates = [...pathFolders(), join(folder, 'usr', 'bin')].map((place) => join(place, 'valkey-server'));
  for (const path of candidates) if (await exists(path)) return programAt(path, libraryPath);
  const fault = await fetchInto(folder);
  return fault ?? programAt(join(folder, 'usr', 'bin', 'valkey-server'), libraryPath);
}

const pathFolders = () => (process.env.PATH ?? '').split(delimiter).filter((part) => part !== '');

async function programAt(path: string, libraryPath: string | undefined): Promise<ServerProgram | string> {
  const said = await runCommand(path, ['--version'], { env: libraryEnv(libraryPath) });
  const version = /v=(\S+)/.exec(said.stdout)?.[1];
  return version === undefined ? `Valkey does not run here: ${said.failure}` : { path, libraryPath, version };
}

async function fetchInto(folder: string): Promise<string | undefined> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const codename = /^VERSION_CODENAME=(\w+)/m.exec(release)?.[1];
  if (!/^ID=debian$/m.test(release) || !codename) return 'Valkey is fetched from the packages of Debian only';
  await mkdir(testCacheDir(), { recursive: true });
  const work = await mkdtemp(join(testCacheDir(), '.valkey-'));
  try {
    const options = await aptOptions(work, codename);
    for (const args of [['update'], ['download', ...PACKAGES]]) {
      const { failure } = await runCommand('apt-get', [...options, ...args], { cwd: work, limitMs: 60_000 });
      if (failure !== undefined) return `Valkey is not among the packages of ${codename}: ${failure}`;
    }
    for (const name of (await readdir(work)).filter((file) => file.endsWith('.deb'))) {
      const { failure } = await runCommand('dpkg', ['-x', name, 'root'], { cwd: work });
      if (failure !== undefined) return failure;
    }
    await rename(join(work, 'root'), folder).catch((error: unknown) => {
      // Another test has been faster.
      if (!(error instanceof Error && /ENOTEMPTY|EEXIST/.test(error.message))) throw error;
    });
    return undefined;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Lists of its own, from where the system's come from, with the backports beside. */
async function aptOptions(work: string, codename: string): Promise<string[]> {
  const found = await runCommand('apt-get', ['indextargets', '--format', '$(REPO_URI)', `Codename: ${codename}`]);
  const uri = found.stdout.split('\n')[0] ?? '';
  const signed = (await exists(KEYRING)) ? `[signed-by=${KEYRING}] ` : '';
  const sources = [codename, `${codename}-backports`].map((suite) => `deb ${signed}${uri} ${suite} main\n`);
  await writeFile(join(work, 'sources.list'), sources.join(''));
  await mkdir(join(work, 'lists', 'partial'), { recursive: true });
  await mkdir(join(work, 'cache', 'archives', 'partial'), { recursive: true });
  return [
    ['Dir::Etc::SourceList', join(work, 'sources.list')],
    ['Dir::Etc::SourceParts', '/dev/null'],
    ['Dir::State::lists', join(work, 'lists')],
    ['Dir::Cache', join(work, 'cache')],
  ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
