/** Reads what a tree declares of its own files: linguist attributes, and vendored folders taken back from .gitignore. */
import picomatch from 'picomatch';
import { readPatterns } from './ignore-rules.js';
import { baseName } from './paths.js';
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

const DECLARING = new Set(['.gitattributes', '.gitignore']);
const NOTHING: Declared = { vendored: undefined, generated: undefined };

/** Whether a file of this name can hold declarations. */
export function mayDeclare(path: string): boolean {
  return DECLARING.has(baseName(path));
}

/** Reads the declarations of a tree from those of its listed files that hold any. */
export function readDeclarations(root: string, files: readonly string[]): (path: string) => Declared {
  const rules = files
    .filter(mayDeclare)
    .sort((a, b) => depth(a) - depth(b))
    .flatMap((path) => rulesOf(path, readPatterns(`${root}/${path}`)));
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

function rulesOf(path: string, text: string): Rule[] {
  const folder = path.slice(0, path.length - baseName(path).length);
  const lines = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim());
  const read = baseName(path) === '.gitattributes' ? attributeRules : reincludedRules;
  return lines.filter((line) => line !== '' && !line.startsWith('#')).flatMap((line) => read(folder, line));
}

/** `pattern attribute -attribute attribute=value`; gitattributes(5). */
function attributeRules(folder: string, line: string): Rule[] {
  const [pattern = '', ...words] = line.split(/\s+/);
  const matches = createMatcher(pattern.replace(/^"(.*)"$/, '$1'));
  return words.flatMap((word) => {
    const parsed = /^([-!]?)linguist-(vendored|generated)(?:=(\w+))?$/.exec(word);
    if (!parsed) return [];
    const [, sign, attribute, value] = parsed;
    const declared = sign === '!' ? undefined : sign !== '-' && value !== 'false';
    return [{ attribute: attribute === 'vendored' ? 'vendored' : 'generated', value: declared, folder, matches }];
  });
}

/** Who writes `!vendor` into a .gitignore says that this folder is a part of the project. */
function reincludedRules(folder: string, line: string): Rule[] {
  if (!line.startsWith('!') || !namesVendored(line.slice(1))) return [];
  const pattern = line.slice(1).replace(/\/+$/, '');
  const itself = createMatcher(pattern);
  const below = createMatcher(pattern.includes('/') ? `${pattern}/**` : `**/${pattern}/**`);
  return [{ attribute: 'vendored', value: false, folder, matches: (path) => itself(path) || below(path) }];
}

/** A pattern without a slash matches the base name at any depth; one with a slash the path from its folder on. */
function createMatcher(pattern: string): (path: string) => boolean {
  const anchored = pattern.includes('/');
  const matches = picomatch(pattern.replace(/^\//, ''), { dot: true, nobrace: true, noextglob: true, nonegate: true });
  return anchored ? (path) => matches(path) : (path) => matches(baseName(path));
}

function depth(path: string): number {
  return path.split('/').length;
}
