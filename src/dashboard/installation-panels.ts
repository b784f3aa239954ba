/** What stands around the jobs: workers, failures by code, sessions and Redis. */
import { bytesText, count, counted } from '../core/figures.js';
import type { MinuteRates, SessionRow } from '../core/overview.js';
import type { WorkerView } from '../core/presence.js';
import type { Readiness } from '../core/trouble.js';
import { type Html, html } from './html.js';
import { hostOf, jobLink } from './job-lines.js';
import { type Glance, SHOWN, type Snapshot } from './snapshot.js';
import { duration, moment, short } from './words.js';

/** Builds the panels. */
export function installationPanels({ readiness }: Snapshot, glance: Glance): Html {
  return html`${workersPanel(glance)}${failuresPanel(glance.minutes)}${sessionsPanel(glance)}${redisPanel(readiness)}`;
}

const NAME_LENGTH = 40;
const JOBS_OF_A_WORKER = 1;

function workersPanel({ workers, queues, nowMs }: Glance): Html {
  const more = workers.length - SHOWN.workers;
  const rows = workers.slice(0, SHOWN.workers).map((worker) => workerRow(worker, queues.length, nowMs));
  return html`<section class="panel" aria-labelledby="workers"><h2 id="workers">Workers <span class="faint">${count(workers.length)}</span></h2>
${workers.length === 0 ? html`<p class="none">None is running.</p>` : html`<div class="scroll"><table><thead><tr><th>host</th><th class="number">beat</th><th class="number">busy</th><th>runs</th><th>version</th><th>serves</th></tr></thead><tbody>${rows}</tbody></table></div>`}
${more > 0 && html`<p class="faint">and ${count(more)} more</p>`}</section>`;
}

function workerRow(worker: WorkerView, all: number, nowMs: number): Html {
  const { id, pid, version, queues, slots, jobs, beatAtMs, startedAtMs } = worker;
  const shown = jobs.slice(0, JOBS_OF_A_WORKER).map((job) => html`${jobLink(job)} `);
  const more = jobs.length - shown.length;
  const served = queues.length === all ? 'all' : queues.join(', ');
  return html`<tr data-key="${id}"><th scope="row" title="${id}, started ${moment(startedAtMs)}">${short(hostOf(id), NAME_LENGTH)} <span class="faint">${pid}</span></th><td class="number">${duration(nowMs - beatAtMs)}</td><td class="number">${count(jobs.length)}/${count(slots)}</td><td>${shown}${more > 0 && `+${count(more)}`}${jobs.length === 0 && html`<span class="faint">idle</span>`}</td><td>${version}</td><td>${served}</td></tr>`;
}

function failuresPanel(minutes: readonly MinuteRates[]): Html {
  const byCode = new Map<string, { count: number; latest: string | undefined }>();
  for (const { failures } of minutes) {
    for (const { code, count: times, latest } of failures) {
      const before = byCode.get(code);
      byCode.set(code, { count: times + (before?.count ?? 0), latest: latest ?? before?.latest });
    }
  }
  const sorted = [...byCode].sort(([, a], [, b]) => b.count - a.count);
  const rows = sorted.map(
    ([code, { count: times, latest }]) =>
      html`<tr data-key="${code}"><th scope="row"><code>${code}</code></th><td class="number">${count(times)}</td><td>${latest !== undefined && jobLink(latest)}</td></tr>`,
  );
  return html`<section class="panel" aria-labelledby="failures"><h2 id="failures">Failures of the last hour</h2>
${rows.length === 0 ? html`<p class="none">None.</p>` : html`<div class="scroll"><table><thead><tr><th>code</th><th class="number">jobs</th><th>latest</th></tr></thead><tbody>${rows}</tbody></table></div>`}</section>`;
}

function sessionsPanel({ sessions, counts, processes, nowMs }: Glance): Html {
  const frontEnds = processes.filter(({ role }) => role === 'front_end');
  const sum = (of: 'streams' | 'calls') => frontEnds.reduce((all, process) => all + process[of], 0);
  const traffic = `${counted(sum('calls'), 'call')} and ${counted(sum('streams'), 'event stream')} open at ${counted(frontEnds.length, 'front end')}`;
  const rows = sessions.slice(0, SHOWN.sessions).map((session) => sessionRow(session, nowMs));
  const more = counts.sessions - rows.length;
  return html`<section class="panel" aria-labelledby="sessions"><h2 id="sessions">Sessions <span class="faint">${count(counts.sessions)}</span></h2><p class="faint">${traffic}</p>
${rows.length === 0 ? html`<p class="none">None is open.</p>` : html`<div class="scroll"><table><thead><tr><th>client</th><th>whose</th><th class="number">streams</th><th class="number">asked</th><th class="number">heard</th></tr></thead><tbody>${rows}</tbody></table></div>`}
${more > 0 && html`<p class="faint">and ${count(more)} more</p>`}</section>`;
}

function sessionRow(
  { session, client, principal, protocolVersion, openCalls, openQuestions, heardAtMs }: SessionRow,
  nowMs: number,
): Html {
  const heard = heardAtMs > nowMs ? 'now' : duration(nowMs - heardAtMs);
  return html`<tr data-key="${session}"><th scope="row" title="${protocolVersion}">${short(client, NAME_LENGTH)}</th><td>${short(principal, NAME_LENGTH)}</td><td class="number">${count(openCalls)}</td><td class="number">${count(openQuestions)}</td><td class="number">${heard}</td></tr>`;
}

function redisPanel({ complaints, store }: Readiness): Html {
  const words = complaints.length === 0 ? 'keeps what it is given, evicts nothing' : 'see what is said of it above';
  const { product = 'Redis', usedMemoryBytes = 0, maxMemoryBytes = 0, pingMedianMs = 0, pingWorstMs = 0 } = store ?? {};
  const limit = maxMemoryBytes > 0 ? ` of ${bytesText(maxMemoryBytes)}` : ', no limit set';
  const facts =
    store &&
    html`<dl class="facts"><dt>memory</dt><dd>${bytesText(usedMemoryBytes)}${limit}</dd><dt>round trip</dt><dd>${pingMedianMs.toFixed(1)} ms, ${pingWorstMs.toFixed(1)} ms at worst</dd></dl>`;
  return html`<section class="panel" aria-labelledby="redis"><h2 id="redis">${product}</h2><p class="faint">${words} · <a href="/readyz">/readyz</a></p>${facts}</section>`;
}
