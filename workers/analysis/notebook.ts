/** Counts a notebook by the sources of its cells (nbformat 3 and 4); the JSON around them, and their output, nobody wrote. */
import type { TextRange } from './decode.js';
import type { Lexers } from './embedded.js';
import type { Language } from './languages/language.js';
import { countLines, type LineCounts } from './lexer/scan-lines.js';
import type { PartCounts } from './lexer/scan-state.js';

/** Larger ones are mostly output, and parsing them would take many times their size. */
const MOST_BYTES = 32 * 1024 * 1024;
/** What holds the lines of raw cells, and of those whose language nobody knows. */
const PLAIN: Language = { name: 'Jupyter Notebook' };

/** Magics that are languages; others, such as `%%time`, leave a cell in that of its kernel. */
const MAGICS = new Set(
  'bash sh zsh perl ruby javascript js html latex svg markdown sql cython julia r lua php python python2 python3 powershell pwsh'.split(
    ' ',
  ),
);

type Json = Readonly<Record<string, unknown>>;

interface Cell {
  readonly source: string;
  readonly label: string;
}

/** The lines of all cells together, each booked under its own language; undefined when the text is no notebook. */
export function countNotebook({ bytes, start, end }: TextRange, lexers: Lexers): LineCounts | undefined {
  if (end - start > MOST_BYTES) return undefined;
  const cells = readCells(parse(bytes.toString('utf8', start, end)));
  if (cells === undefined) return undefined;
  const parts = new Map<string, PartCounts>();
  const sum = { lines: 0, code: 0, comments: 0, blanks: 0 };
  for (const { source, label } of cells) {
    const { language, lexer } = lexers.find(label) ?? { language: PLAIN.name, lexer: lexers.of(PLAIN) };
    const text = Buffer.from(`${source}\n`);
    const counts = countLines(text, { start: 0, end: text.length - 1 }, lexer);
    for (const part of counts.embedded) {
      add(parts, part, 1);
      add(parts, { ...part, language }, -1);
    }
    add(parts, { ...counts, language }, 1);
    sum.lines += counts.lines;
    sum.code += counts.code;
    sum.comments += counts.comments;
    sum.blanks += counts.blanks;
  }
  parts.delete(PLAIN.name);
  return { ...sum, embedded: [...parts.values()].filter((part) => part.code + part.comments + part.blanks > 0) };
}

function add(parts: Map<string, PartCounts>, { language, code, comments, blanks }: PartCounts, sign: 1 | -1): void {
  const row = parts.get(language) ?? { language, code: 0, comments: 0, blanks: 0 };
  row.code += sign * code;
  row.comments += sign * comments;
  row.blanks += sign * blanks;
  parts.set(language, row);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readCells(notebook: unknown): Cell[] | undefined {
  if (!isObject(notebook)) return undefined;
  const lists = 'cells' in notebook ? [notebook.cells] : fields(notebook.worksheets, 'cells');
  if (!lists.some(Array.isArray)) return undefined;
  const kernel = kernelOf(notebook.metadata);
  return lists
    .flatMap((cells) => (Array.isArray(cells) ? cells.filter(isObject) : []))
    .map((cell) => readCell(cell, kernel));
}

function readCell(cell: Json, kernel: string): Cell {
  const source = textOf(cell.source ?? cell.input);
  if (cell.cell_type === 'code') return { source, label: word(cell.language) ?? magicOf(source) ?? kernel };
  return { source, label: cell.cell_type === 'raw' ? '' : 'markdown' };
}

/** The language that the first line of a cell hands the rest of it to, as `%%bash` or `%%script ruby -w`. */
function magicOf(source: string): string | undefined {
  const name = /^%%(?:script\s+)?([\w#+]+)/.exec(source)?.[1];
  return name !== undefined && MAGICS.has(name.toLowerCase()) ? name : undefined;
}

function kernelOf(metadata: unknown): string {
  if (!isObject(metadata)) return 'python';
  const [info] = fields([metadata.language_info], 'name');
  const [kernel] = fields([metadata.kernelspec], 'language');
  const name = word(info) ?? word(kernel) ?? 'python';
  return name.replace(/[-.\d]+$/, '');
}

function fields(list: unknown, key: string): unknown[] {
  return Array.isArray(list) ? list.map((item) => (isObject(item) ? item[key] : undefined)) : [];
}

function textOf(source: unknown): string {
  if (Array.isArray(source)) return source.filter((line) => typeof line === 'string').join('');
  return typeof source === 'string' ? source : '';
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
