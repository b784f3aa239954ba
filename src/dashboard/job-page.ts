/** One job: where it stands, what it was given and gave (cut short), what it asked, and what happened to it. */
import type { JobEvent } from '../core/events.js';
import { bytesText } from '../core/figures.js';
import { isFinal } from '../core/job.js';
import type { Excerpt, JobDetail, JobRow, SessionRow, WaitsFor } from '../core/overview.js';
import type { Redactor } from '../core/redaction.js';
import { cleanLines, cleanRows, cleanText } from './clean.js';
import { type Html, html } from './html.js';
import { type Action, actionButton, age, bar, jobLink, owner, stateWord, whom } from './job-lines.js';
import { clock, duration, moment, short, stamp } from './words.js';

/** What the page is made of beside the job itself. */
export interface JobContext {
  readonly nowMs: number;
  readonly sessions: readonly SessionRow[];
  /** 1 for the next to be taken. */
  readonly position: number | undefined;
  readonly write: boolean;
}

const EVENT_LENGTH = 300;

/** Builds the main part. */
export async function jobPage(detail: JobDetail, redactor: Redactor, context: JobContext): Promise<Html> {
  const { args, outcome, events, questions, faults } = detail;
  const [row = detail.row] = await cleanRows(redactor, [detail.row]);
  const [given, gave] = [await excerptText(redactor, args, 'args'), outcome && (await excerptText(redactor, outcome))];
  const lines = await cleanLines(
    redactor,
    events.map(({ event }) => eventWords(event)),
  );
  const asked = await Promise.all(questions.map(({ question }) => excerptText(redactor, question, 'request')));
  const told = await cleanLines(
    redactor,
    faults.map(({ error }) => `${error.code}: ${error.message}`),
  );
  return html`<section aria-labelledby="job"><h2 id="job">${row.tool} ${stateWord(row.state)}</h2><p class="id"><code>${row.id}</code></p>
${actions(row, context)}${facts(row, context)}</section>
${gave !== undefined && panel('outcome', 'Outcome', html`${sizeNote(outcome)}<pre tabindex="0">${gave}</pre>`)}
${questions.length > 0 && panel('questions', 'Questions', questionList(detail, asked, context.nowMs))}
${faults.length > 0 && panel('faults', 'Earlier attempts', html`<ul class="log">${faults.map(({ attempt, atMs }, at) => html`<li><time datetime="${moment(atMs)}">${clock(atMs)}</time> attempt ${attempt}: ${told[at] ?? ''}</li>`)}</ul>`)}
${panel('arguments', 'Arguments', html`${sizeNote(args)}<pre tabindex="0">${given}</pre>`)}
${panel('log', 'What happened', html`<ol class="log">${events.map(({ atMs, cursor }, at) => html`<li data-key="${cursor}"><time datetime="${moment(atMs)}">${clock(atMs)}</time> ${lines[at] ?? ''}</li>`)}</ol>`)}`;
}

