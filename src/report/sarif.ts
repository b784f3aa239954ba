/** A report as SARIF 2.1.0 (OASIS): clones and very complex functions as results, what was skipped as notifications. */
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { count, counted } from '../core/figures.js';
import type { Analysis, Clone, FunctionComplexity, Measured, Report } from './analysis.js';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
/** From here on a function is very complex: SonarSource's limit of cognitive complexity, and twice McCabe's of cyclomatic. */
const COMPLEX = { cognitive: 15, cyclomatic: 20 };

const RULES = [
  {
    id: 'duplicate-code',
    name: 'DuplicateCode',
    shortDescription: { text: 'The same code stands in more than one place.' },
    fullDescription: {
      text: 'The places are equal token by token, whatever their layout and comments. A change to one is easily forgotten in the others.',
    },
    help: { text: 'Move the code to one place that all others use, or leave it where the likeness is by chance.' },
    defaultConfiguration: { level: 'warning' },
  },
  {
    id: 'complex-function',
    name: 'ComplexFunction',
    shortDescription: { text: 'A function is hard to follow.' },
    fullDescription: {
      text: `Its cognitive complexity is above ${COMPLEX.cognitive}, or its cyclomatic complexity above ${COMPLEX.cyclomatic}.`,
    },
    help: { text: 'Split it by duty, leave early instead of nesting, or put cases into a table.' },
    defaultConfiguration: { level: 'warning' },
  },
] as const;

/** A log with one run. Columns are not known, so regions are of whole lines. */
export function sarifReport(report: Report): string {
  const { analysis, productVersion, createdAt } = report;
  const { complexity, duplication } = analysis;
  const results = [
    ...(duplication && duplication.status !== 'failed' ? duplication.clones.flatMap(cloneResult) : []),
    ...(complexity && complexity.status !== 'failed' ? complexity.hardest_functions.flatMap(functionResult) : []),
  ];
  const run = {
    tool: { driver: { name: 'Longhaul', version: productVersion, rules: RULES } },
    originalUriBaseIds: { ROOT: { uri: `${pathToFileURL(analysis.root).href.replace(/\/$/, '')}/` } },
    invocations: [
      { executionSuccessful: true, endTimeUtc: createdAt, toolExecutionNotifications: notificationsOf(report) },
    ],
    columnKind: 'utf16CodeUnits',
    results,
    properties: { ...analysis.totals, job_id: analysis.job_id },
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

/** One result a clone, at its first place, with the others beside it. */
function cloneResult({ places, copies, lines, tokens, language }: Clone): object[] {
  const [first, ...others] = places.map(({ path, start_line, end_line }) => location(path, start_line, end_line));
  if (!first) return [];
  const named = others.map((_, at) => `[here](${at + 1})`).join(', ');
  const unnamed = copies - places.length;
  const text = `${count(lines)} lines of ${language} stand in ${count(copies)} places, also ${named || 'elsewhere'}${unnamed > 0 ? ` and in ${count(unnamed)} more` : ''}.`;
  return [
    {
      ...rule('duplicate-code', 'warning'),
      message: { text },
      locations: [first],
      relatedLocations: others.map((place, at) => ({ id: at + 1, message: { text: 'The same code.' }, ...place })),
      partialFingerprints: fingerprint(['clone', ...places.map(({ path }) => path), String(tokens)]),
      properties: { lines, tokens, copies },
    },
  ];
}

function functionResult({ name, file, line, end_line, ...one }: FunctionComplexity): object[] {
  const { cognitive, cyclomatic, nesting } = one;
  if (cognitive <= COMPLEX.cognitive && cyclomatic <= COMPLEX.cyclomatic) return [];
  const grave = cognitive > 2 * COMPLEX.cognitive || cyclomatic > 2 * COMPLEX.cyclomatic;
  const place = location(file, line, end_line);
  const text = `${name || 'A function without a name'} has a cognitive complexity of ${cognitive} and a cyclomatic complexity of ${cyclomatic}.`;
  return [
    {
      ...rule('complex-function', grave ? 'warning' : 'note'),
      message: { text: plainMessage(text) },
      locations: [{ ...place, logicalLocations: [{ name: name || '(anonymous)', kind: 'function' }] }],
      partialFingerprints: fingerprint(['function', file, name]),
      properties: { cognitive, cyclomatic, nesting },
    },
  ];
}

function notificationsOf({ analysis, filesLeftOut }: Report): object[] {
  const skipped = analysis.skipped_files.map(({ reason, files, examples }) => ({
    descriptor: { id: `skipped-${reason}` },
    level: 'note',
    message: { text: `${counted(files, 'file')} not counted: ${reason}.` },
    locations: examples.map((path) => ({ physicalLocation: { artifactLocation: artifact(path) } })),
  }));
  const { complexity, duplication } = analysis;
  return [
    ...skipped,
    ...metricNotification('complexity', complexity),
    ...metricNotification('duplication', duplication),
    ...moreClones(duplication),
    ...(filesLeftOut > 0
      ? [{ level: 'note', message: { text: `${counted(filesLeftOut, 'counted file')} without a row.` } }]
      : []),
  ];
}

/** A metric that failed or lacks something would else look like code without faults. */
function metricNotification(name: string, measured: Measured<unknown> | undefined): object[] {
  if (!measured || measured.status === 'complete') return [];
  const text = plainMessage(`${name}: ${measured.status}: ${measured.reason}`);
  const level = measured.status === 'failed' ? 'error' : 'warning';
  return [{ descriptor: { id: `${name}-${measured.status}` }, level, message: { text } }];
}

/** The server names the largest clones alone where there are very many. */
function moreClones(duplication: Analysis['duplication']): object[] {
  if (!duplication || duplication.status === 'failed') return [];
  const more = duplication.clones_total - duplication.clones.length;
  if (more <= 0) return [];
  return [{ level: 'note', message: { text: `${counted(more, 'smaller clone')} not among the results.` } }];
}

function rule(id: (typeof RULES)[number]['id'], level: 'warning' | 'note') {
  return { ruleId: id, ruleIndex: RULES.findIndex((one) => one.id === id), level };
}

function location(path: string, startLine: number, endLine: number) {
  return {
    physicalLocation: {
      artifactLocation: artifact(path),
      region: { startLine, endLine: Math.max(startLine, endLine) },
    },
  };
}

/** A relative reference (RFC 3986): every segment encoded, so that neither `:` nor `//` makes it another kind of address. */
function artifact(path: string) {
  return { uri: path.split('/').map(encodeSegment).join('/'), uriBaseId: 'ROOT' };
}

/** Halves of surrogate pairs, which file names can hold, cannot be encoded and are replaced. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.replace(/\p{Surrogate}/gu, '\u{fffd}'));
}

/** Brackets and backslashes are markup in a message (section 3.11.6). */
function plainMessage(text: string): string {
  return text.replace(/[[\]\\]/g, '\\$&');
}

/** Stays the same when lines move, so that a viewer knows a result again. */
function fingerprint(parts: readonly string[]) {
  return { 'longhaul/v1': createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32) };
}
