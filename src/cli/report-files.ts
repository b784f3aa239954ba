/** Writes reports where `--output` names them: whole or not at all. */
import { randomUUID } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../core/errors.js';

/**
 * Refuses a target that cannot become a report, before any work is done: one that is a folder, a device or a pipe, or
 * whose own folder is not there. An ordinary file is replaced, as people expect of a report that is written again.
 */
export async function checkTarget(path: string): Promise<void> {
  const folder = dirname(path);
  const parent = await stat(folder).catch(() => undefined);
  if (!parent?.isDirectory()) throw refusal(path, `there is no folder ${folder}; make it first`);
  const target = await stat(path).catch(() => undefined);
  if (target && !target.isFile())
    throw refusal(path, `it is ${target.isDirectory() ? 'a folder' : 'no ordinary file'}; name a file`);
}

/**
 * Writes UTF-8 text beside the target and renames it into place, so that nobody ever reads half a report. A link is
 * followed: what it leads to is replaced.
 */
export async function writeReportFile(path: string, text: string): Promise<void> {
  await checkTarget(path);
  const target = await realpath(path).catch(() => path);
  const draft = join(dirname(target), `.${basename(target).slice(0, 100)}.${randomUUID()}`);
  try {
    const file = await open(draft, 'wx', 0o666);
    try {
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw refusal(path, error instanceof Error ? error.message : String(error), error);
  }
}

function refusal(path: string, why: string, cause?: unknown): AppError {
  return new AppError('report_not_written', `The report ${path} cannot be written: ${why}.`, { cause });
}