function panel(id: string, name: string, content: Html): Html {
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${name}</h2>${content}</section>`;
}

const ACTIONS: readonly (Omit<Action, 'about'> & { fits(row: JobRow): boolean })[] = [
  { act: 'cancel', name: 'Cancel', fits: ({ state }) => !isFinal(state) },
  { act: 'promote', name: 'Try now', fits: ({ state }) => state === 'delayed' },
  { act: 'retry', name: 'Run again', fits: ({ state, brief }) => isFinal(state) && brief?.partOf === undefined },
];

function actions(row: JobRow, { write }: JobContext): Html | undefined {
  if (!write) return undefined;
  const fitting = ACTIONS.filter(({ fits }) => fits(row));
  return html`<p class="actions">${fitting.map(({ act, name }) => actionButton(row.id, { act, name, about: row.tool }))}</p>`;
}

function facts(row: JobRow, { nowMs, sessions, position }: JobContext): Html {
  const { brief, createdAtMs, startedAtMs, endedAtMs, workerId, progress, attempt, crashes, untilMs, state } = row;
  const awaited = row.handedOver ? 'submit_review' : (row.awaits ?? 'client');
  const session = sessions.find(({ session: one }) => one === brief?.session);
  const all: readonly (readonly [string, Html | string | number | undefined | false])[] = [
    ['owner', owner(row)],
    ['queue', position === undefined ? row.queue : `${row.queue}, place ${position}`],
    ['waits for', state === 'parked' && waits(row, awaited, sessions)],
    ['until', !isFinal(state) && untilMs !== undefined && `${stamp(untilMs)} (in ${duration(untilMs - nowMs)})`],
    [
      'progress',
      progress && html`${bar(progress.progress, progress.total)} ${short(progress.message ?? '', EVENT_LENGTH)}`,
    ],
    ['created', createdAtMs !== undefined && html`${stamp(createdAtMs)}, ${age(createdAtMs, nowMs)} ago`],
    ['started', startedAtMs !== undefined && html`${stamp(startedAtMs)}, ${age(startedAtMs, nowMs)} ago`],
    [
      'ended',
      endedAtMs !== undefined &&
        `${stamp(endedAtMs)}, after ${duration(endedAtMs - (startedAtMs ?? createdAtMs ?? endedAtMs))}`,
    ],
    ['worker', workerId],
    ['attempt', `${attempt}${crashes > 0 ? `, its worker died ${crashes} ×` : ''}`],
    ['client', session?.client],
    ['part of', brief?.partOf !== undefined && jobLink(brief.partOf)],
    ['repeats', brief?.retryOf !== undefined && jobLink(brief.retryOf)],
  ];
  const shown = all.filter(([, value]) => value !== undefined && value !== false && value !== '');
  return html`<dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function waits(row: JobRow, awaited: WaitsFor, sessions: readonly SessionRow[]): string {
  return row.isAnswered ? 'nobody: it was answered, and is about to go on' : whom(row, awaited, sessions);
}

function questionList({ questions }: JobDetail, texts: readonly string[], nowMs: number): Html {
  const rows = questions.map(({ key, kind, askedAtMs, isAnswered, question }, at) => {
    const stands = isAnswered ? 'answered' : `open for ${duration(nowMs - askedAtMs)}`;
    return html`<details data-key="${key}"><summary><b>${kind}</b> ${short(key, 80)} <span class="faint">${stands}</span></summary>${sizeNote(question, texts[at]?.length)}<pre tabindex="0">${texts[at] ?? ''}</pre></details>`;
  });
  return html`${rows}`;
}

/** A whole text of JSON is laid out, of a question what was asked; of one that was cut only the beginning is there. */
async function excerptText(redactor: Redactor, { text }: Excerpt, field?: 'args' | 'request'): Promise<string> {
  return cleanText(redactor, laidOut(text, field) ?? text);
}

/** Arguments are followed by what else the seed holds, unless they were cut. */
function laidOut(text: string, field: 'args' | 'request' | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(field === 'args' ? `{"args":${text}` : text);
    return JSON.stringify(field === undefined ? value : Object(value)[field], null, 2);
  } catch {
    return undefined;
  }
}

function sizeNote(excerpt: Excerpt | undefined, shown = excerpt?.text.length ?? 0): Html | undefined {
  if (!excerpt || excerpt.bytes <= shown * 1.5 || excerpt.bytes < 1_000) return undefined;
  return html`<p class="faint">The beginning; ${bytesText(excerpt.bytes)} in all.</p>`;
}

function eventWords(event: JobEvent): string {
  switch (event.type) {
    case 'progress':
      return short(
        event.message ?? `progress ${event.progress}${event.total === undefined ? '' : ` of ${event.total}`}`,
        EVENT_LENGTH,
      );
    case 'log': {
      const { data } = event;
      return `${event.level}: ${short(typeof data === 'string' ? data : JSON.stringify(data), EVENT_LENGTH)}`;
    }
    case 'state':
      return `${event.state}, attempt ${event.attempt}`;
    case 'question':
    case 'answer':
      return `${event.type} ${short(event.key, 80)}`;
    case 'outcome':
      return event.state;
    default:
      return event satisfies never;
  }
}
