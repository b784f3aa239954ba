/** Who this program is: name and version as its package says. */
import { readFileSync } from 'node:fs';

/** Reads name and version from package.json, which lies two folders above the compiled file. */
export function productIdentity(): { readonly name: string; readonly version: string } {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { name, version } = Object(manifest);
  return { name: String(name), version: String(version) };
}
