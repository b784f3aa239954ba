/** Reads the text of a .gitattributes file as git does: which paths it speaks of, and what it says of them. */
import { compileGlob } from './globs.js';
import { baseName, bytewise, decodePath } from './paths.js';

/** Set, unset, a value, or taken back to unspecified. */
export type AttributeValue = boolean | string | undefined;

/** One line. */
export interface AttributeLine {
  /** Whether it speaks of a path, given from the folder of its file on. */
  matches(path: string): boolean;
  readonly values: ReadonlyMap<string, AttributeValue>;
}

/** As git has it, which passes over longer ones. */
const LONGEST_LINE = 2048;

/** What a macro stands for, by its name; only the file at the top of a tree may define any. */
export type AttributeMacros = Map<string, ReadonlyMap<string, AttributeValue>>;

/** The lines of a file, in their order, of which later ones count more; `[attr]` lines go into `define` where it is given. */
export function readAttributes(text: string, macros: AttributeMacros, define?: AttributeMacros): AttributeLine[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .filter((line) => line.length < LONGEST_LINE)
    .map((line) => line.replace(/^[ \t\r]+|[ \t\r]+$/g, ''))
    .flatMap((line) => {
      const { pattern, words } = partsOf(line);
      // git ignores negative patterns, and those of folders speak of no file.
      if (pattern === '' || /^[#!]/.test(line) || pattern.endsWith('/') || !words.every(isAttribute)) return [];
      const values = valuesOf(words, macros);
      if (!pattern.startsWith('[attr]')) return [{ matches: createMatcher(pattern), values }];
      define?.set(pattern.slice('[attr]'.length), values);
      return [];
    });
}

/** A pattern that holds blanks stands in quotes, as in C. */
function partsOf(line: string): { readonly pattern: string; readonly words: readonly string[] } {
  const quoted = /^"((?:[^"\\]|\\.)*)"(?:[ \t\r]+|$)/.exec(line);
  const [first = '', ...words] = quoted ? ['', ...split(line.slice(quoted[0].length))] : split(line);
  return { pattern: quoted ? unquoted(quoted[1] ?? '') : first, words };
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function unquoted(text: string): string {
  return text.replace(/\\([0-7]{3}|.)/g, (_, given: string) => {
    if (given.length === 1) return ESCAPES[given] ?? given;
    return decodePath(Buffer.from([Number.parseInt(given, 8) & 0xff]));
  });
}

/** What git takes for an attribute; a line that holds anything else says nothing. */
function isAttribute(word: string): boolean {
  return /^[-!]?[\w.][\w.-]*(?:=|$)/.test(word);
}

function split(text: string): string[] {
  return text.split(/[ \t\r]+/).filter((word) => word !== '');
}

function valuesOf(words: readonly string[], macros: AttributeMacros): ReadonlyMap<string, AttributeValue> {
  const values = new Map<string, AttributeValue>();
  for (const word of words) {
    const [, sign = '', name = '', value] = /^([-!]?)([^=]+)(?:=(.*))?$/.exec(word) ?? [];
    const given = value ?? true;
    values.set(name, sign === '' ? given : sign === '-' ? false : undefined);
    if (sign === '' && value === undefined) for (const [meant, its] of macros.get(name) ?? []) values.set(meant, its);
  }
  return values;
}

/** A pattern without a slash matches the base name at any depth; one with a slash the path from its folder on. */
function createMatcher(pattern: string): (path: string) => boolean {
  const anchored = pattern.includes('/');
  const matches = compileGlob(bytewise(pattern.replace(/^\//, '')));
  return (path) => matches(bytewise(anchored ? path : baseName(path)));
}
