/** Names the language of a file by its name, its modeline, its shebang line and, where those leave a doubt, its content. */
import { decideByContent, isAmbiguous } from './heuristics.js';
import { languageCalled } from './labels.js';
import { languages, other } from './languages/index.js';
import type { Language } from './languages/language.js';
import { modelineOf } from './modeline.js';

/** Names such as `Dockerfile.dev`, whose first part tells. */
const STEMS = new Set([
  'Dockerfile',
  'Containerfile',
  'Makefile',
  'GNUmakefile',
  'Kconfig',
  'Jenkinsfile',
  'Kbuild',
  'Vagrantfile',
]);

/** Rows of headers, by the language that includes them. */
const HEADERS: Readonly<Record<string, string>> = {
  C: 'C Header',
  'C++': 'C++ Header',
  'Objective-C': 'Objective-C Header',
};

const byName = index(
  (language) => language.name,
  (text) => [text],
);
const byFilename = index((language) => language.filenames, words);
const byExtension = index((language) => language.extensions, words);
const byInterpreter = index((language) => language.interpreters, words);

/**
 * The language of a file, from its base name and its bytes; `Other` when nothing tells. An extension of one language
 * outweighs what stands in the file: scripts are embedded in files of other languages more often than misnamed, and
 * editors are told of a mode that is merely similar. Where it is of several, or of none, a modeline decides.
 */
export function detectLanguage(name: string, bytes: Buffer): Language {
  return detectByName(name, bytes) ?? detectByModeline(bytes) ?? detectByShebang(bytes) ?? other;
}

/** The ending of a name after its last dot, in lower case; empty for dot files and names without a dot. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

function detectByName(name: string, bytes: Buffer): Language | undefined {
  const named = byFilename.get(name);
  if (named) return named;
  const dot = name.lastIndexOf('.');
  if (dot < 0) return byFilename.get(name.toLowerCase());
  const extension = name.slice(dot + 1);
  const found = byCompound(name, dot) ?? lookUp(byExtension, extension);
  if (isAmbiguous(extension) || isAmbiguous(extension.toLowerCase())) return decide(extension, bytes) ?? found;
  return found ?? byStem(name);
}

/** Endings of two parts, such as `blade.php`, come before the last part alone. */
function byCompound(name: string, lastDot: number): Language | undefined {
  const dot = name.lastIndexOf('.', lastDot - 1);
  return dot > 0 ? lookUp(byExtension, name.slice(dot + 1)) : undefined;
}

function byStem(name: string): Language | undefined {
  const stem = name.slice(0, name.indexOf('.'));
  return STEMS.has(stem) ? byFilename.get(stem) : undefined;
}

function decide(extension: string, bytes: Buffer): Language | undefined {
  const declared = detectByModeline(bytes);
  const ambiguous = isAmbiguous(extension) ? extension : extension.toLowerCase();
  if (declared) return ambiguous === 'h' ? byName.get(HEADERS[declared.name] ?? declared.name) : declared;
  const name = decideByContent(ambiguous, bytes);
  return name === undefined ? undefined : byName.get(name);
}

function detectByModeline(bytes: Buffer): Language | undefined {
  const label = modelineOf(bytes);
  return label === undefined ? undefined : languageCalled(label);
}

function detectByShebang(bytes: Buffer): Language | undefined {
  if (bytes[0] !== 0x23 || bytes[1] !== 0x21) return undefined;
  const line = bytes.toString('latin1', 2, 256).split('\n', 1)[0] ?? '';
  const parts = line.trim().split(/\s+/);
  const program = baseName(parts[0] ?? '');
  const interpreter = program === 'env' ? interpreterOfEnv(parts.slice(1)) : program;
  return (SHELLS.test(interpreter) ? detectByExec(bytes) : undefined) ?? detectByInterpreter(interpreter);
}

function detectByInterpreter(interpreter: string): Language | undefined {
  return lookUp(byInterpreter, interpreter) ?? lookUp(byInterpreter, interpreter.replace(/[-.\d].*$/, ''));
}

const SHELLS = /^(?:ba|da|k|z)?sh$/;
/** Interpreters that some systems keep where no shebang line can name them are started by the shell, on the same file. */
const EXEC = /^[^\S\n]*(?:'''|:\s*['"]?)?exec['"]*\s+(?:\S*\/)?([\w.+-]+)['"]?\s[^\n]*\$\{?0\b/m;
const EXEC_BYTES = 512;

/** The language of what a script for the shell has itself read by at once; the shell's own comment goes on for it. */
function detectByExec(bytes: Buffer): Language | undefined {
  const head = bytes.toString('latin1', 0, EXEC_BYTES).split('\n', 6).join('\n');
  const program = EXEC.exec(head)?.[1];
  return program === undefined ? undefined : detectByInterpreter(program);
}

/** Options of env whose value is the next word. */
const ENV_TAKES_VALUE = /^-(?:[iv0]*[uC]|-(?:unset|chdir))$/;

/** Skips the options and assignments of `env -u NAME -S NAME=value "program"`. */
function interpreterOfEnv(words: readonly string[]): string {
  const parts = words.map((word) => word.replace(/^-[iv0]*S(?=.)|^--split-string=|["']/g, ''));
  const isProgram = (part: string, at: number) => !/^-|=|^$/.test(part) && !ENV_TAKES_VALUE.test(parts[at - 1] ?? '');
  return baseName(parts.find(isProgram) ?? '');
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function lookUp(table: ReadonlyMap<string, Language>, key: string): Language | undefined {
  return table.get(key) ?? table.get(key.toLowerCase());
}

function index(
  field: (language: Language) => string | undefined,
  split: (text: string) => readonly string[],
): ReadonlyMap<string, Language> {
  const table = new Map<string, Language>();
  for (const language of languages) {
    for (const key of split(field(language) ?? '')) if (key !== '' && !table.has(key)) table.set(key, language);
  }
  return table;
}

function words(text: string): readonly string[] {
  return text.split(' ');
}
