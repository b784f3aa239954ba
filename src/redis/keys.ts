/** The name of every Redis key of the product; all carry one hash tag so that scripts work on a cluster. */
import { createFingerprints, fingerprint, type JobId, type Principal } from '../core/ids.js';

/** The part of the name of the totals after the base, as the scripts that count find them. */
export const TOTALS_KEY = 'totals';

/** As `TOTALS_KEY`, what the names of the sets begin with that tell since when jobs stand where they do. */
export const STANDING_KEY = 'standing:';

/** As `TOTALS_KEY`, what the names of the counts of a minute begin with; its number since the epoch follows. */
export const MINUTE_KEY = 'minute:';

/** As `TOTALS_KEY`, the names of what waits to be told outside: when each is due, what it says, how often it was tried, and whether anybody wants it. */
export const OUTBOX_KEYS = {
  due: 'outbox-due',
  notes: 'outbox-notes',
  tries: 'outbox-tries',
  wanted: 'outbox-wanted',
} as const;

/** Key names of one installation (`namespace`); every value is a full key. */
export interface Keys {
  /** Prefix handed to BullMQ. */
  readonly queuePrefix: string;
  /** What the name of every record begins with; a job's id follows. */
  readonly recordPrefix: string;
  record(id: JobId): string;
  events(id: JobId): string;
  outcome(id: JobId): string;
  journal(id: JobId): string;
  inputs(id: JobId): string;
  tables(id: JobId): string;
  /** What the name of every budget begins with; a session follows. */
  readonly budgetPrefix: string;
  /** The token budget of a session: totals, and one field a question that is not accounted for yet. */
  budget(session: string): string;
  /** Jobs that wait for a share of it. */
  budgetLine(session: string): string;
  /** Which job holds which folder. */
  folders(): string;
  /** The jobs that have not ended, by when each is due for a look. */
  unfinished(): string;
  /** Who looks at them. */
  sweeping(): string;
  /** When each worker beat last. */
  workers(): string;
  /** What a worker last told of itself. */
  worker(workerId: string): string;
  /** When somebody last looked who stopped. */
  deathWatch(): string;
  /** Who takes the jobs of a dead worker. */
  recovery(workerId: string): string;
  /** The jobs that wait or will be tried again, parts left out. */
  queued(): string;
  /** How a principal is called in names of keys. */
  owner(principal: Principal): string;
  /** What the names of the unfinished jobs of a principal begin with; its fingerprint follows. */
  readonly openPrefix: string;
  /** Whose turn it is in a queue. */
  turns(queue: string): string;
  /** What the names of the lines of a queue begin with; a principal's fingerprint follows. */
  linePrefix(queue: string): string;
  /** Seals the request state that clients carry; made once, never expires. */
  secret(): string;
  idempotency(principal: Principal, key: string): string;
  jobsOf(principal: Principal): string;
  allJobs(): string;
  /** A 2025-era session, named by the fingerprint of its id: what it agreed on, and its open calls and questions. */
  session(session: string): string;
  /** The events of its streams. */
  sessionEvents(session: string): string;
  /** The questions that lie with its client, and those that wait for that. */
  sessionLine(session: string): string;
  /** All sessions by when they were heard of. */
  sessions(): string;
  /** Pub/sub channel of hints from front end to front end. */
  sessionHints(): string;
  /** What the installation counts for good. */
  totals(): string;
  /** What happened to jobs in a minute, by its number since the epoch. */
  minute(number: number): string;
  /** Since when jobs stand in a group, such as `waiting:review` or `parked:client`. */
  standing(group: string): string;
  /** Notifications of ended jobs, see `OUTBOX_KEYS`. */
  outbox(): Readonly<Record<keyof typeof OUTBOX_KEYS, string>>;
  /** What each process told of itself. */
  processes(): string;
  /** When each told it. */
  processesHeard(): string;
  /** Pub/sub channel that says something happened to a job. */
  wake(id: JobId): string;
}

/** Names the keys of the installation called `namespace` (letters, digits, `-`). */
export function createKeys(namespace: string): Keys {
  const base = `{${namespace}}`;
  const recordPrefix = `${base}:job:`;
  const budgetPrefix = `${base}:budget:`;
  const owner = createFingerprints();

  return {
    queuePrefix: `${base}:bull`,
    recordPrefix,
    record: (id) => `${recordPrefix}${id}`,
    events: (id) => `${base}:events:${id}`,
    outcome: (id) => `${base}:outcome:${id}`,
    journal: (id) => `${base}:journal:${id}`,
    inputs: (id) => `${base}:inputs:${id}`,
    tables: (id) => `${base}:tables:${id}`,
    budgetPrefix,
    budget: (session) => `${budgetPrefix}${session}`,
    budgetLine: (session) => `${base}:budget-line:${session}`,
    folders: () => `${base}:folders`,
    unfinished: () => `${base}:unfinished`,
    sweeping: () => `${base}:sweeping`,
    workers: () => `${base}:workers`,
    worker: (workerId) => `${base}:worker:${workerId}`,
    deathWatch: () => `${base}:death-watch`,
    recovery: (workerId) => `${base}:recovery:${workerId}`,
    queued: () => `${base}:queued`,
    owner,
    openPrefix: `${base}:open:`,
    turns: (queue) => `${base}:turns:${queue}`,
    linePrefix: (queue) => `${base}:line:${queue}:`,
    secret: () => `${base}:secret`,
    idempotency: (principal, key) => `${base}:idem:${fingerprint(JSON.stringify([principal, key]))}`,
    jobsOf: (principal) => `${base}:jobs:${owner(principal)}`,
    allJobs: () => `${base}:jobs`,
    session: (session) => `${base}:session:${session}`,
    sessionEvents: (session) => `${base}:session-events:${session}`,
    sessionLine: (session) => `${base}:session-line:${session}`,
    sessions: () => `${base}:sessions`,
    sessionHints: () => `${base}:session-hints`,
    totals: () => `${base}:${TOTALS_KEY}`,
    minute: (number) => `${base}:${MINUTE_KEY}${number}`,
    standing: (group) => `${base}:${STANDING_KEY}${group}`,
    outbox: () => outboxKeys(base),
    processes: () => `${base}:processes`,
    processesHeard: () => `${base}:processes-heard`,
    wake: (id) => `${base}:wake:${id}`,
  };
}

function outboxKeys(base: string): ReturnType<Keys['outbox']> {
  return {
    due: `${base}:${OUTBOX_KEYS.due}`,
    notes: `${base}:${OUTBOX_KEYS.notes}`,
    tries: `${base}:${OUTBOX_KEYS.tries}`,
    wanted: `${base}:${OUTBOX_KEYS.wanted}`,
  };
}
