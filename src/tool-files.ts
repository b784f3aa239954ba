/** Loads tools of the user's own from files, for front ends and workers alike. */
import { pathToFileURL } from 'node:url';
import { AppError } from './core/errors.js';
import { QUEUE_NAMES, type Tool, type ToolContract, type ToolLimits } from './core/tool.js';

const PUBLIC_ENTRY = 'longhaul-mcp-server/tool';

/** Imports the files, TypeScript ones too, and returns their tools; throws `invalid_configuration` naming every file at fault. */
export async function loadToolFiles(files: readonly string[]): Promise<Tool[]> {
  const loaded = await Promise.all(files.map(loadFile));
  const faults = loaded.flatMap((result) => (typeof result === 'string' ? [result] : []));
  if (faults.length > 0)
    throw new AppError('invalid_configuration', `Tools could not be loaded:\n  ${faults.join('\n  ')}`);
  return loaded.flatMap((result) => (typeof result === 'string' ? [] : result));
}

/** Joins tools into one table by name; throws `invalid_configuration` when two share a name. */
export function toolTable<T extends { readonly contract: Pick<ToolContract, 'name'> }>(
  tools: readonly T[],
): ReadonlyMap<string, T> {
  const table = new Map<string, T>();
  for (const tool of tools) {
    const { name } = tool.contract;
    if (table.has(name)) throw new AppError('invalid_configuration', `Two tools are named ${name}; names must differ.`);
    table.set(name, tool);
  }
  return table;
}

async function loadFile(file: string): Promise<Tool[] | string> {
  try {
    const module = await importFile(file);
    const exported = Array.isArray(module.default) ? module.default : [module.default];
    const faults = exported.map(toolFault).filter((fault) => fault !== undefined);
    return faults.length > 0 ? `${file}: ${faults.join('; ')}` : (exported as Tool[]);
  } catch (error) {
    return `${file}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Node 20 cannot import TypeScript. The loader brings a compiler with it, so it is loaded only for files that need one. */
async function importFile(file: string): Promise<{ readonly default?: unknown }> {
  if (!/\.m?ts$/.test(file)) return import(pathToFileURL(file).href);
  const { createJiti } = await import('jiti');
  // Handed over as it is loaded here: the file needs no installed copy of the package, and shares our error classes.
  const virtualModules = { [PUBLIC_ENTRY]: await import('./tool.js') };
  const loader = createJiti(import.meta.url, { fsCache: false, interopDefault: false, virtualModules });
  return loader.import(file);
}

/** What is wrong with an exported value, if anything; the file is the user's own, so its types are not to be trusted. */
function toolFault(value: unknown): string | undefined {
  const tool = value as Partial<Tool> | undefined;
  if (!tool?.contract || typeof tool.handler !== 'function')
    return 'expected a default export made with defineTool(contract, handler)';
  const { name, queue, input, output, limits, description } = tool.contract;
  if (!/^[a-z_]{1,64}$/.test(name)) return `the name ${JSON.stringify(name)} does not match ^[a-z_]{1,64}$`;
  if (!QUEUE_NAMES.includes(queue)) return `${name}: queue must be one of ${QUEUE_NAMES.join(', ')}`;
  if (!input?.safeParse || !output?.safeParse) return `${name}: input and output must be zod objects`;
  const fault = limitsFault(limits ?? {});
  if (fault !== undefined) return `${name}: ${fault}`;
  return Buffer.byteLength(description) > 2_048 ? `${name}: the description is over 2 kB` : undefined;
}

/** A timer cannot be set for longer, and would end each run at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

function limitsFault({ timeoutMs = 0, attempts = 0, backoffMs = Number.NaN }: Partial<ToolLimits>): string | undefined {
  if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS))
    return `limits.timeoutMs must be from 1 to ${LONGEST_TIMEOUT_MS}, some 24 days; got ${timeoutMs}`;
  if (!(Number.isSafeInteger(attempts) && attempts >= 1))
    return `limits.attempts must be a whole number of at least 1; got ${attempts}`;
  if (!(backoffMs >= 0 && Number.isFinite(backoffMs)))
    return `limits.backoffMs must be milliseconds of at least 0; got ${backoffMs}`;
  return undefined;
}
