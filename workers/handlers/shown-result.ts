/** The result of a scan as clients may see it: names of files that hold secrets are taken out. */
import { asJson } from '../../src/core/json.js';
import type { Handler } from '../../src/core/tool.js';
import type { analyzeCodebase } from '../../src/tools/analyze-codebase.js';
import { shown } from './metrics/shown-names.js';
import type { NameSearch } from './shown-rows.js';

type Output = Awaited<ReturnType<Handler<typeof analyzeCodebase>>>;

/** The lists of files in it; those of metrics have passed the same already. */
export async function withShownNames(result: Output, redactor: NameSearch['redactor']): Promise<Output> {
  const { by_extension, largest_files, skipped_files, submodules } = result;
  const names = await shown(asJson({ by_extension, largest_files, skipped_files, submodules }), redactor);
  // Texts change, nothing else does; the contract is checked once more when the job ends.
  return { ...result, ...(names as unknown as Pick<Output, 'largest_files'>) };
}

/** The same where a look at the names says so: a large result is searched in a thread, whose start would be a tenth of a rescan. */
export async function withShownNamesIfHeld(result: Output, { guard, redactor }: NameSearch): Promise<Output> {
  const names = [
    ...result.largest_files.map(({ path }) => path),
    ...result.by_extension.map(({ extension }) => extension),
    ...result.skipped_files.flatMap(({ examples }) => examples),
    ...(result.submodules ?? []),
  ];
  return names.some(guard.holdsSecret) ? withShownNames(result, redactor) : result;
}
