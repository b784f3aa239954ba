import { describe, expect, it } from 'vitest';
import type { Row, Section } from '../../src/core/table.js';
import { createComplexityTable } from '../../workers/handlers/metrics/complexity-table.js';

function setup() {
  const written = new Map<number, readonly Row[]>();
  const table = async (section: Section, rows: readonly Row[], slice = 0) => {
    for (const row of rows) expect(row).toHaveLength(section.columns.length);
    written.set(slice, rows);
  };
  return { rows: createComplexityTable({ table }), written };
}

const measure = { name: 'f', line: 1, endLine: 2, cyclomatic: 3, cognitive: 2, nesting: 1, parameters: 0 };
const file = (path: string, functions: 'no_grammar' | 'too_large' = 'no_grammar', decisions = 1) => ({
  path,
  language: 'C',
  lines: 9,
  decisions,
  functions,
});

describe('the table of complexity', () => {
  it('has a row for each file of code, with sums where its functions are known', async () => {
    const { rows, written } = setup();
    await rows.add({ ...file('a.c'), functions: { functions: [measure, measure], cognitive: 4 } });
    await rows.add(file('b.c', 'too_large', 7));
    await rows.add(file('text.md', 'no_grammar', 0));
    await rows.add({ path: 'c.png', skip: 'binary' });
    await rows.finish();
    expect([...written.values()].flat()).toEqual([
      ['a.c', 'C', 1, 2, 6, 4],
      ['b.c', 'C', 7, null, null, null],
    ]);
  });

  it('is written in slices of its own, the same whenever the same is measured', async () => {
    const [first, second] = [setup(), setup()];
    for (const { rows } of [first, second]) {
      for (let at = 0; at < 10_000; at++) await rows.add(file(`f${at}.c`));
      await rows.finish();
    }
    expect([...first.written.keys()]).toEqual([0, 1, 2]);
    expect([...first.written.values()].flat()).toHaveLength(10_000);
    expect(second.written).toEqual(first.written);
  });

  it('is there even if no file is code', async () => {
    const { rows, written } = setup();
    await rows.finish();
    expect([...written]).toEqual([[0, []]]);
  });
});
