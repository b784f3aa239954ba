/** The table of complexity: a row for each measured file, written while they are measured. */
import type { Row, Section } from '../../../src/core/table.js';
import type { HandlerContext } from '../../../src/core/tool.js';
import type { MeasuredFile } from '../../analysis/complexity/measure-complexity.js';
import { printablePath } from '../../analysis/paths.js';

/** Every file in which something decides or whose functions are known; sums of functions are null where they are not. */
export const COMPLEXITY: Section = {
  name: 'complexity',
  columns: ['path', 'language', 'decisions', 'functions', 'cyclomatic', 'cognitive'],
};

const SLICE_ROWS = 4_096;

/** Takes files one after the other; a re-run that measures the same writes the same rows in the same places. */
export function createComplexityTable(context: Pick<HandlerContext, 'table'>) {
  let slice = 0;
  let rows: Row[] = [];

  async function write(): Promise<void> {
    const full = rows;
    rows = [];
    slice += 1;
    await context.table(COMPLEXITY, full, slice - 1);
  }

  return {
    async add(file: MeasuredFile): Promise<void> {
      const row = rowOf(file);
      if (row) rows.push(row);
      if (rows.length >= SLICE_ROWS) await write();
    },
    /** Writes what is left; even without any row the section is there. */
    finish: write,
  };
}

function rowOf(file: MeasuredFile): Row | undefined {
  if ('skip' in file) return undefined;
  const { path, language, decisions, functions } = file;
  if (typeof functions === 'string')
    return decisions > 0 ? [printablePath(path), language, decisions, null, null, null] : undefined;
  const cyclomatic = functions.functions.reduce((sum, one) => sum + one.cyclomatic, 0);
  return [printablePath(path), language, decisions, functions.functions.length, cyclomatic, functions.cognitive];
}
