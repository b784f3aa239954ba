/** Writes package URLs, and the keys by which two spellings of a name are one. */
import { PackageURL } from 'packageurl-js';
import type { Ecosystem } from './dependency.js';

interface Rule {
  /** The name as the package URL specification normalises it, where the library does not. */
  readonly normalise?: (name: string) => string;
  /** What parts namespace and name, and which of several parts them. */
  readonly separator?: { readonly text: string; readonly last: boolean };
}

const lowered = (name: string) => name.toLowerCase();

/** By the type definitions of the package URL specification, and PEP 503 which it names for PyPI. */
const RULES: Readonly<Record<Ecosystem, Rule>> = {
  npm: { separator: { text: '/', last: false } },
  pypi: { normalise: (name) => name.toLowerCase().replace(/[-_.]+/g, '-') },
  golang: { normalise: lowered, separator: { text: '/', last: true } },
  cargo: {},
  maven: { separator: { text: ':', last: false } },
  gem: {},
  composer: { normalise: lowered, separator: { text: '/', last: false } },
  nuget: {},
};

/** The package URL of a package; undefined for what is no name. */
export function packageUrl(ecosystem: Ecosystem, name: string, version?: string): string | undefined {
  const { separator } = RULES[ecosystem];
  const normal = normalised(ecosystem, name.trim());
  const at =
    separator === undefined ? -1 : separator.last ? normal.lastIndexOf(separator.text) : normal.indexOf(separator.text);
  const namespace = at > 0 ? normal.slice(0, at) : undefined;
  try {
    return new PackageURL(
      ecosystem,
      namespace,
      normal.slice(at + 1),
      version || undefined,
      undefined,
      undefined,
    ).toString();
  } catch {
    return undefined;
  }
}

/** The key under which the spellings of one name meet: NuGet tells no case apart though its package URLs keep it. */
export function nameKey(ecosystem: Ecosystem, name: string): string {
  return ecosystem === 'nuget' ? name.toLowerCase() : normalised(ecosystem, name);
}

function normalised(ecosystem: Ecosystem, name: string): string {
  return RULES[ecosystem].normalise?.(name) ?? name;
}
