/** Reads the JSON formats, told apart by their shape: Istanbul's two and coverage.py's. */
import { entriesAt, isTable, listAt, numberAt, textAt, valueAt } from '../formats/data.js';
import { FormatFault } from '../formats/fault.js';
import { parseJson } from '../formats/json.js';
import type { StatedFile, StatedReport } from './coverage.js';
import { createLineTable } from './line-table.js';

/** Reads a report. */
export function readJsonReport(text: string): StatedReport {
  const report = parseJson(text);
  if (isTable(valueAt(report, 'files')) && isTable(valueAt(report, 'meta'))) return readCoveragePy(report);
  const entries = entriesAt(report);
  if (numberAt(report, 'total', 'lines', 'total') !== undefined) return readIstanbulSummary(entries);
  if (entries.length > 0 && entries.every(([, file]) => isTable(statementsOf(file)))) return readIstanbul(entries);
  throw new FormatFault(
    "Expected Istanbul's coverage-final or coverage-summary or coverage.py's JSON, found another shape.",
  );
}

/** Some tools wrap each file's record once more. */
function recordOf(file: unknown): unknown {
  return valueAt(file, 'data') ?? file;
}

function statementsOf(file: unknown): unknown {
  return valueAt(recordOf(file), 'statementMap');
}

/** A line counts where a statement starts on it, as Istanbul itself counts. */
function readIstanbul(entries: readonly (readonly [string, unknown])[]): StatedReport {
  const table = createLineTable();
  for (const [key, file] of entries) {
    const path = textAt(recordOf(file), 'path') ?? key;
    table.touch(path);
    for (const [id, statement] of entriesAt(statementsOf(file))) {
      const hits = numberAt(recordOf(file), 's', id) ?? 0;
      table.mark(path, numberAt(statement, 'start', 'line') ?? 0, hits > 0);
    }
  }
  return { format: 'istanbul', files: table.files(), roots: [] };
}

function readIstanbulSummary(entries: readonly (readonly [string, unknown])[]): StatedReport {
  const files = entries
    .filter(([path]) => path !== 'total')
    .map(([path, file]): StatedFile => {
      const total = numberAt(file, 'lines', 'total') ?? 0;
      return { path, counts: { covered: Math.min(total, numberAt(file, 'lines', 'covered') ?? 0), total } };
    });
  return { format: 'istanbul-summary', files, roots: [] };
}

function readCoveragePy(report: unknown): StatedReport {
  const table = createLineTable();
  for (const [path, file] of entriesAt(report, 'files')) {
    table.touch(path);
    for (const line of listAt(file, 'executed_lines')) if (typeof line === 'number') table.mark(path, line, true);
    for (const line of listAt(file, 'missing_lines')) if (typeof line === 'number') table.mark(path, line, false);
  }
  // Written without a zone, hence in the local time of the machine that wrote it.
  const written = Date.parse(textAt(report, 'meta', 'timestamp') ?? '');
  return {
    format: 'coverage.py',
    files: table.files(),
    roots: [],
    writtenMs: Number.isFinite(written) ? written : undefined,
  };
}
