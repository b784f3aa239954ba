/** The tables that a measurement of complexity yields, and how files add up to them. Plain JSON throughout. */
import { compareText, MOST_EXAMPLES, type SkippedFiles, type SkipReason } from '../counts.js';
import { printablePath } from '../paths.js';
import type { FunctionMeasure } from '../syntax/open-function.js';
import { createTop, type Top } from '../top.js';
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

/** A measurement of some of the files, to be added to that of others. */
export type ComplexityPart = ComplexityResult;

/** Adds files up, each once and in any order. */
export interface ComplexityTally {
  add(file: MeasuredFile): void;
  /** Adds what another tally, that names as many, has as its `part`. */
  addPart(part: ComplexityPart): void;
  part(): ComplexityPart;
  result(): ComplexityResult;
}

/** How many of the hardest a result names; as many files as functions unless said. */
export interface MostHardest {
  readonly functions: number;
  readonly files?: number | undefined;
}

/** Creates a tally. */
export function createComplexityTally(most: MostHardest): ComplexityTally {
  const so: SoFar = {
    totals: noSums(),
    languages: new Map(),
    functions: createTop(most.functions, byHardness),
    files: createTop(most.files ?? most.functions, byDecisions),
    unparsed: new Map(),
    skipped: new Map(),
  };
  return {
    add(file) {
      if ('skip' in file) note(so.skipped, { reason: file.skip, files: 0, examples: [] }, file.path);
      else addMeasured(so, file);
    },
    addPart: (part) => addPart(so, part),
    part: () => partOf(so),
    result() {
      const all = partOf(so);
      return { ...all, byLanguage: all.byLanguage.filter((row) => row.decisions + row.functions > 0) };
    },
  };
}

/** What was added so far. */
interface SoFar {
  readonly totals: ComplexitySums;
  readonly languages: Map<string, LanguageComplexity>;
  readonly functions: Top<FunctionComplexity>;
  readonly files: Top<FileDecisions>;
  readonly unparsed: Map<string, UnparsedFiles>;
  readonly skipped: Map<string, SkippedFiles>;
}

function addMeasured(so: SoFar, file: { readonly path: string } & FileComplexity): void {
  const { language, lines, decisions } = file;
  const row = so.languages.get(language) ?? noLanguage(language);
  so.languages.set(language, row);
  for (const sums of [so.totals, row]) addFile(sums, file);
  if (decisions > 0) so.files.add({ file: printablePath(file.path), language, lines, decisions });
  if (typeof file.functions === 'string') {
    const reason = file.functions;
    if (reason !== 'no_grammar') note(so.unparsed, { reason, files: 0, examples: [] }, file.path);
    return;
  }
  for (const found of file.functions.functions) {
    climb(row.byCyclomatic, found.cyclomatic);
    climb(row.byCognitive, found.cognitive);
    so.functions.add(placeFunction(file, found));
  }
}

function addPart(so: SoFar, part: ComplexityPart): void {
  addSums(so.totals, part.totals);
  for (const row of part.byLanguage) {
    const sum = so.languages.get(row.language) ?? noLanguage(row.language);
    so.languages.set(row.language, addLanguage(sum, row));
  }
  for (const one of part.hardestFunctions) so.functions.add(one);
  for (const one of part.hardestFiles) so.files.add(one);
  for (const row of part.unparsed) noteAll(so.unparsed, row);
  for (const row of part.skipped) noteAll(so.skipped, row);
}

/** With the languages in which nothing decides, which may be otherwise in another part. */
function partOf({ totals, languages, functions, files, unparsed, skipped }: SoFar): ComplexityPart {
  const byDecision = (a: LanguageComplexity, b: LanguageComplexity) =>
    b.decisions - a.decisions || compareText(a.language, b.language);
  return {
    totals,
    byLanguage: [...languages.values()].sort(byDecision),
    hardestFunctions: functions.list(),
    hardestFiles: files.list(),
    unparsed: [...unparsed.values()].sort((a, b) => compareText(a.reason, b.reason)),
    skipped: [...skipped.values()].sort((a, b) => compareText(a.reason, b.reason)),
  };
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

function addSums(sums: ComplexitySums, more: ComplexitySums): void {
  sums.files += more.files;
  sums.decisions += more.decisions;
  sums.parsedFiles += more.parsedFiles;
  sums.functions += more.functions;
  sums.cyclomatic += more.cyclomatic;
  sums.cognitive += more.cognitive;
}

function addLanguage(sum: LanguageComplexity, more: LanguageComplexity): LanguageComplexity {
  addSums(sum, more);
  return {
    ...sum,
    byCyclomatic: addSteps(sum.byCyclomatic, more.byCyclomatic),
    byCognitive: addSteps(sum.byCognitive, more.byCognitive),
  };
}

function addSteps(steps: readonly Step[], more: readonly Step[]): Step[] {
  return steps.map(({ upTo, functions }, index) => ({ upTo, functions: functions + (more[index]?.functions ?? 0) }));
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

function noteAll<Row extends { reason: string; files: number; examples: string[] }>(
  table: Map<string, Row>,
  more: Row,
): void {
  const row = table.get(more.reason);
  if (row) row.files += more.files;
  const examples = [...(row?.examples ?? []), ...more.examples].sort(compareText).slice(0, MOST_EXAMPLES);
  table.set(more.reason, { ...(row ?? more), examples });
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
