/** The result of a scan as clients may see it: names of files that hold secrets are taken out. */
import { asJson } from '../../src/core/json.js';
import type { Handler } from '../../src/core/tool.js';
import type { analyzeCodebase } from '../../src/tools/analyze-codebase.js';
import { shown } from './metrics/shown-names.js';
import type { NameSearch } from './shown-rows.js';

type Output = Awaited<ReturnType<Handler<typeof analyzeCodebase>>>;

/**
 * The result with its lists of files searched; those of metrics have passed the same already. Nearly always a look at the names
 * says that there is nothing to search for: a large result is searched in a thread, whose start would be a tenth of a rescan.
 */
export async function withShownNames(result: Output, { guard, redactor }: NameSearch): Promise<Output> {
  const { by_extension, largest_files, skipped_files, submodules = [] } = result;
  const names = [
    ...largest_files.map(({ path }) => path),
    ...by_extension.map(({ extension }) => extension),
    ...skipped_files.flatMap(({ examples }) => examples),
    ...submodules,
  ];
  if (!names.some(guard.holdsSecret)) return result;
  const clean = await shown(asJson({ by_extension, largest_files, skipped_files, submodules }), redactor);
  // Texts change, nothing else does; the contract is checked once more when the job ends.
  return { ...result, ...(clean as unknown as Pick<Output, 'largest_files'>) };
}
