/** The tables of jobs on Redis: one hash a job, whose rows lie compressed in blocks, so that a page costs the blocks it touches. */
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { JobId } from '../core/ids.js';
import type { PartOf } from '../core/part.js';
import type { FencedWrite, TableStore } from '../core/ports.js';
import {
  checkSlice,
  columnsSchema,
  type PageQuery,
  placeOf,
  type Row,
  rowsSchema,
  type TablePage,
  type TableRows,
  type TableSlice,
} from '../core/table.js';
import type { RedisContext } from './context.js';
import { fencedWrite, texts } from './replies.js';
import { readTableScript, sectionsScript, writeTableScript } from './table-scripts.js';

/** Rows of a block: enough for the compression to pay, few enough for a page to waste little. */
const BLOCK_ROWS = 1_024;
/** Blocks of one command; more would hold up the server's other callers. */
const BLOCKS_AT_ONCE = 32;
/** The fastest: higher levels save a tenth of the bytes for twice the time, and a scan writes while it counts. */
const LEVEL = 1;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Builds the table store. */
export function createTableStore(context: RedisContext): TableStore {
  const { redis, keys } = context;
  return {
    async write(id, run, slice, partOf) {
      checkSlice(slice);
      const { rows } = slice;
      const blocks = 'blocks' in rows ? rows.blocks.length : Math.ceil(rows.length / BLOCK_ROWS);
      let written: FencedWrite = 'written';
      // A slice without rows is written too: its section is there, and empty.
      for (let first = 0; written === 'written' && first <= Math.max(0, blocks - 1); first += BLOCKS_AT_ONCE) {
        written = await writeBlocks(context, { id, run, slice, partOf, first, blocks });
      }
      return written;
    },
    async sections(id) {
      const reply = texts(await sectionsScript(redis, [keys.tables(id)], []));
      const starts = Array.from({ length: reply.length / 4 }, (_, index) => 4 * index);
      return starts.map((at) => ({
        name: reply[at] ?? '',
        columns: columnsSchema.parse(JSON.parse(reply[at + 1] ?? '')),
        rows: Number(reply[at + 2]),
        leftOut: Number(reply[at + 3]),
      }));
    },
    read: (id, query) => readPage(context, id, query),
  };
}

interface Batch {
  readonly id: JobId;
  readonly run: string;
  readonly slice: TableSlice;
  readonly partOf: PartOf | undefined;
  readonly first: number;
  readonly blocks: number;
}

async function writeBlocks({ redis, keys, retention }: RedisContext, batch: Batch): Promise<FencedWrite> {
  const { id, run, slice, partOf, first, blocks } = batch;
  const { name, columns, rows } = slice;
  const packed: (number | Buffer)[] = [];
  for (let block = first; block < Math.min(blocks, first + BLOCKS_AT_ONCE); block++)
    packed.push(...(await packedBlock(rows, block)));
  const owner = partOf?.id ?? id;
  const place = `${name} ${placeOf(slice.slice, partOf)} `;
  const args = [run, retention.activeTtlMs, retention.tableBytes, name, JSON.stringify(columns), place, first, blocks];
  const all = [keys.record(id), keys.record(owner), keys.tables(owner)];
  return fencedWrite(await writeTableScript(redis, all, [...args, ...packed]));
}

async function packedBlock(rows: TableRows, block: number): Promise<[rows: number, data: Buffer]> {
  if (!('blocks' in rows)) {
    const some = rows.slice(block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS);
    return [some.length, await deflate(JSON.stringify(some), { level: LEVEL })];
  }
  const { count = 0, deflated = new Uint8Array(0) } = rows.blocks[block] ?? {};
  return [count, Buffer.from(deflated.buffer, deflated.byteOffset, deflated.byteLength)];
}

async function readPage(context: RedisContext, id: JobId, query: PageQuery): Promise<TablePage | undefined> {
  const { redis, keys } = context;
  const { section, offset, limit } = query;
  const found = texts(await readTableScript(redis, [keys.tables(id)], [section, offset, limit]));
  const [columns, total, leftOut, before, ...fields] = found;
  if (columns === undefined) return undefined;
  const blocks = fields.length > 0 ? await redis.hmgetBuffer(keys.tables(id), ...fields) : [];
  // The table may expire between the two.
  if (blocks.includes(null)) return undefined;
  const rows = (await Promise.all(blocks.map(unpacked))).flat();
  return {
    name: section,
    columns: columnsSchema.parse(JSON.parse(columns)),
    offset,
    rows: rows.slice(Number(before), Number(before) + limit),
    total: Number(total),
    leftOut: Number(leftOut),
  };
}

async function unpacked(block: Buffer | null): Promise<readonly Row[]> {
  return block === null ? [] : rowsSchema.parse(JSON.parse((await inflate(block)).toString()));
}
