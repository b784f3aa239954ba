/** Reads what a tree declares of its own files: linguist attributes, and vendored folders taken back from .gitignore. */
import { type AttributeLine, type AttributeMacros, readAttributes } from './git-attributes.js';
import { compileGlob } from './globs.js';
import { readPatterns } from './ignore-rules.js';
import { baseName, bytewise } from './paths.js';
import { namesVendored } from './vendored.js';

/** What is declared of one file; undefined where nothing is. */
export interface Declared {
  readonly vendored: boolean | undefined;
  readonly generated: boolean | undefined;
}

interface Rule {
  readonly attribute: keyof Declared;
  readonly value: boolean | undefined;
  readonly folder: string;
  readonly matches: (path: string) => boolean;
}

const DECLARING = ['.gitattributes', '.gitignore'];
const ATTRIBUTES = ['vendored', 'generated'] as const;
const NOTHING: Declared = { vendored: undefined, generated: undefined };

/** Whether a file of this name can hold declarations. */
export function mayDeclare(path: string): boolean {
  return DECLARING.some(
    (name) => path.endsWith(name) && (path.length === name.length || path.at(-name.length - 1) === '/'),
  );
}

/** Reads the declarations of a tree from those of its listed files that hold any. */
export function readDeclarations(root: string, files: readonly string[]): (path: string) => Declared {
  const macros: AttributeMacros = new Map();
  const rules = files
    .filter(mayDeclare)
    .sort((a, b) => depth(a) - depth(b))
    .flatMap((path) => rulesOf(path, readPatterns(`${root}/${path}`), macros));
  if (rules.length === 0) return () => NOTHING;
  return (path) => ({ vendored: last(rules, 'vendored', path), generated: last(rules, 'generated', path) });
}

function last(rules: readonly Rule[], attribute: keyof Declared, path: string): boolean | undefined {
  const rule = rules.findLast(
    (candidate) =>
      candidate.attribute === attribute &&
      path.startsWith(candidate.folder) &&
      candidate.matches(path.slice(candidate.folder.length)),
  );
  return rule?.value;
}

function rulesOf(path: string, text: string, macros: AttributeMacros): Rule[] {
  const folder = path.slice(0, path.length - baseName(path).length);
  if (baseName(path) === '.gitattributes')
    return readAttributes(text, macros, folder === '' ? macros : undefined).flatMap((line) =>
      attributeRules(folder, line),
    );
  const lines = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim());
  return lines.flatMap((line) => reincludedRules(folder, line));
}

function attributeRules(folder: string, { matches, values }: AttributeLine): Rule[] {
  return ATTRIBUTES.flatMap((attribute) => {
    const name = `linguist-${attribute}`;
    if (!values.has(name)) return [];
    const value = values.get(name);
    return [
      { attribute, value: value === undefined ? undefined : value !== false && value !== 'false', folder, matches },
    ];
  });
}

/** Who writes `!vendor` into a .gitignore says that this folder is a part of the project. */
function reincludedRules(folder: string, line: string): Rule[] {
  if (!line.startsWith('!') || !namesVendored(line.slice(1))) return [];
  const pattern = line.slice(1).replace(/\/+$/, '');
  const anywhere = pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`;
  const [itself, below] = [anywhere, `${anywhere}/**`].map((glob) => compileGlob(bytewise(glob)));
  const matches = (path: string) => (itself?.(bytewise(path)) || below?.(bytewise(path))) ?? false;
  return [{ attribute: 'vendored', value: false, folder, matches }];
}

function depth(path: string): number {
  return path.split('/').length;
}
