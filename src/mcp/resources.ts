/** Jobs as resources: `job://{id}` is what get_job tells, `job://{id}/log` its log messages as lines. */
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
import { detailOf } from './job-view.js';

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
];

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
  const [, id, log] = /^job:\/\/([^/]+)(\/log)?$/.exec(uri) ?? [];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  try {
    const view = await jobs.inspect(id, principal);
    if (log === undefined) return contents(uri, 'application/json', JSON.stringify(detailOf(view), null, 2));
    return contents(uri, 'text/plain', (await jobs.log(view.record.seed.id, LOG_START)).flatMap(logLine).join('\n'));
  } catch (error) {
    throw protocolError(error, uri);
  }
}

/** A foreign or unexpected error as a protocol error whose text a client may see. */
export function protocolError(error: unknown, uri: string): ProtocolError {
  if (error instanceof AppError && error.code === 'job_not_found') return new ResourceNotFoundError(uri);
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
