/** Finds a Chromium on PATH; tests that need one are skipped without. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Under which names one is looked for. */
export const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The absolute path of the first one; undefined where none is installed. */
export function findChromium(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => CHROMIUM_NAMES.map((name) => join(folder, name)))
    .find(isExecutable);
}

/** Words for the name of tests that are skipped. */
export function skippedWithoutChromium(path: string | undefined): string {
  return path ? '' : ` (SKIPPED: none of ${CHROMIUM_NAMES.join(', ')} is on PATH; install one to run these)`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
