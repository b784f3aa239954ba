/** The tables that a measurement of complexity yields, and how files add up to them. Plain JSON throughout. */
import { compareText, MOST_EXAMPLES, type SkippedFiles, type SkipReason } from '../counts.js';
import { printablePath } from '../paths.js';
import type { FunctionMeasure } from '../syntax/open-function.js';
import { createTop } from '../top.js';
import type { FileComplexity, NoFunctions } from './measure-file.js';

/** One file: what it was measured as, or why it was skipped. */
export type MeasuredFile =
  | ({ readonly path: string } & FileComplexity)
  | { readonly path: string; readonly skip: SkipReason };

/** A function and where it stands. */
export interface FunctionComplexity extends FunctionMeasure {
  readonly file: string;
  readonly language: string;
  readonly lines: number;
}

/** Sums over files. */
export interface ComplexitySums {
  files: number;
  /** Decision points by tokens. */
  decisions: number;
  /** Files whose functions are known. */
  parsedFiles: number;
  functions: number;
  /** Of all functions. */
  cyclomatic: number;
  /** Of all parsed code, no function counted twice. */
  cognitive: number;
}

/** How many functions have at most so much, and more than the step before allows; the last step is open. */
export interface Step {
  readonly upTo: number | null;
  functions: number;
}

/** The sums and the distribution of one language. */
export interface LanguageComplexity extends ComplexitySums {
  language: string;
  byCyclomatic: Step[];
  byCognitive: Step[];
}

/** One of the files with the most decision points. */
export interface FileDecisions {
  readonly file: string;
  readonly language: string;
  readonly lines: number;
  readonly decisions: number;
}

/** Files whose functions should be known and are not, with the first few as examples. */
export interface UnparsedFiles {
  reason: Exclude<NoFunctions, 'no_grammar'>;
  files: number;
  examples: string[];
}

/** What a measurement found; its size does not grow with the tree. */
export interface ComplexityResult {
  readonly totals: ComplexitySums;
  /** Languages in which something decides, by decision points, most first, then by name. */
  readonly byLanguage: readonly LanguageComplexity[];
  /** By cognitive, then cyclomatic complexity, hardest first; of equals the first by place. */
  readonly hardestFunctions: readonly FunctionComplexity[];
  readonly hardestFiles: readonly FileDecisions[];
  readonly unparsed: readonly UnparsedFiles[];
  readonly skipped: readonly SkippedFiles[];
}

/** Where the steps of the distributions end: McCabe's 10 and SonarSource's 15 are the customary limits. */
const CYCLOMATIC_STEPS = [5, 10, 20, 50];
const COGNITIVE_STEPS = [5, 10, 15, 25];

/** Adds files up, each once and in any order. */
export interface ComplexityTally {
  add(file: MeasuredFile): void;
  result(): ComplexityResult;
}

/** Creates a tally that names the `hardest` so many functions and files. */
export function createComplexityTally(hardest: number): ComplexityTally {
  const totals = noSums();
  const languages = new Map<string, LanguageComplexity>();
  const functions = createTop(hardest, byHardness);
  const files = createTop(hardest, byDecisions);
  const unparsed = new Map<string, UnparsedFiles>();
  const skipped = new Map<string, SkippedFiles>();

  function add(file: MeasuredFile): void {
    if ('skip' in file) note(skipped, { reason: file.skip, files: 0, examples: [] }, file.path);
    else measure(file);
  }

  function measure(file: { readonly path: string } & FileComplexity): void {
    const { language, lines, decisions } = file;
    const row = languages.get(language) ?? noLanguage(language);
    languages.set(language, row);
    for (const sums of [totals, row]) addFile(sums, file);
    if (decisions > 0) files.add({ file: printablePath(file.path), language, lines, decisions });
    if (typeof file.functions === 'string') {
      const reason = file.functions;
      if (reason !== 'no_grammar') note(unparsed, { reason, files: 0, examples: [] }, file.path);
      return;
    }
    for (const found of file.functions.functions) {
      climb(row.byCyclomatic, found.cyclomatic);
      climb(row.byCognitive, found.cognitive);
      functions.add(placeFunction(file, found));
    }
  }

  const result = (): ComplexityResult => ({
    totals,
    byLanguage: [...languages.values()]
      .filter((row) => row.decisions + row.functions > 0)
      .sort((a, b) => b.decisions - a.decisions || compareText(a.language, b.language)),
    hardestFunctions: functions.list(),
    hardestFiles: files.list(),
    unparsed: [...unparsed.values()].sort((a, b) => compareText(a.reason, b.reason)),
    skipped: [...skipped.values()].sort((a, b) => compareText(a.reason, b.reason)),
  });
  return { add, result };
}

/** The functions of a measured file as rows. */
export function functionsOf(file: MeasuredFile): FunctionComplexity[] {
  if ('skip' in file || typeof file.functions === 'string') return [];
  return file.functions.functions.map((found) => placeFunction(file, found));
}

function placeFunction(file: { path: string; language: string }, found: FunctionMeasure): FunctionComplexity {
  const lines = found.endLine - found.line + 1;
  return { file: printablePath(file.path), language: file.language, ...found, lines };
}

function addFile(sums: ComplexitySums, { decisions, functions }: FileComplexity): void {
  sums.files += 1;
  sums.decisions += decisions;
  if (typeof functions === 'string') return;
  sums.parsedFiles += 1;
  sums.functions += functions.functions.length;
  sums.cognitive += functions.cognitive;
  for (const { cyclomatic } of functions.functions) sums.cyclomatic += cyclomatic;
}

function noSums(): ComplexitySums {
  return { files: 0, decisions: 0, parsedFiles: 0, functions: 0, cyclomatic: 0, cognitive: 0 };
}

function noLanguage(language: string): LanguageComplexity {
  return { language, ...noSums(), byCyclomatic: stepsTo(CYCLOMATIC_STEPS), byCognitive: stepsTo(COGNITIVE_STEPS) };
}

function stepsTo(ends: readonly number[]): Step[] {
  return [...ends, null].map((upTo) => ({ upTo, functions: 0 }));
}

function climb(steps: readonly Step[], value: number): void {
  const step = steps.find(({ upTo }) => upTo === null || value <= upTo);
  if (step) step.functions += 1;
}

function note<Row extends { reason: string; files: number; examples: string[] }>(
  table: Map<string, Row>,
  blank: Row,
  path: string,
): void {
  const row = table.get(blank.reason) ?? blank;
  table.set(blank.reason, row);
  row.files += 1;
  row.examples = [...row.examples, printablePath(path)].sort(compareText).slice(0, MOST_EXAMPLES);
}

function byHardness(a: FunctionComplexity, b: FunctionComplexity): number {
  return (
    b.cognitive - a.cognitive ||
    b.cyclomatic - a.cyclomatic ||
    compareText(a.file, b.file) ||
    a.line - b.line ||
    b.endLine - a.endLine
  );
}

function byDecisions(a: FileDecisions, b: FileDecisions): number {
  return b.decisions - a.decisions || compareText(a.file, b.file);
}
