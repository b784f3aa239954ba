/** Renders a look at an installation for people: what is amiss first, then queues, workers and jobs. */
import type { JobRow } from '../core/overview.js';
import type { WorkerView } from '../core/presence.js';
import { type InstallationStatus, isFailure } from '../core/status.js';
import type { Complaint } from '../core/trouble.js';
import { durationText } from './render-jobs.js';
import { alignedTable, type Column, type Emphasis, emphasis, plainText } from './table.js';

/** What is shown: a look and what is wrong with it, or why there was none. */
export interface StatusView {
  readonly look: InstallationStatus | undefined;
  readonly complaints: readonly Complaint[];
}

/** For whom it is rendered. */
export interface StatusStyle {
  readonly colour: boolean;
  readonly columns: number;
  readonly version: string;
}

/** From this width on there is room for owners and messages. */
const WIDE = 110;
const BAR = 10;
const LEVELS = '▁▂▃▄▅▆▇█';
/** ECMA-48 SGR: green, yellow, red. */
const TINTS = { ok: 32, warn: 33, fail: 31 } as const;

/** Whether nothing is amiss that makes an installation unhealthy. */
export function isHealthy({ complaints }: StatusView): boolean {
  return !complaints.some(isFailure);
}

/** All of it as lines. */
export function renderStatus(view: StatusView, style: StatusStyle): string[] {
  const { look, complaints } = view;
  const { colour, columns } = style;
  const verdict = isHealthy(view) ? tinted('healthy', 'ok', colour) : tinted('unhealthy', 'fail', colour);
  const head = `${emphasis(colour).strong(`Longhaul ${style.version}`)}  ${verdict}`;
  const troubles = complaints.flatMap((complaint) => complaintLines(complaint, colour));
  if (!look) return [head, ...troubles];
  const wide = emphasis(colour, columns);
  const sections = [
    [`${head}  ${new Date(look.atMs).toISOString().slice(0, 19)}Z`, ...troubles],
    [...summaryLines(look)],
    queueTable(look, wide),
    workerTable(look, wide),
    jobTable(look, wide, columns >= WIDE),
  ];
  return sections.filter((lines) => lines.length > 0).flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

/** As one line, for a log of looks. */
export function statusLine(view: StatusView, atMs: number): string {
  const { look, complaints } = view;
  const when = new Date(look?.atMs ?? atMs).toISOString();
  const why = complaints.filter(isFailure).map(({ check, seen }) => `${check}: ${seen}`);
  const verdict = isHealthy(view) ? 'healthy' : `unhealthy (${plainText(why.join('; '))})`;
  if (!look) return `${when} ${verdict}`;
  const queues = look.queues.map(({ name, waiting, active }) => `${name} ${waiting} waiting ${active} running`);
  return [`${when} ${verdict}`, ...queues, `${parkedIn(look)} parked`, `${look.workers.length} workers`].join(', ');
}

function complaintLines({ check, status, seen, mend }: Complaint, colour: boolean): string[] {
  const mark = tinted(status === 'fail' ? 'FAIL' : 'WARN', status, colour);
  return [`${mark}  ${plainText(check)}: ${plainText(seen)}`, `      -> ${plainText(mend)}`];
}

function summaryLines(look: InstallationStatus): string[] {
  const { workers, sessions, roundTripMs, minutes, processes } = look;
  const busy = workers.reduce((sum, { jobs }) => sum + jobs.length, 0);
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  const fronts = processes.filter(({ role }) => role === 'front_end').length;
  const total = (name: 'submitted' | 'completed' | 'failed' | 'cancelled') =>
    minutes.reduce((sum, minute) => sum + minute[name], 0);
  const parked = [...look.parked].filter(([, { jobs }]) => jobs > 0);
  const waits = parked.map(([awaited, { jobs, oldestMs }]) => `${jobs} for ${awaited} (${durationText(oldestMs)})`);
  const failures = failureCounts(look).map(([code, count]) => `${code} ${count}`);
  return [
    `Redis ${roundTripMs.toFixed(1)} ms, front ends ${fronts}, sessions ${sessions}, slots ${busy} of ${slots} busy`,
    `Parked: ${waits.length === 0 ? 'none' : waits.join(', ')}`,
    `Last hour: ${total('submitted')} came, ${total('completed')} completed, ${total('failed')} failed` +
      `${failures.length > 0 ? ` (${plainText(failures.join(', '))})` : ''}, ${total('cancelled')} cancelled`,
    plot(minutes.map(({ completed, failed, cancelled }) => completed + failed + cancelled)),
  ];
}

/** Failures of the last hour by code, most first. */
export function failureCounts({ minutes }: InstallationStatus): readonly (readonly [code: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { code, count } of minutes.flatMap(({ failures }) => failures)) {
    counts.set(code, (counts.get(code) ?? 0) + count);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

function plot(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  const bars = values.map((value) => (value === 0 ? ' ' : LEVELS[Math.ceil((value / most) * LEVELS.length) - 1]));
  return `Ended/min, most ${Math.max(0, ...values)}: ${bars.join('')}`.trimEnd();
}

function queueTable({ queues }: InstallationStatus, style: Emphasis): string[] {
  const columns: Column[] = ['Queue', 'Waiting', 'Oldest', 'Running', 'Delayed'].map(numbersAfterFirst);
  const rows = queues.map(({ name, waiting, oldestMs, active, delayed }) => [
    name,
    String(waiting),
    waiting === 0 ? '' : durationText(oldestMs),
    String(active),
    String(delayed),
  ]);
  return alignedTable(columns, rows, style).split('\n');
}

function workerTable({ workers, atMs }: InstallationStatus, style: Emphasis): string[] {
  if (workers.length === 0) return [];
  const columns: readonly Column[] = [
    { head: 'Worker' },
    { head: 'Host' },
    { head: 'Pid', right: true },
    { head: 'Version' },
    { head: 'Queues' },
    { head: 'Busy', right: true },
    { head: 'Beat', right: true },
    { head: 'Up', right: true },
  ];
  return alignedTable(
    columns,
    workers.map((worker) => workerRow(worker, atMs)),
    style,
  ).split('\n');
}

function workerRow({ id, host, pid, version, queues, jobs, slots, ...worker }: WorkerView, atMs: number): string[] {
  const beat = `${durationText(atMs - worker.beatAtMs)} ago`;
  return [
    plainText(id),
    plainText(host),
    String(pid),
    plainText(version),
    plainText(queues.join(',')),
    `${jobs.length}/${slots}`,
    worker.blockedMs > 0 ? `${beat}, stuck ${durationText(worker.blockedMs)}` : beat,
    durationText(atMs - worker.startedAtMs),
  ];
}

/** Ids are told whole at any width: a part of one is of no use. */
function jobTable({ jobs, atMs }: InstallationStatus, style: Emphasis, isWide: boolean): string[] {
  if (jobs.length === 0) return [];
  const columns: Column[] = [
    { head: 'Job', whole: true },
    { head: 'Tool' },
    { head: 'State' },
    { head: 'Age', right: true },
    ...(isWide
      ? [{ head: 'Owner' }, { head: 'Progress', whole: true }, { head: 'Phase', endCut: true }]
      : [{ head: 'Progress', right: true }]),
  ];
  const rows = jobs.map((row) => [
    row.id,
    plainText(row.tool),
    stateOf(row),
    row.createdAtMs === undefined ? '' : shortDuration((row.endedAtMs ?? atMs) - row.createdAtMs),
    ...(isWide ? [plainText(row.brief?.principal ?? ''), barOf(row, true), phaseOf(row)] : [barOf(row, false)]),
  ]);
  const lines = alignedTable(columns, rows, style).split('\n');
  return isWide ? lines.map((line) => line.replace(/\s+$/, '')) : lines;
}

function stateOf({ state, handedOver, awaits }: JobRow): string {
  if (state !== 'parked') return state;
  return `waits: ${handedOver ? 'submit' : (awaits ?? 'client')}`;
}

function barOf({ progress, endedAtMs }: JobRow, isWide: boolean): string {
  if (!progress || endedAtMs !== undefined) return '';
  const part = progress.total ? Math.min(1, progress.progress / progress.total) : undefined;
  if (part === undefined) return '';
  const percent = `${Math.floor(100 * part)}%`.padStart(4);
  if (!isWide) return percent;
  const full = Math.round(part * BAR);
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)}${percent}`;
}

function phaseOf({ progress, endedAtMs }: JobRow): string {
  return endedAtMs === undefined ? plainText(progress?.message ?? '') : '';
}

function parkedIn({ parked }: InstallationStatus): number {
  return [...parked.values()].reduce((sum, { jobs }) => sum + jobs, 0);
}

/** The largest unit alone. */
function shortDuration(ms: number): string {
  return durationText(ms).split(' ')[0] ?? '';
}

function numbersAfterFirst(head: string, at: number): Column {
  return at === 0 ? { head } : { head, right: true };
}

function tinted(text: string, tint: keyof typeof TINTS, colour: boolean): string {
  return colour ? `\u001b[${TINTS[tint]}m${text}\u001b[39m` : text;
}
