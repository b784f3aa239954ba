/** By which names reports go, who reads them, and what to say of those that nobody here can read. */
import { baseName } from '../paths.js';
import type { StatedReport } from './coverage.js';
import { readJsonReport } from './json-reports.js';
import { readGoProfile, readLcov } from './text-reports.js';
import { readXmlReport } from './xml-reports.js';

/** Reads a report's text; may throw a `FormatFault`. */
export type ReportReader = (text: string) => StatedReport;

const MEBIBYTE = 1024 * 1024;

interface NameRule {
  readonly name: RegExp;
  readonly read: ReportReader;
  /** Streams may be larger than what is parsed whole. */
  readonly maxBytes: number;
  /** What the text begins with, for names that other things go by too. */
  readonly begins?: RegExp;
}

const RULES: readonly NameRule[] = [
  { name: /^(?:lcov[\w.-]*\.info|[\w.-]*\.lcov|coverage\.info)$/i, read: readLcov, maxBytes: 64 * MEBIBYTE },
  {
    name: /^(?:coverage|[\w.-]*cobertura[\w.-]*|jacoco[\w.-]*|coverage\.[\w.-]+)\.xml$/i,
    read: readXmlReport,
    maxBytes: 64 * MEBIBYTE,
  },
  { name: /^(?:coverage-final|coverage-summary|coverage)\.json$/i, read: readJsonReport, maxBytes: 24 * MEBIBYTE },
  {
    name: /^(?:cover|coverage|c|profile)\.(?:out|cov|txt)$|\.coverprofile$/i,
    read: readGoProfile,
    maxBytes: 64 * MEBIBYTE,
    begins: /^mode: (?:set|count|atomic)\b/,
  },
];

/** Data that only its own tool reads, and what to run for a report. */
const UNREADABLE: readonly (readonly [name: RegExp, message: string])[] = [
  [
    /^\.coverage(?:\.[\w.-]+)?$/,
    "This is coverage.py's own data file, which is not read here. Run `coverage json` (or `coverage xml` or `coverage lcov`) beside it.",
  ],
  [
    /^jacoco[\w.-]*\.exec$/,
    "This is JaCoCo's own data file, which is not read here. Run `mvn jacoco:report` or `gradle jacocoTestReport` for its XML.",
  ],
];
/** Settings of coverage.py that go by a name like its data's. */
const NOT_DATA = /^\.coverage(?:rc|\.toml)$/;

/** How the file of a path is read as a report; undefined for what is none by its name. */
export function reportRule(path: string): NameRule | undefined {
  const name = baseName(path);
  return RULES.find((rule) => rule.name.test(name));
}

/** What to say of a data file that no report can be read from; undefined for all else. */
export function unreadableReport(path: string): string | undefined {
  const name = baseName(path);
  return NOT_DATA.test(name) ? undefined : UNREADABLE.find(([pattern]) => pattern.test(name))?.[1];
}
