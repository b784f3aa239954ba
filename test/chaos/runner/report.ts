/** Tells what a chaos run came to: tables for a person and the README, what is wrong, and a verdict of one line. */
import type { Evidence, JobEvidence, LedgerLine } from './evidence.js';
import type { Fault } from './faults.js';
import { KINDS } from './plan.js';
import type { Witness } from './witness.js';

/** What a run was asked for, and what it came to. */
export interface Findings {
  readonly seed: number;
  /** Jobs that were to be played. */
  readonly planned: number;
  readonly witnesses: readonly Witness[];
  readonly faults: readonly Fault[];
  readonly evidence: Evidence;
  readonly wrongs: readonly string[];
  readonly tookMs: number;
}

const STATES = ['completed', 'failed', 'cancelled'] as const;
const SHOWN_WRONGS = 40;

/** All tables as Markdown. */
export function tablesOf(findings: Findings): string {
  const { faults, evidence } = findings;
  const counts = new Map<string, number>();
  for (const { kind } of faults) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const faultRows = [...counts].sort(([, a], [, b]) => b - a).map(([kind, count]) => [kind, count]);
  return [
    table(['jobs', ...STATES, 'in all'], jobRows(findings.witnesses)),
    table(['cancelled while it was', 'jobs'], cancelRows(findings)),
    table(['faults', 'times'], [...faultRows, ['in all', faults.length]]),
    table(['what was seen', ''], seenRows(findings, evidence)),
  ].join('\n\n');
}

/** What is wrong, cut where it is too much to read. */
export function wrongsOf({ wrongs }: Findings): string {
  const more = wrongs.length - SHOWN_WRONGS;
  return [...wrongs.slice(0, SHOWN_WRONGS), ...(more > 0 ? [`… and ${more} more`] : [])]
    .map((one) => `- ${one}`)
    .join('\n');
}

/** What clients were told that says nothing of a job, by how often: no fault, but worth a look. */
export function odditiesOf({ witnesses }: Findings): string {
  const counts = new Map<string, number>();
  for (const oddity of witnesses.flatMap(({ oddities }) => oddities)) counts.set(oddity, (counts.get(oddity) ?? 0) + 1);
  return [...counts].map(([oddity, count]) => `${count} × ${oddity}`).join('\n');
}

/** The last line. */
export function verdictOf({ seed, planned, witnesses, faults, wrongs, tookMs }: Findings): string {
  const isCut = witnesses.length < planned;
  const count = isCut ? `${witnesses.length} of ${planned}` : `${planned}`;
  const what = `seed ${seed}, ${count} jobs, ${faults.length} faults, ${Math.round(tookMs / 1_000)} s`;
  if (wrongs.length === 0 && isCut)
    return `chaos: CUT SHORT (${what}): its time was over; what was begun ended once, and nothing was lost, repeated or left`;
  if (wrongs.length === 0)
    return `chaos: PASSED (${what}): every job ended once, and nothing was lost, repeated or left`;
  return `chaos: FAILED (${what}): ${wrongs.length} assertions do not hold; the first: ${wrongs[0]?.slice(0, 200)}`;
}

function jobRows(witnesses: readonly Witness[]): (string | number)[][] {
  const row = (name: string, of: readonly Witness[]) => [
    name,
    ...STATES.map((state) => of.filter(({ outcome }) => outcome?.state === state).length),
    of.length,
  ];
  const rows = Object.keys(KINDS).map((kind) =>
    row(
      kind,
      witnesses.filter(({ job }) => job.kind === kind),
    ),
  );
  return [...rows, row('in all', witnesses)];
}

