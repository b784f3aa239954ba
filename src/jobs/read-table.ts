/** Reads pages of the tables that lie beside a job's result. */
import { AppError } from '../core/errors.js';
import type { JobRecord } from '../core/job.js';
import { nearestName } from '../core/nearest.js';
import type { PageQuery, SectionSize, TablePage } from '../core/table.js';
import { ownedRecord } from './inspect.js';
import type { Asker, JobPorts } from './job-ports.js';

/** Whose table, and which rows of it. */
export interface TableRequest {
  readonly id: string;
  readonly asker: Asker;
  readonly query: PageQuery;
}

/**
 * Reads a page; one beyond the last row is empty. Throws `job_not_found` as `inspectJob` does, and `section_not_found` for a
 * job that has not completed and for a table it does not have.
 */
export async function readTable(ports: JobPorts, { id, asker, query }: TableRequest): Promise<TablePage> {
  const record = await ownedRecord(ports, id, asker);
  if (record.state !== 'completed') throw notThere(record, query, []);
  const page = await ports.tables.read(record.seed.id, query);
  if (page) return page;
  const sections = await ports.tables.sections(record.seed.id);
  // Job and tables expire together, between two questions too.
  if (sections.length === 0) await ownedRecord(ports, id, asker);
  throw notThere(record, query, sections);
}

function notThere({ seed, state, endedAtMs }: JobRecord, query: PageQuery, sections: readonly SectionSize[]): AppError {
  const wanted = `There is no section ${JSON.stringify(query.section.slice(0, 80))} of job ${seed.id}`;
  return new AppError('section_not_found', `${wanted}: ${why()}`);

  function why(): string {
    const names = sections.map(({ name }) => name);
    const nearest = nearestName(query.section, names);
    const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    if (names.length > 0) return `it has ${names.join(', ')}${meant || '.'}`;
    if (state === 'completed') return `${seed.tool} wrote none. Call get_job without section.`;
    if (endedAtMs !== undefined) return `it ended as ${state}, and only a completed job has sections.`;
    return `it is ${state}; sections can be read once it completed. Call get_job with wait_seconds, then again.`;
  }
}
