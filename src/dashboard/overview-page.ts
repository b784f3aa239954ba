/** The overview: whether all is well, what runs where, who waits for whom; each list bounded, so that nothing makes it long. */
import { count } from '../core/figures.js';
import { type Html, html } from './html.js';
import { installationPanels } from './installation-panels.js';
import { jobLink, type LineContext, parkedLine, runningLine, waitingLine } from './job-lines.js';
import { jobTable } from './job-table.js';
import type { DashboardParts } from './parts.js';
import { ratesPlot, sumOf } from './plot.js';
import { type Glance, SHOWN, type Snapshot } from './snapshot.js';
import { judge, type Verdict } from './verdict.js';
import { duration } from './words.js';

/** Builds its main part. */
export function overviewPage(snapshot: Snapshot, { tolerances, write }: DashboardParts): Html {
  const verdict = judge(snapshot, tolerances);
  const { glance } = snapshot;
  if (!glance) return verdictPanel(verdict);
  const context = { nowMs: glance.nowMs, sessions: glance.sessions, write };
  return html`${verdictPanel(verdict)}${tiles(glance)}
<div class="columns"><div>${runningPanel(glance, context)}${parkedPanel(glance, context)}${waitingPanel(glance, context)}</div>
<div>${ratesPanel(glance)}${installationPanels(snapshot, glance)}</div></div>
<section aria-labelledby="recent"><h2 id="recent">Latest jobs <a class="more" href="/jobs">all jobs</a></h2>${jobTable(glance.recent, glance.nowMs)}</section>`;
}

/** Stands where a remark would, so that nothing moves when one comes. */
const WELL = 'Redis keeps what it is given, workers beat, and nobody waits long.';

const LEVEL_WORDS = { ok: 'All is well', warn: 'Needs a look', fail: 'In trouble' } as const;

function verdictPanel({ level, remarks }: Verdict): Html {
  const lines = remarks.map(
    ({ level: one, text, mend }) =>
      html`<li class="${one}"><span>${text}</span>${mend !== undefined && html` <code>${mend}</code>`}</li>`,
  );
  return html`<section class="verdict ${level}" aria-label="Health"><p><strong id="verdict">${LEVEL_WORDS[level]}</strong></p><ul>${remarks.length > 0 ? lines : html`<li>${WELL}</li>`}</ul></section>`;
}

interface Tile {
  readonly name: string;
  readonly figure: string;
  readonly more: string;
  readonly kind?: 'failed';
}

function tiles(glance: Glance): Html {
  const { queues, parked, workers, runningCount, minutes, nowMs, counts } = glance;
  const waiting = queues.reduce((sum, queue) => sum + queue.counts.waiting, 0);
  const longest = Math.min(...queues.flatMap(({ longest: one }) => one?.sinceMs ?? []));
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  const parkedCount = (awaited: string) => parked.find((one) => one.awaited === awaited)?.count ?? 0;
  const failed = sumOf(minutes, 'failed');
  const all: readonly Tile[] = [
    {
      name: 'Waiting',
      figure: count(waiting),
      more: waiting === 0 ? 'nobody waits' : `longest ${ageOf(longest, nowMs)}`,
    },
    { name: 'Running', figure: count(runningCount), more: `of ${count(slots)} slots` },
    { name: 'Wait for a client', figure: count(parkedCount('client')), more: 'hold no slot' },
    { name: 'Wait for parts', figure: count(parkedCount('parts')), more: 'hold no slot' },
    { name: 'Handed over', figure: count(parkedCount('submit_review')), more: 'to callers' },
    { name: 'Completed', figure: count(sumOf(minutes, 'completed')), more: 'in the last hour' },
    { name: 'Failed', figure: count(failed), more: 'in the last hour', ...(failed > 0 && { kind: 'failed' as const }) },
    { name: 'Sessions', figure: count(counts.sessions), more: '2025-era' },
  ];
  return html`<dl class="tiles">${all.map(({ name, figure, more, kind }) => html`<div class="${kind ?? ''}"><dt>${name}</dt><dd>${figure}</dd><dd class="faint">${more}</dd></div>`)}</dl>`;
}

function ageOf(sinceMs: number, nowMs: number): string {
  return Number.isFinite(sinceMs) ? duration(nowMs - sinceMs) : 'unknown';
}

function runningPanel({ running, runningCount }: Glance, context: LineContext): Html {
  const more = runningCount - running.length;
  return html`<section class="panel" aria-labelledby="running"><h2 id="running">Running</h2>
${running.length === 0 ? html`<p class="none">Nothing runs.</p>` : html`<ul class="lines">${running.map((row) => runningLine(row, context))}</ul>`}
${more > 0 && html`<p class="faint">and ${count(more)} more</p>`}</section>`;
}

const AWAITED_WORDS = {
  client: 'Waiting for a client',
  parts: 'Waiting for their own parts',
  submit_review: 'Handed over to the calling model',
} as const;

function parkedPanel({ parked }: Glance, context: LineContext): Html {
  const groups = parked.flatMap(({ awaited, count: all, longest }) => {
    if (longest.length === 0) return [];
    const lines = longest.map((row) => parkedLine(row, awaited, context));
    const more = all - longest.length;
    return [
      html`<h3>${AWAITED_WORDS[awaited]} <span class="faint">${count(all)}</span></h3><ul class="lines">${lines}</ul>${more > 0 && html`<p class="faint">the ${count(SHOWN.parked)} that have waited longest of ${count(all)}</p>`}`,
    ];
  });
  return html`<section class="panel" aria-labelledby="parked"><h2 id="parked">Who waits for whom</h2>${groups.length === 0 ? html`<p class="none">No job waits for anybody.</p>` : groups}</section>`;
}

function waitingPanel({ queues }: Glance, context: LineContext): Html {
  const lists = queues.map(({ name, counts, next, delayed }) => {
    const lines = next.map((row, at) => waitingLine(row, `${at + 1}.`, context));
    const retries = delayed.map(
      (row) =>
        html`<li class="line single" data-key="${row.id}"><div class="first">${row.tool} ${jobLink(row.id)}<span class="end">attempt ${row.attempt + 1} in ${duration((row.untilMs ?? context.nowMs) - context.nowMs)}</span></div></li>`,
    );
    return html`<h3>${name} <span class="faint">${count(counts.waiting)} waiting, ${count(counts.active)} running</span></h3>
${lines.length === 0 ? html`<p class="none">Nobody waits.</p>` : html`<ol class="lines">${lines}</ol>`}${retries.length > 0 && html`<p class="faint">To be tried again</p><ul class="lines">${retries}</ul>`}`;
  });
  return html`<section class="panel" aria-labelledby="waiting"><h2 id="waiting">Next in line</h2>${lists}</section>`;
}

function ratesPanel({ minutes }: Glance): Html {
  return html`<section class="panel" aria-labelledby="rates"><h2 id="rates">The last hour</h2>${ratesPlot(minutes)}</section>`;
}
