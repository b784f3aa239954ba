/** Knows the language of a file that a tree declares by `linguist-language` in its .gitattributes files. */
import { type AttributeLine, type AttributeMacros, readAttributes } from './git-attributes.js';
import { readPatterns } from './ignore-rules.js';
import { languageCalled } from './labels.js';
import type { Language } from './languages/language.js';

const ATTRIBUTE = 'linguist-language';

/** What a tree declares, as it is when it is asked. */
export interface LanguageDeclarations {
  /** The declared language of a path relative to the root; undefined where there is none, or none that is known here. */
  of(path: string): Language | undefined;
}

interface FolderRules {
  readonly folder: string;
  readonly lines: readonly AttributeLine[];
}

/** Reads the declarations of a tree folder by folder, each once, when the first file of it is asked for. */
export function createLanguageDeclarations(root: string): LanguageDeclarations {
  const macros: AttributeMacros = new Map();
  /** By folder, that of the deepest file first. */
  const known = new Map<string, readonly FolderRules[]>();
  let last = { folder: '', rules: rulesAt('') };

  function rulesAt(folder: string): readonly FolderRules[] {
    const before = known.get(folder);
    if (before) return before;
    const above = folder === '' ? [] : rulesAt(parentOf(folder));
    const text = readPatterns(`${root}/${folder}.gitattributes`);
    const read = text === '' ? [] : readAttributes(text, macros, folder === '' ? macros : undefined);
    const lines = read.filter(({ values }) => values.has(ATTRIBUTE)).reverse();
    const rules = lines.length === 0 ? above : [{ folder, lines }, ...above];
    known.set(folder, rules);
    return rules;
  }

  return {
    of(path) {
      const folder = path.slice(0, path.lastIndexOf('/') + 1);
      if (folder !== last.folder) last = { folder, rules: rulesAt(folder) };
      return last.rules.length === 0 ? undefined : declaredIn(last.rules, path);
    },
  };
}

function declaredIn(rules: readonly FolderRules[], path: string): Language | undefined {
  for (const { folder, lines } of rules) {
    const line = lines.find(({ matches }) => matches(path.slice(folder.length)));
    if (line === undefined) continue;
    const value = line.values.get(ATTRIBUTE);
    return typeof value === 'string' ? languageCalled(value) : undefined;
  }
  return undefined;
}

/** `a/b/` lies in `a/`. */
function parentOf(folder: string): string {
  return folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
}
