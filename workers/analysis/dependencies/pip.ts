/** Reads Python's requirements, constraints left out: PEP 508 lines, options, includes. */

import type { Problem } from '../formats/problem.js';
import { shortLines } from '../formats/short-lines.js';
import { folderOf, joinWithin } from '../formats/tree-path.js';
import { transitiveLines } from './compiled-requirements.js';
import { type Declared, type Facts, facts, type Scope, type Source } from './dependency.js';

/** By which names requirements go. */
export const REQUIREMENTS_PATH = /(?:^|\/)(?:[^/]*requirements[^/]*|requirements\/[^/]+)\.(?:txt|in)$/i;
/** A file that includes more than this is cut off: real ones include a handful. */
const MOST_INCLUDES = 100;
const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*/;
const EGG = /#egg=([A-Za-z0-9._-]+)/;
const OPTIONS = /\s--(?:hash|config-settings?|global-option)\b.*$/;
const EXACT = /^===?\s*([^\s,*;]+)$/;
const LOCAL = /^(?:\.{0,2}\/|file:|\.$|[A-Za-z]:\\)/;
const DEV_FILE = /(?:^|[-_./])(?:dev|develop|development|test|tests|testing|lint|docs?|ci|typing|mypy)(?:[-_.]|$)/i;

/** One PEP 508 requirement: name, version specifiers, with its marker taken off; undefined for what is none. */
export function parseRequirement(text: string): Pick<Declared, 'name' | 'range' | 'version'> | undefined {
  const named = NAME.exec(text);
  const name = named?.[1];
  if (named === null || name === undefined) return undefined;
  const [specifiers = ''] = text.slice(named[0].length).split(/;|\s@\s|^@\s*/);
  const range = specifiers.replace(/^\(|\)\s*$/g, '').trim();
  if (range !== '' && !/^(?:[<>=!~]=?=?)/.test(range)) return undefined;
  return { name, range: range || undefined, version: EXACT.exec(range)?.[1] };
}

/** Reads a requirements file; an included file with a name of its own choice is read with it, in its scope. */
export function readRequirements(source: Source): Facts {
  const reading = createReading(source, DEV_FILE.test(source.path.slice(source.folder.length)) ? 'dev' : 'runtime');
  reading.read(source.path, source.text);
  return reading.facts();
}

function createReading(source: Source, scope: Scope) {
  const declared: Declared[] = [];
  const problems: Omit<Problem, 'path'>[] = [];
  const seen = new Set([source.path]);
  const transitive = transitiveLines(source.text);
  let local = 0;

  function read(path: string, text: string, via?: number): void {
    for (const { content, line } of logicalLines(text))
      readLine(path, content, { line: via ?? line, inner: via !== undefined });
  }

  function readLine(path: string, content: string, at: { line: number; inner: boolean }): void {
    const { line } = at;
    const include = optionOf(content, 'r', 'requirement');
    if (include !== undefined) {
      follow(path, include, line);
      return;
    }
    const target = optionOf(content, 'e', 'editable') ?? content;
    const egg = EGG.exec(target)?.[1];
    if (egg !== undefined) declared.push({ name: egg, range: target.split('#')[0], scope, line });
    else if (LOCAL.test(target) || target !== content) local += 1;
    else if (!content.startsWith('-')) readRequirement(content, at);
  }

  function readRequirement(content: string, { line, inner }: { line: number; inner: boolean }): void {
    const requirement = parseRequirement(content.replace(OPTIONS, ''));
    if (requirement !== undefined)
      declared.push({ ...requirement, scope, line, transitive: !inner && transitive.has(line) });
    else if (/^[a-z+]+:\/\//i.test(content)) local += 1;
    else if (!inner) problems.push({ line, message: `This is no requirement: '${content.slice(0, 80)}'.` });
  }

  function follow(path: string, include: string, line: number): void {
    const target = joinWithin(folderOf(path), include);
    if (target === undefined)
      problems.push({ line, message: `'-r ${include}' leads out of the tree and was not followed.` });
    if (target === undefined || seen.has(target)) return;
    seen.add(target);
    const text = seen.size <= MOST_INCLUDES ? source.sibling(target) : undefined;
    if (text === undefined)
      problems.push({ line, message: `'-r ${include}' names no file of the tree that can be read.` });
    // What goes by a requirements name is read for itself.
    else if (!REQUIREMENTS_PATH.test(target)) read(target, text, line);
  }

  return { read, facts: () => facts({ declared, local, problems }) };
}

/** Lines with their continuations joined and comments taken off, each with the number of its first. */
function logicalLines(text: string): { content: string; line: number }[] {
  const lines: { content: string; line: number }[] = [];
  let pending: { content: string; line: number } | undefined;
  shortLines(text).forEach((raw, index) => {
    const piece = raw.trimEnd();
    const joined = { content: (pending?.content ?? '') + piece.replace(/\\$/, ' '), line: pending?.line ?? index + 1 };
    pending = piece.endsWith('\\') ? joined : undefined;
    if (pending === undefined) lines.push(joined);
  });
  if (pending !== undefined) lines.push(pending);
  return lines
    .map(({ content, line }) => ({ content: content.replace(/(?:^|\s)#.*$/, '').trim(), line }))
    .filter(({ content }) => content !== '');
}

/** The value of `-r value`, `-rvalue`, `--requirement value` or `--requirement=value`. */
function optionOf(content: string, short: string, long: string): string | undefined {
  const match = new RegExp(`^(?:-${short}\\s*|--${long}(?:\\s+|=))(\\S.*)$`).exec(content);
  return match?.[1]?.replace(/^(["'])(.*)\1$/, '$2');
}
