/** The tables of jobs in memory. */
import type { TableStore } from '../../../src/core/ports.js';
import { checkSlice, placeOf, rowsOf } from '../../../src/core/table.js';
import { fence, jsonCopy, type Memory, type MemorySection } from './memory.js';

/** Builds the tables over a shared memory; a slice is left out whole where the one on Redis judges by blocks. */
export function createFakeTableStore(memory: Memory): TableStore {
  const sectionsOf = (id: string) => (memory.live(id) ? memory.tables.get(id) : undefined) ?? new Map();
  return {
    async write(id, run, slice, partOf) {
      await memory.reach();
      checkSlice(slice);
      const allowed = fence(memory.live(id), run);
      if (allowed !== 'written') return allowed;
      const owner = memory.live(partOf?.id ?? id);
      if (!owner || fence(owner, owner.run ?? '') === 'ended') return 'ended';
      const sections: Map<string, MemorySection> = memory.tables.get(owner.seed.id) ?? new Map();
      const section = sections.get(slice.name) ?? { columns: [], slices: new Map() };
      section.columns = slice.columns;
      const place = placeOf(slice.slice, partOf);
      section.slices.delete(place);
      const rows = rowsOf(slice.rows);
      const bytes = JSON.stringify(rows).length;
      const fits = bytesIn(sections) + bytes <= memory.retention.tableBytes;
      section.slices.set(place, { rows: jsonCopy(rows), fits, bytes: fits ? bytes : 0 });
      memory.tables.set(owner.seed.id, sections.set(slice.name, section));
      return 'written';
    },
    async sections(id) {
      await memory.reach();
      const sections: Map<string, MemorySection> = sectionsOf(id);
      return [...sections]
        .map(([name, { columns, slices }]) => ({ name, columns, ...sizes(slices) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async read(id, { section: name, offset, limit }) {
      await memory.reach();
      const section: MemorySection | undefined = sectionsOf(id).get(name);
      if (!section) return undefined;
      const { rows: total, leftOut } = sizes(section.slices);
      const inOrder = [...section.slices].sort(([a], [b]) => (a < b ? -1 : 1));
      const all = inOrder.flatMap(([, { rows, fits }]) => (fits ? rows : []));
      return { name, columns: section.columns, offset, rows: all.slice(offset, offset + limit), total, leftOut };
    },
  };
}

function sizes(slices: MemorySection['slices']): { rows: number; leftOut: number } {
  const sum = (wanted: boolean) =>
    [...slices.values()].reduce((so, { rows, fits }) => so + (fits === wanted ? rows.length : 0), 0);
  return { rows: sum(true), leftOut: sum(false) };
}

function bytesIn(sections: Map<string, MemorySection>): number {
  const slices = [...sections.values()].flatMap((section) => [...section.slices.values()]);
  return slices.reduce((sum, { bytes }) => sum + bytes, 0);
}
