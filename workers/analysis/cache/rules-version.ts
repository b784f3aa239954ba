/** Names the rules that count files, so that what other rules made of a file is never taken for the result of these. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Where the compiled rules lie, from the folder of analysis: all that the counting of a file passes through. A test follows
 * the imports of `count-chunk` to see that nothing lies elsewhere.
 */
export const RULE_FOLDERS = ['.', 'languages', 'lexer', 'cache'];

const versions = new Map<string, string>();

/**
 * A hash of the compiled rules in these folders below `analysis`, the folder whose threads count; read once. Throws as
 * reading files does.
 */
export function rulesVersion(analysis: URL, folders: readonly string[] = RULE_FOLDERS): string {
  const key = `${analysis.href} ${folders.join(' ')}`;
  const known = versions.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (const folder of folders) {
    const place = new URL(`${folder}/`, analysis);
    const modules = readdirSync(place)
      .filter((name) => name.endsWith('.js') || name.endsWith('.wasm'))
      .sort();
    for (const name of modules) hash.update(`${folder}/${name}\n`).update(readFileSync(new URL(name, place)));
  }
  const version = hash.digest('base64url');
  versions.set(key, version);
  return version;
}
