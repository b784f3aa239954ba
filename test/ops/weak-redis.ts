/** A real Redis as distributions and strangers configure it: on a port, with a password, without durability. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findRedis } from '../../src/embedded/find-redis.js';
import { libraryEnv } from '../../src/embedded/inspect-binary.js';
import { freePort } from '../support/free-port.js';
import { testCacheDir } from '../support/redis.js';

/** Starts one with `settings` and gives its URL without a password; it is gone when the test ends. */
export async function weakRedis(settings: Readonly<Record<string, string>>): Promise<{ host: string }> {
  const pathFolders = (process.env.PATH ?? '').split(delimiter);
  const binary = await findRedis({ pathFolders, cacheDir: testCacheDir() });
  const dir = await mkdtemp(join(tmpdir(), 'longhaul-weak-'));
  const port = await freePort();
  const all = { port: String(port), bind: '127.0.0.1', dir, save: '""', ...settings };
  const child = spawn(binary.path, ['-'], { env: libraryEnv(binary.libraryPath), stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(
    Object.entries(all)
      .map(([name, value]) => `${name} ${value}\n`)
      .join(''),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await rm(dir, { recursive: true, force: true });
  });
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.includes('Ready to accept connections')) return { host: `127.0.0.1:${port}` };
  }
  throw new Error(`Redis ended before it was ready: ${said}`);
}
