/** A page of a job's table as clients read it: rows as objects, and no more of them than a client takes in. */
import type { z } from 'zod';
import type { TablePage } from '../core/table.js';
import type { getJob } from '../tools/get-job.js';

type Page = NonNullable<z.output<(typeof getJob)['output']>['page']>;

/** Shows a page; it ends early where its rows are longer than `characters`, but never without a row. */
export function pageOf({ name, columns, offset, rows, total, leftOut }: TablePage, characters: number): Page {
  const shown: Page['rows'] = [];
  let room = characters;
  for (const row of rows) {
    // About what it takes as a line of a table, which is more than its own JSON.
    room -= JSON.stringify(row).length + 2 * columns.length;
    if (room < 0 && shown.length > 0) break;
    shown.push(Object.fromEntries(columns.map((column, at) => [column, row[at] ?? null])));
  }
  const next = offset + shown.length;
  return {
    section: name,
    columns: [...columns],
    offset,
    rows: shown,
    total,
    ...(next < total && shown.length > 0 && { next_offset: next }),
    ...(leftOut > 0 && { left_out: leftOut }),
  };
}
