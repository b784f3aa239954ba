/** Jobs as lines of lists: always as high, whatever they hold, so that nothing below them moves. */
import type { JobRow, SessionRow, StandingRow, WaitsFor } from '../core/overview.js';
import { type Html, html } from './html.js';
import { clock, duration, moment, short } from './words.js';

const TEXT_LENGTH = 160;
const NAME_LENGTH = 40;

/** The moment all ages on a page are counted from, and what is known of sessions by name. */
export interface LineContext {
  readonly nowMs: number;
  readonly sessions: readonly SessionRow[];
  /** Whether buttons that change jobs are shown. */
  readonly write: boolean;
}

/** A running job: what, whose, how far, where and for how long. */
export function runningLine(row: JobRow, context: LineContext): Html {
  const { progress, workerId, startedAtMs, attempt, brief } = row;
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  const part = brief?.partOf === undefined ? '' : 'part of ';
  const of = brief?.partOf;
  return html`<li class="line" data-key="${row.id}">
<div class="first"><b><a href="/jobs/${row.id}">${short(row.tool, NAME_LENGTH)}</a></b> ${part}${of === undefined ? jobLink(row.id) : jobLink(of)} <span class="faint">${owner(row)}${again}</span><span class="end">${age(startedAtMs, context.nowMs)} ${cancelButton(row, context)}</span></div>
${bar(progress?.progress ?? 0, progress?.total)}
<div class="second"><span>${short(progress?.message ?? 'no progress told yet', TEXT_LENGTH)}</span><span class="end">${workerId === undefined ? '' : `on ${hostOf(workerId)}`}</span></div></li>`;
}

/** A parked job: whom it waits for, since when, and until when it does. */
export function parkedLine(row: StandingRow, awaited: WaitsFor, context: LineContext): Html {
  const { untilMs } = row;
  const { nowMs } = context;
  const until =
    untilMs === undefined || awaited === 'parts'
      ? ''
      : html`until <time datetime="${moment(untilMs)}">${clock(untilMs)}</time> (in ${duration(untilMs - nowMs)})`;
  const answered = row.isAnswered ? 'answered, waits for a worker' : whom(row, awaited, context.sessions);
  return html`<li class="line${awaited === 'parts' ? '' : ' double'}" data-key="${row.id}">
<div class="first"><b><a href="/jobs/${row.id}">${short(row.tool, NAME_LENGTH)}</a></b> ${jobLink(row.id)} <span class="faint">${owner(row)}</span><span class="end">${age(row.sinceMs, nowMs)} ${cancelButton(row, context)}</span></div>
${awaited === 'parts' && bar(row.progress?.progress ?? 0, row.progress?.total)}
<div class="second"><span>${answered}</span><span class="end">${until}</span></div></li>`;
}

/** A job that is to be run: its place, what and whose it is, and since when it is there. */
export function waitingLine(row: JobRow, place: string, context: LineContext): Html {
  return html`<li class="line single" data-key="${row.id}"><div class="first"><span class="place">${place}</span> <b><a href="/jobs/${row.id}">${short(row.tool, NAME_LENGTH)}</a></b> ${jobLink(row.id)} <span class="faint">${owner(row)}</span><span class="end">${age(row.createdAtMs, context.nowMs)}</span></div></li>`;
}

/** Whom a parked job waits for, in words that name the client where its session is known. */
export function whom(row: JobRow, awaited: WaitsFor, sessions: readonly SessionRow[]): string {
  const principal = row.brief?.principal ?? 'its owner';
  if (awaited === 'parts') return `its own parts: ${row.progress?.message ?? 'none has told of itself yet'}`;
  if (awaited === 'submit_review') return `submit_review, from any session of ${principal}`;
  const asked = row.asks.flatMap((kind) => ASKED[kind] ?? []);
  const what = asked.length === 0 ? 'an answer' : asked.join(' and ');
  const session = sessions.find(({ session: one }) => one === row.brief?.session);
  if (session) return `${what} of ${principal}'s ${session.client}`;
  return `${what} of ${principal}'s client`;
}

const ASKED: Readonly<Record<string, string>> = {
  sampling: 'the model',
  elicitation: 'the user (a form)',
  roots: 'the folders',
  submission: 'submit_review',
};

/** A state as a coloured word. */
export function stateWord(state: JobRow['state']): Html {
  return html`<span class="state ${state}">${state}</span>`;
}

/** A link to a job's page, shown short. */
export function jobLink(id: string): Html {
  return html`<a class="job" href="/jobs/${id}" title="${id}">${id.slice(0, 12)}…</a>`;
}

/** A bar of progress; without a known total one that only says that something is going on. */
export function bar(progress: number, total: number | undefined): Html {
  if (total === undefined || total <= 0) return html`<progress aria-label="running"></progress>`;
  const percent = Math.floor(Math.min(100, (100 * progress) / total));
  return html`<progress max="100" value="${percent}" aria-label="progress">${percent} %</progress>`;
}

/** How long something has lasted. */
export function age(sinceMs: number | undefined, nowMs: number): Html | undefined {
  if (sinceMs === undefined) return undefined;
  return html`<time class="age" datetime="${moment(sinceMs)}" title="since ${moment(sinceMs)}">${duration(nowMs - sinceMs)}</time>`;
}

/** Whose a job is. */
export function owner({ brief }: JobRow): string {
  return brief ? short(brief.principal, NAME_LENGTH) : '';
}

/** The host in a worker's name, which ends in a pid and a random word. */
export function hostOf(workerId: string): string {
  return workerId.replace(/-\d+-[0-9a-f]+$/, '');
}

function cancelButton({ id, tool }: JobRow, { write }: LineContext): Html | undefined {
  return write ? actionButton(id, { act: 'cancel', name: 'Cancel', about: tool }) : undefined;
}

/** A change of a job: its path, its name, and what it is about for who cannot see where it stands. */
export interface Action {
  readonly act: 'cancel' | 'retry' | 'promote';
  readonly name: string;
  readonly about: string;
}

/** A button that changes a job; a form, so that it works without scripts. */
export function actionButton(id: string, { act, name, about }: Action): Html {
  return html`<form class="act" method="post" action="/jobs/${id}/${act}" data-ask="${name} ${about} ${id.slice(0, 12)}…?"><button type="submit" aria-label="${name} ${about} ${id}">${name}</button></form>`;
}
