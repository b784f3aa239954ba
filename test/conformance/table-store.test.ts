/** What every table store must do: give rows back in one order, in pages, whoever wrote them and however often. */
import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JobSeed } from '../../src/core/job.js';
import { partId, partKey } from '../../src/core/part.js';
import type { Row, RowBlock, TableSlice } from '../../src/core/table.js';
import { completed, seedOf } from '../support/job-seeds.js';
import { type Core, PLACES, useCore } from '../support/places.js';

const COLUMNS = ['path', 'lines'];
const share = { from: 0, to: 1, outOf: 1, total: 1, before: '', after: '' };

const rowsFrom = (first: number, many: number): Row[] =>
  Array.from({ length: many }, (_, index) => [`f${first + index}`, first + index]);

const sliceOf = (rows: readonly Row[], slice = 0, name = 'files'): TableSlice => ({
  name,
  columns: COLUMNS,
  slice,
  rows,
});

const packed = (rows: readonly Row[]): RowBlock => ({
  count: rows.length,
  deflated: deflateRawSync(JSON.stringify(rows)),
});

async function begun(core: Core, seed: JobSeed, run = 'r1'): Promise<JobSeed> {
  await core.store.create(seed);
  await core.store.begin(seed, { workerId: 'w1', run });
  return seed;
}

const partSeed = (job: JobSeed, index: number, group = 'count'): JobSeed => {
  const key = partKey(group, index);
  return seedOf({ id: partId(job.id, key), partOf: { id: job.id, key, group, share } });
};

