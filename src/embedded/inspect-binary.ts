/** Asks a server program what it is, and whether it is new enough. */
import { runCommand } from './run-command.js';

/** A server program that runs here. */
export interface RedisBinary {
  /** Absolute path of the program. */
  path: string;
  /** E.g. `7.0.15`. */
  version: string;
  /** `LD_LIBRARY_PATH` it needs; undefined for a program that is installed. */
  libraryPath?: string | undefined;
}

/** A program that cannot be used: why, and the shared library whose lack stops it, if that is the reason. */
export interface UnfitBinary {
  fault: string;
  missingLibrary?: string;
}

/**
 * Runs `path --version` (limit 10 s) and says what it is, or why it cannot be used: it does not run, it is neither
 * Redis nor Valkey, or it is a Redis older than 6.2. Rejects only on abort, with the signal's reason.
 */
export async function inspectBinary(
  path: string,
  libraryPath?: string,
  signal?: AbortSignal,
): Promise<(RedisBinary & { fault?: undefined }) | UnfitBinary> {
  const ran = await runCommand(path, ['--version'], { env: libraryEnv(libraryPath), signal });
  const missingLibrary = /loading shared libraries: (\S+): cannot open/.exec(ran.stderr)?.[1];
  if (missingLibrary) return { fault: `it needs the library ${missingLibrary}`, missingLibrary };
  if (ran.failure) return { fault: ran.failure };
  const [, product, version] = /^(Redis|Valkey) server v=(\d+\.\d+\.\d+)/.exec(ran.stdout) ?? [];
  if (!product || !version) return { fault: 'it does not say that it is a Redis or Valkey server' };
  if (product === 'Redis' && !isAtLeast62(version)) return { fault: `Redis ${version} is older than 6.2` };
  return { path, version, libraryPath };
}

/** The environment of a server program: nothing but the folders of its libraries, if it needs any. */
export function libraryEnv(libraryPath: string | undefined): Record<string, string> {
  return libraryPath ? { LD_LIBRARY_PATH: libraryPath } : {};
}

function isAtLeast62(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 2);
}
