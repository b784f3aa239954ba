/** Which packages the processes of an installation have loaded by the time they ended. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPORTER = fileURLToPath(new URL('./loaded-reporter.cjs', import.meta.url));

/** The environment that has every process leave a report in this folder. */
export function reportingTo(folder: string): Record<string, string> {
  return { NODE_OPTIONS: `--require=${REPORTER}`, LOADED_REPORT: folder };
}

/** What was loaded by workers and by others: names as they were required, and paths. */
export async function loadedIn(folder: string): Promise<{ worker: string[]; other: string[] }> {
  const found = { worker: [] as string[], other: [] as string[] };
  for (const name of await readdir(folder)) {
    const loaded = (await readFile(join(folder, name), 'utf8')).split('\n');
    found[name.startsWith('worker') ? 'worker' : 'other'].push(...loaded);
  }
  return found;
}