describe.each(PLACES)('the table store on $name', (place) => {
  const core = useCore(place);
  const running = () => begun(core(), seedOf());
  const page = (id: JobSeed['id'], offset: number, limit: number) =>
    core().tables.read(id, { section: 'files', offset, limit });

  it('a job that wrote nothing has no sections', async () => {
    const { id } = await running();
    expect(await core().tables.sections(id)).toEqual([]);
    expect(await page(id, 0, 10)).toBeUndefined();
  });

  it('rows of every shape come back as they went, a page at a time', async () => {
    const { id } = await running();
    const rows: Row[] = [
      ['ü\n', 1],
      ['', -0.5],
      ['\ud800', null],
      ['x', true],
    ];
    expect(await core().tables.write(id, 'r1', sliceOf(rows))).toBe('written');
    const all = { name: 'files', columns: COLUMNS, total: 4, leftOut: 0 };
    expect(await page(id, 0, 3)).toEqual({ ...all, offset: 0, rows: rows.slice(0, 3) });
    expect(await page(id, 3, 3)).toEqual({ ...all, offset: 3, rows: rows.slice(3) });
    expect(await page(id, 4, 3)).toEqual({ ...all, offset: 4, rows: [] });
    expect(await page(id, 1e9, 3)).toEqual({ ...all, offset: 1e9, rows: [] });
  });

  it.each([1, 7, 1_000, 1_024, 5_000, 100_000])('pages of %i rows are the whole table once', async (limit) => {
    const { id } = await running();
    const rows = rowsFrom(0, 40_000);
    await core().tables.write(id, 'r1', sliceOf(rows.slice(0, 37_000)));
    await core().tables.write(id, 'r1', sliceOf(rows.slice(37_000), 1));
    const met: Row[] = [];
    // From near the edges of blocks and slices as well as from the start.
    const stop = limit < 1_000 ? 60 * limit : rows.length;
    for (let offset = 0; offset < stop; offset += limit) met.push(...((await page(id, offset, limit))?.rows ?? []));
    expect(met).toEqual(rows.slice(0, stop));
    for (const offset of [1_023, 1_024, 36_999, 37_000, 39_999])
      expect((await page(id, offset, limit))?.rows).toEqual(rows.slice(offset, offset + limit));
  });

  it('slices are read in the order of their numbers, whatever order they came in', async () => {
    const { id } = await running();
    for (const slice of [10, 2, 0]) await core().tables.write(id, 'r1', sliceOf(rowsFrom(slice, 1), slice));
    expect((await page(id, 0, 9))?.rows).toEqual([...rowsFrom(0, 1), ...rowsFrom(2, 1), ...rowsFrom(10, 1)]);
  });

  it('a slice written again takes the place of the earlier one, longer or shorter', async () => {
    const { id } = await running();
    for (const many of [3_000, 5, 70_000, 2_048, 0]) {
      await core().tables.write(id, 'r1', sliceOf(rowsFrom(many, many)));
      expect(await core().tables.sections(id)).toEqual([{ name: 'files', columns: COLUMNS, rows: many, leftOut: 0 }]);
      expect((await page(id, 0, 100_000))?.rows).toEqual(rowsFrom(many, many));
    }
  });

  it('sections are named in order, an empty one too', async () => {
    const { id } = await running();
    await core().tables.write(id, 'r1', sliceOf([], 0, 'skipped'));
    await core().tables.write(id, 'r1', sliceOf(rowsFrom(0, 2)));
    const sections = await core().tables.sections(id);
    expect(sections.map(({ name, rows }) => [name, rows])).toEqual([
      ['files', 2],
      ['skipped', 0],
    ]);
    expect(await core().tables.read(id, { section: 'skipped', offset: 0, limit: 5 })).toMatchObject({ rows: [] });
  });

  it('the rows of parts follow those of their job, by the order of the parts', async () => {
    const job = await running();
    for (const index of [11, 2, 0]) {
      const part = await begun(core(), partSeed(job, index), `p${index}`);
      for (const slice of [1, 0]) {
        const rows = sliceOf([[`part ${index}`, slice]], slice);
        expect(await core().tables.write(part.id, `p${index}`, rows, part.partOf)).toBe('written');
      }
    }
    await core().tables.write(job.id, 'r1', sliceOf([['job', 0]]));
    const names = (await page(job.id, 0, 9))?.rows.map((row) => row.join(' '));
    expect(names).toEqual(['job 0', 'part 0 0', 'part 0 1', 'part 2 0', 'part 2 1', 'part 11 0', 'part 11 1']);
  });

  it('the parts of two fan-outs do not overwrite one another', async () => {
    const job = await running();
    for (const group of ['b c', 'a']) {
      const part = await begun(core(), partSeed(job, 0, group));
      await core().tables.write(part.id, 'r1', sliceOf([[group, 0]]), part.partOf);
    }
    expect((await page(job.id, 0, 9))?.rows).toEqual([
      ['a', 0],
      ['b c', 0],
    ]);
  });

  it('only the run that holds the job or part writes, and nobody once it ended', async () => {
    const job = await running();
    const part = await begun(core(), partSeed(job, 0));
    const write = (id: JobSeed['id'], run: string, partOf?: JobSeed['partOf']) =>
      core().tables.write(id, run, sliceOf(rowsFrom(0, 1)), partOf);
    await core().store.begin(part, { workerId: 'w2', run: 'r2' });
    expect(await write(part.id, 'r1', part.partOf)).toBe('superseded');
    expect(await write(job.id, 'r9')).toBe('superseded');
    expect(await page(job.id, 0, 9)).toBeUndefined();
    await core().store.end(job.id, completed());
    expect(await write(part.id, 'r2', part.partOf)).toBe('ended');
    expect(await write(job.id, 'r1')).toBe('ended');
    expect(await page(job.id, 0, 9)).toBeUndefined();
  });

  it('rows that were packed by whoever made them are read as any others', async () => {
    const { id } = await running();
    const blocks = [rowsFrom(0, 3), rowsFrom(3, 1), rowsFrom(4, 40)].map(packed);
    expect(await core().tables.write(id, 'r1', { ...sliceOf([]), slice: 1, rows: { blocks } })).toBe('written');
    expect(await core().tables.write(id, 'r1', sliceOf([['first', 0]]))).toBe('written');
    expect(await page(id, 0, 6)).toMatchObject({ total: 45, rows: [['first', 0], ...rowsFrom(0, 5)] });
    expect(await page(id, 40, 9)).toMatchObject({ total: 45, rows: rowsFrom(39, 5) });
    expect(await core().tables.write(id, 'r1', { ...sliceOf([]), slice: 1, rows: { blocks: [] } })).toBe('written');
    expect(await page(id, 0, 9)).toMatchObject({ total: 1, rows: [['first', 0]] });
  });

  it('more packed blocks than go into one command are all stored', async () => {
    const { id } = await running();
    const blocks = Array.from({ length: 70 }, (_, index) => packed(rowsFrom(2 * index, 2)));
    expect(await core().tables.write(id, 'r1', { ...sliceOf([]), rows: { blocks } })).toBe('written');
    expect(await page(id, 0, 200)).toMatchObject({ total: 140, rows: rowsFrom(0, 140) });
  });

  it('a slice that is not as its section says is a fault of its tool', async () => {
    const { id } = await running();
    const write = (changed: Partial<TableSlice>) =>
      core().tables.write(id, 'r1', { ...sliceOf(rowsFrom(0, 1)), ...changed });
    await expect(write({ name: 'log' })).rejects.toThrow('cannot name a section');
    await expect(write({ name: 'two words' })).rejects.toThrow('cannot name a section');
    await expect(write({ slice: -1 })).rejects.toThrow('slice -1');
    await expect(write({ rows: [['a']] })).rejects.toThrow('has 2 columns');
  });
});

