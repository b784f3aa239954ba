/** A table of jobs, and the page that leads through all of them. */
import { JOB_STATES, type JobState } from '../core/job.js';
import type { JobRow, RowPage } from '../core/overview.js';
import { Html, html } from './html.js';
import { age, bar, hostOf, jobLink, owner, stateWord } from './job-lines.js';
import { duration, short } from './words.js';

const TEXT_LENGTH = 120;

/** A table of jobs. */
export function jobTable(rows: readonly JobRow[], nowMs: number): Html {
  if (rows.length === 0) return html`<p class="none">There are no such jobs.</p>`;
  const lines = rows.map((row) => tableRow(row, nowMs));
  return html`<div class="scroll"><table class="jobs"><thead><tr><th>job</th><th>tool</th><th>state</th><th>whose</th><th>progress</th><th>worker</th><th class="number">took</th><th class="number">age</th></tr></thead><tbody>${lines}</tbody></table></div>`;
}

function tableRow(row: JobRow, nowMs: number): Html {
  const { progress, startedAtMs, endedAtMs = nowMs, workerId, state } = row;
  const message = short(progress?.message ?? '', TEXT_LENGTH);
  const told = progress && state === 'active' ? bar(progress.progress, progress.total) : message;
  return html`<tr data-key="${row.id}"><th scope="row">${jobLink(row.id)}</th><td>${short(row.tool, TEXT_LENGTH)}</td><td>${stateWord(state)}</td><td>${owner(row)}</td><td class="text" title="${message}">${told}</td><td>${workerId !== undefined && short(hostOf(workerId), 40)}</td><td class="number">${startedAtMs !== undefined && duration(endedAtMs - startedAtMs)}</td><td class="number">${age(row.createdAtMs, nowMs)}</td></tr>`;
}

/** Which page of which jobs. */
export interface JobsView {
  readonly from: number;
  /** Undefined for all. */
  readonly state: JobState | undefined;
  readonly listed: number;
  readonly nowMs: number;
}

/** Jobs on one page. */
export const PAGE_SIZE = 50;

/** Reads a view from a query: what makes no sense is the beginning of all. */
export function viewOf(query: URLSearchParams): Pick<JobsView, 'from' | 'state'> {
  const from = Number(query.get('from') ?? 0);
  return {
    from: Number.isSafeInteger(from) && from > 0 ? from : 0,
    state: JOB_STATES.find((state) => state === query.get('state')),
  };
}

/** Builds the main part of the page of jobs. */
export function jobsPage({ rows, next }: RowPage, { from, state, listed, nowMs }: JobsView): Html {
  const choices = [undefined, ...JOB_STATES].map((one) => {
    const current = one === state ? new Html(' aria-current="true"') : undefined;
    return html`<a href="/jobs${one === undefined ? '' : `?state=${one}`}"${current}>${one ?? 'all'}</a>`;
  });
  const query = state === undefined ? '' : `state=${state}&`;
  return html`<section aria-labelledby="jobs"><h2 id="jobs">Jobs <span class="faint">newest first, ${listed.toLocaleString('en-US')} are listed</span></h2>
<nav class="choices" aria-label="State">${choices}</nav>${jobTable(rows, nowMs)}
<nav class="pages" aria-label="Pages of jobs">${from > 0 && html`<a href="/jobs?${query}from=0">newest</a>`}${next !== undefined && html`<a href="/jobs?${query}from=${next}" rel="next">older</a>`}</nav></section>`;
}
