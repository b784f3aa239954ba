/**
 * Jobs as resources: `job://{id}` is what get_job tells, `job://{id}/log` its log messages as lines, `job://{id}/files` and
 * any other section a page of a table.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { AppError } from '../core/errors.js';
import type { StoredEvent } from '../core/events.js';
import { LOG_START } from '../core/events.js';
import type { Principal } from '../core/ids.js';
import type { Jobs } from '../jobs/jobs.js';
import { PAGE_ROWS } from '../tools/get-job.js';
import { detailOf } from './job-view.js';
import { pageOf } from './table-page.js';

/** The templates a client is told of. */
export const RESOURCE_TEMPLATES = [
  {
    name: 'job',
    title: 'A job',
    uriTemplate: 'job://{id}',
    description: 'State and, once ended, result or error of a job, as JSON.',
    mimeType: 'application/json',
  },
  {
    name: 'job_log',
    title: "A job's log",
    uriTemplate: 'job://{id}/log',
    description: 'Log messages of a job, one a line: time, level, logger, message.',
    mimeType: 'text/plain',
  },
  {
    name: 'job_files',
    title: 'The files of a scan',
    uriTemplate: 'job://{id}/files{?offset,limit}',
    description:
      `A page of the files that analyze_codebase counted, as JSON: ${PAGE_ROWS.most} rows unless limit asks for fewer; next is the URI ` +
      'of the next page.',
    mimeType: 'application/json',
  },
  {
    name: 'job_section',
    title: "A table of a job's result",
    uriTemplate: 'job://{id}/{section}{?offset,limit}',
    description: 'As job_files, for any section that the job names.',
    mimeType: 'application/json',
  },
];

/** Characters of a page's rows; a client reads resources for programs as well as for a model. */
const PAGE_CHARACTERS = 250_000;

/** Jobs named in a listing of resources; list_jobs has them all. */
const LISTED = 50;

/** The caller's latest jobs as resources. */
export async function listJobResources(jobs: Jobs, principal: Principal) {
  const page = await jobs.list({ principal, limit: LISTED });
  return page.jobs.map(({ seed, state }) => ({
    uri: `job://${seed.id}`,
    name: seed.id,
    title: `${seed.tool} (${state})`,
    mimeType: 'application/json',
  }));
}

/** Reads a job resource; an unknown, expired or foreign one is "not found" in the way of the protocol. */
export async function readJobResource(jobs: Jobs, principal: Principal, uri: string): Promise<ReadResourceResult> {
  const [, id, section, query] = /^job:\/\/([^/?]+)(?:\/([a-z][a-z0-9_]*)(?:\?(.*))?)?$/.exec(uri) ?? [];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  try {
    if (section !== undefined && section !== 'log') {
      const page = pageOf(await jobs.table(id, principal, { section, ...rangeOf(query) }), PAGE_CHARACTERS);
      const next = page.next_offset === undefined ? {} : { next: nextUri(id, page.next_offset, { section, query }) };
      return contents(uri, 'application/json', JSON.stringify({ job_id: id, ...page, ...next }));
    }
    if (query !== undefined) throw new ResourceNotFoundError(uri);
    const view = await jobs.inspect(id, principal);
    if (section === undefined) return contents(uri, 'application/json', JSON.stringify(detailOf(view), null, 2));
    return contents(uri, 'text/plain', (await jobs.log(view.record.seed.id, LOG_START)).flatMap(logLine).join('\n'));
  } catch (error) {
    throw protocolError(error, uri);
  }
}

const MEANINGS: Readonly<Record<string, { readonly least: number; readonly most: number }>> = {
  offset: { least: 0, most: Number.MAX_SAFE_INTEGER },
  limit: { least: 1, most: PAGE_ROWS.most },
};

/** The rows a URI asks for; throws `invalid_arguments` for any other query. */
function rangeOf(query: string | undefined): { offset: number; limit: number } {
  const range = { offset: 0, limit: PAGE_ROWS.most };
  for (const [name, text] of new URLSearchParams(query)) {
    const meaning = Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!meaning || !(value >= meaning.least && value <= meaning.most))
      throw new AppError(
        'invalid_arguments',
        `${JSON.stringify(`${name}=${text}`.slice(0, 80))} does not ask for a page: expected offset=0 or more, and limit=1 to ${PAGE_ROWS.most}.`,
      );
    range[name === 'offset' ? 'offset' : 'limit'] = value;
  }
  return range;
}

function nextUri(id: string, offset: number, asked: { section: string; query: string | undefined }): string {
  const limit = new URLSearchParams(asked.query).get('limit');
  return `job://${id}/${asked.section}?offset=${offset}${limit === null ? '' : `&limit=${limit}`}`;
}

/** A foreign or unexpected error as a protocol error whose text a client may see. */
export function protocolError(error: unknown, uri: string): ProtocolError {
  if (error instanceof AppError && error.code === 'job_not_found') return new ResourceNotFoundError(uri);
  if (error instanceof AppError && (error.code === 'section_not_found' || error.code === 'invalid_arguments'))
    return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { uri });
  const message = error instanceof AppError ? error.message : 'Internal error';
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}

function contents(uri: string, mimeType: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType, text }] };
}

function logLine({ atMs, event }: StoredEvent): string[] {
  if (event.type !== 'log') return [];
  const text = typeof event.data === 'string' ? event.data : JSON.stringify(event.data);
  return [`${new Date(atMs).toISOString()} ${event.level} ${event.logger} ${text}`];
}