describe.each(PLACES)('the lifetime of tables on $name', (place) => {
  const core = useCore(place, { activeTtlMs: 500_000, resultTtlMs: 20_000 });

  it('is that of a running job, then that of its outcome', async () => {
    const { id } = await begun(core(), seedOf());
    await core().tables.write(id, 'r1', sliceOf(rowsFrom(0, 1)));
    expect((await core().lifetimes(id)).tables).toBeGreaterThan(400_000);
    await core().store.end(id, completed(), 'r1');
    const { tables, outcome } = await core().lifetimes(id);
    expect(tables).toBeGreaterThan(0);
    expect(tables).toBeLessThanOrEqual(20_000);
    expect(Math.abs((tables ?? 0) - (outcome ?? 0))).toBeLessThan(5_000);
  });

  it('ends with a job that did not complete', async () => {
    const { id } = await begun(core(), seedOf());
    await core().tables.write(id, 'r1', sliceOf(rowsFrom(0, 1)));
    await core().store.end(id, { state: 'cancelled', reason: 'enough' });
    expect((await core().lifetimes(id)).tables).toBeUndefined();
    expect(await core().tables.sections(id)).toEqual([]);
  });
});

describe.each(PLACES)('the bound of tables on $name', (place) => {
  const core = useCore(place, { tableBytes: 6_000 });
  /** Rows that no compression makes smaller than 2,000 bytes. */
  const heavy = (): Row[] => [[randomBytes(2_000).toString('base64'), 0]];

  it('leaves rows out, says how many, and gives their room to a slice that shrinks', async () => {
    const { id } = await begun(core(), seedOf());
    for (const slice of [0, 1, 2, 3])
      expect(await core().tables.write(id, 'r1', sliceOf(heavy(), slice))).toBe('written');
    expect(await core().tables.sections(id)).toMatchObject([{ rows: 2, leftOut: 2 }]);
    expect(await core().tables.read(id, { section: 'files', offset: 0, limit: 9 })).toMatchObject({
      total: 2,
      leftOut: 2,
    });
    await core().tables.write(id, 'r1', sliceOf([], 0));
    await core().tables.write(id, 'r1', sliceOf(heavy(), 3));
    expect(await core().tables.sections(id)).toMatchObject([{ rows: 2, leftOut: 1 }]);
  });
});
