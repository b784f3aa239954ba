/** Which languages have a grammar, and which file of which package holds it. */
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A grammar: its package, and the name of its file in there. */
interface Grammar {
  readonly source: keyof typeof FOLDERS;
  readonly file: string;
}

/** Where each package keeps its grammars; a file's name follows. */
const FOLDERS = {
  vscode: '@vscode/tree-sitter-wasm/wasm/tree-sitter-',
  repomix: '@repomix/tree-sitter-wasms/out/tree-sitter-',
} as const;

const C: Grammar = { source: 'repomix', file: 'c' };
const CPP: Grammar = { source: 'vscode', file: 'cpp' };
const BASH: Grammar = { source: 'vscode', file: 'bash' };

/** By language name. The first package's grammars are the newer ones; the second fills its gaps. */
const GRAMMARS: ReadonlyMap<string, Grammar> = new Map([
  ['JavaScript', { source: 'vscode', file: 'javascript' }],
  ['TypeScript', { source: 'vscode', file: 'typescript' }],
  ['TSX', { source: 'vscode', file: 'tsx' }],
  ['Python', { source: 'vscode', file: 'python' }],
  ['Go', { source: 'vscode', file: 'go' }],
  ['Java', { source: 'vscode', file: 'java' }],
  ['C', C],
  ['C Header', C],
  ['C++', CPP],
  ['C++ Header', CPP],
  ['C++ Module', CPP],
  ['Arduino', CPP],
  ['C#', { source: 'vscode', file: 'c-sharp' }],
  ['C# Designer', { source: 'vscode', file: 'c-sharp' }],
  ['Rust', { source: 'vscode', file: 'rust' }],
  ['Ruby', { source: 'vscode', file: 'ruby' }],
  ['PHP', { source: 'vscode', file: 'php' }],
  ['Shell', BASH],
  ['Bash', BASH],
  ['PKGBUILD', BASH],
  ['Ebuild', BASH],
  ['Swift', { source: 'repomix', file: 'swift' }],
  ['Dart', { source: 'repomix', file: 'dart' }],
]);

/** The languages that can be parsed, by the names of `languages`. */
export const parsedLanguages: readonly string[] = [...GRAMMARS.keys()];

/** The grammar of a language as `package/path`, for whoever resolves packages; undefined for a language without one. */
export function grammarOf(language: string): string | undefined {
  const grammar = GRAMMARS.get(language);
  return grammar && `${FOLDERS[grammar.source]}${grammar.file}.wasm`;
}

/** The parser and all grammars as what their files are: another release of any has other bytes, hence another row. */
export function parserFiles(): readonly string[] {
  const files = [
    'web-tree-sitter/web-tree-sitter.wasm',
    ...new Set(parsedLanguages.map((one) => grammarOf(one) ?? '')),
  ];
  const { resolve } = createRequire(import.meta.url);
  return files.map((file) => {
    const { size, mtimeMs } = statSync(resolve(file));
    return `${file} ${size} ${mtimeMs}`;
  });
}
