/** Reads Composer's composer.json and composer.lock. */
import { entriesAt, listAt, textAt } from '../formats/data.js';
import { parseJson } from '../formats/json.js';
import { createPlaceFinder } from '../formats/place-finder.js';
import { type Declared, type Facts, facts, type Locked, type Scope, type Source } from './dependency.js';

const SECTIONS: readonly (readonly [section: string, locked: string, scope: Scope])[] = [
  ['require', 'packages', 'runtime'],
  ['require-dev', 'packages-dev', 'dev'],
];
/** Packages have a vendor; what has none is the platform: PHP, its extensions and libraries. */
const isPackage = (name: string) => name.includes('/');

/** Reads composer.json. */
export function readComposerJson({ text }: Source): Facts {
  const manifest = parseJson(text);
  const places = createPlaceFinder(text);
  const declared = SECTIONS.flatMap(([section, , scope]) =>
    entriesAt(manifest, section)
      .filter(([name]) => isPackage(name))
      .map(([name, wanted]): Declared => {
        const range = typeof wanted === 'string' ? wanted : undefined;
        const version = /^=?v?(\d+(?:\.\d+){2,3}(?:-[\w.]+)?)$/.exec(range ?? '')?.[1];
        return { name, range, version, scope, line: places.line(name, section) };
      }),
  );
  const own = textAt(manifest, 'name');
  return facts({ declared, provides: own === undefined ? [] : [own] });
}

/** Reads composer.lock. */
export function readComposerLock({ text }: Source): Facts {
  const lock = parseJson(text);
  const locked: Locked[] = [];
  let local = 0;
  for (const [, section, scope] of SECTIONS) {
    for (const entry of listAt(lock, section)) {
      const name = textAt(entry, 'name');
      const version = textAt(entry, 'version');
      if (name === undefined || version === undefined) continue;
      if (textAt(entry, 'dist', 'type') === 'path') local += 1;
      else locked.push({ id: name.toLowerCase(), name, version, scope, requires: needsOf(entry) });
    }
  }
  return facts({ locked, local });
}

function needsOf(entry: unknown): string[] {
  return entriesAt(entry, 'require').flatMap(([name]) => (isPackage(name) ? [name.toLowerCase()] : []));
}