/** Where the cancel of each cancelled job met it, as its log tells. */
function cancelRows({ witnesses, evidence }: Findings): (string | number)[][] {
  const counts = new Map<string, number>();
  for (const { jobId, outcome } of witnesses) {
    const found = evidence.jobs.get(jobId ?? '');
    if (outcome?.state !== 'cancelled' || !found) continue;
    const place = placeOf(found, evidence);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

function placeOf({ record, events }: JobEvidence, { jobs }: Evidence): string {
  const last = events.findLast(({ event }) => event.type === 'state')?.event;
  const state = last?.type === 'state' ? last.state : 'waiting';
  if (state !== 'parked') return state;
  const isShared = [...jobs.values()].some((other) => other.record.seed.partOf?.id === record.seed.id);
  if (isShared) return 'parked, its parts running';
  return record.handOff ? 'parked, handed over' : 'parked, its client asked';
}

function seenRows({ witnesses, faults }: Findings, { ledger, jobs }: Evidence): (string | number)[][] {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const questions = witnesses.flatMap(({ questions: asked }) => asked.length);
  const distinct = witnesses.map((one) => new Set(one.questions.map(({ asked }) => asked)).size);
  const silences = witnesses.flatMap(({ silencesMs }) => silencesMs);
  const parts = [...jobs.values()].filter(({ record }) => record.seed.partOf).length;
  const recoveries = recoveriesOf(ledger, faults);
  return [
    ['parts of scans that ran as jobs of their own', parts],
    [
      'questions asked / put again after a loss, their answers not stored yet',
      `${sum(distinct)} / ${sum(questions) - sum(distinct)}`,
    ],
    ['runs that a worker’s death ended, by the records', sum([...jobs.values()].map(({ record }) => record.crashes))],
    ['jobs running again after a worker’s death: median / longest', spread(recoveries)],
    [
      'connections lost: resumed by Last-Event-ID / called again by key',
      `${sum(witnesses.flatMap(({ streams }) => streams.map(({ resumed }) => resumed)))} / ${sum(witnesses.map(({ attached }) => Math.max(0, attached - 1)))}`,
    ],
    ['from a lost connection to the next word: median / longest', spread(silences)],
    [
      'calls lost with the front end that took them, made again by key: told so / never stored',
      `${sum(witnesses.map(({ lostCalls }) => lostCalls))} / ${sum(witnesses.map((one) => one.lostStreams.length))}`,
    ],
    [
      'a call’s answer while Redis was down for 30 s: median / longest',
      spread(faults.flatMap(({ probes = [] }) => probes.map(({ tookMs }) => tookMs))),
    ],
    ['from Redis’ return to its next job event: median / longest', spread(returnsOf(jobs, faults))],
  ];
}

/** Milliseconds from the death of a worker to the next run of each job it was running, by the ledger. */
function recoveriesOf(ledger: readonly LedgerLine[], faults: readonly Fault[]): number[] {
  const byKey = groupByKey(ledger);
  const deaths = faults.filter(({ kind }) => kind.endsWith('killed') && !kind.startsWith('Redis'));
  return [...byKey.values()].flatMap((lines) =>
    lines.flatMap((line, index) => {
      const before = lines[index - 1];
      if (line.what !== 'run' || !before || before.what === 'end' || before.pid === line.pid) return [];
      const death = deaths.find(
        ({ pids, fromMs }) => pids.includes(before.pid) && fromMs >= before.atMs && fromMs <= line.atMs,
      );
      return death ? [line.atMs - death.fromMs] : [];
    }),
  );
}

function groupByKey(ledger: readonly LedgerLine[]): Map<string, LedgerLine[]> {
  const groups = new Map<string, LedgerLine[]>();
  for (const line of ledger) groups.set(line.key, [...(groups.get(line.key) ?? []), line]);
  return groups;
}

function returnsOf(jobs: Evidence['jobs'], faults: readonly Fault[]): number[] {
  const times = [...jobs.values()].flatMap(({ events }) => events.map(({ atMs }) => atMs)).sort((a, b) => a - b);
  return faults.flatMap(({ kind, toMs }) => {
    if (!kind.startsWith('Redis') || toMs === undefined) return [];
    const next = times.find((atMs) => atMs >= toMs);
    return next === undefined ? [] : [next - toMs];
  });
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const seconds = (ms: number | undefined) => `${((ms ?? 0) / 1_000).toFixed(1)} s`;
  if (sorted.length === 0) return 'none';
  return `${seconds(sorted[Math.floor(sorted.length / 2)])} / ${seconds(sorted.at(-1))} (${sorted.length})`;
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
