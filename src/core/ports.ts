/** What the durable core needs of the outside: stores, a log, a wake-up and a queue; adapters and fakes implement these. */
import type { JobEvent, StoredEvent } from './events.js';
import type { JobId, Principal } from './ids.js';
import type { Input, Question, StoredReply } from './input.js';
import type { AttemptFault, JobRecord, JobSeed, JobState, Outcome } from './job.js';
import type { JsonValue } from './json.js';
import type { Service } from './lifecycle.js';
import type { PartOf } from './part.js';
import type { Place } from './sweep.js';
import type { PageQuery, SectionSize, TablePage, TableSlice } from './table.js';

/** A claim on an idempotency key, and the arguments it stands for. */
export interface IdempotencyClaim {
  readonly key: string;
  /** Fingerprint of tool and arguments; the same key with another one is a conflict. */
  readonly argsFingerprint: string;
}

/** What came of `JobStore.create`. */
export type Creation =
  | { readonly kind: 'created' }
  | { readonly kind: 'existing'; readonly id: JobId; readonly sameArguments: boolean }
  /** Nothing was stored: as many jobs as may wait do, or its owner has as many unfinished ones as it may. */
  | { readonly kind: 'full'; readonly what: 'queue' | 'caller' };

/** What the queue keeps for the worker that holds a job: while `key` has `token`, the job is nobody else's. */
export interface Hold {
  readonly key: string;
  readonly token: string;
}

/** One run of a job on one worker; `run` fences its writes against those of an earlier or later run. */
export interface RunClaim {
  readonly workerId: string;
  readonly run: string;
  /** Absent where the queue keeps nothing. */
  readonly hold?: Hold;
}

/** What came of `JobStore.begin`. */
export type Beginning =
  | {
      readonly kind: 'run';
      readonly attempt: number;
      readonly crashes: number;
      /** The run before this one, if that ended without a word; told once. */
      readonly lost?: { readonly run: string; readonly startedAtMs: number };
      /** Whether earlier runs left steps or questions; if not, there is nothing to read. */
      readonly resumes?: boolean;
    }
  | { readonly kind: 'ended'; readonly state: JobState }
  /** The queue does not hold the job for this worker any more. */
  | { readonly kind: 'superseded' };

/** Whether a fenced write took effect; `ended` and `superseded` mean the run must stop. */
export type FencedWrite = 'written' | 'ended' | 'superseded';

/** What came of `JobStore.end`: `already` carries the final state that stands. */
export type Ending =
  /** `freed` if it had to do with its session's budget: others may have room now. */
  | { readonly kind: 'ended'; readonly freed?: boolean }
  | { readonly kind: 'already'; readonly state: JobState }
  | { readonly kind: 'missing' }
  | { readonly kind: 'superseded' };

/** What is kept of a run that is left without an outcome. */
export interface Leaving {
  readonly fault?: AttemptFault;
  /** Epoch time at which the job is run again whatever happens. */
  readonly untilMs?: number;
}

/** Which jobs a listing names, newest first. */
export interface ListQuery {
  /** Only this owner's jobs; absent: everybody's. */
  readonly principal?: Principal;
  readonly states?: readonly JobState[];
  readonly tool?: string;
  readonly limit: number;
  /** Jobs strictly after this place in the order. */
  readonly after?: { readonly createdAtMs: number; readonly id: string };
}

/** One page of a listing. */
export interface JobPage {
  readonly jobs: readonly JobRecord[];
  /** Matching jobs in all pages. */
  readonly totalCount: number;
  readonly hasMore: boolean;
  /** Jobs beside these that a newer version stored, in all pages; absent for none. */
  readonly unreadable?: number;
}

/** Keeps job records and outcomes; each method is atomic. */
export interface JobStore {
  /**
   * Stores a new waiting job, or finds the one an idempotency key already stands for. Parts of jobs are neither listed nor
   * refused for there being too many.
   */
  create(seed: JobSeed, claim?: IdempotencyClaim): Promise<Creation>;
  /** Takes the job for one run: rebuilds a lost record, counts attempts and crashes, fences earlier runs. */
  begin(seed: JobSeed, claim: RunClaim): Promise<Beginning>;
  /** Leaves a run without an outcome: back to `waiting`, `delayed` before a retry, or `parked`. */
  leave(id: JobId, run: string, to: 'waiting' | 'delayed' | 'parked', how?: Leaving): Promise<FencedWrite>;
  /**
   * Takes the job from a worker that died in the middle of it, before the queue gives it to another: that is a crash, the
   * job waits, and what this run still writes is refused. False, and nothing changes, unless this worker runs it; with
   * `run`, unless that very run does.
   */
  revoke(id: JobId, workerId: string, run?: string): Promise<boolean>;
  /**
   * Ends the job: the first outcome wins. With `run`, only if that run still holds the job. What it had reserved of its
   * session's budget is free again; an answer that was not settled yet counts by its size.
   */
  end(id: JobId, outcome: Outcome, run?: string): Promise<Ending>;
  get(id: JobId): Promise<JobRecord | undefined>;
  outcome(id: JobId): Promise<Outcome | undefined>;
  list(query: ListQuery): Promise<JobPage>;
}

/** What woke a listener: something to read, the job's end, or a lost connection that may have swallowed either. */
export type Wake = 'event' | 'ended' | 'resync';

/** A job's ordered events: bounded, but the outcome is never trimmed. */
export interface EventLog {
  /** Appends events of one run; progress that does not rise is left out; nothing is appended after the outcome. */
  append(id: JobId, run: string, events: readonly JobEvent[]): Promise<FencedWrite>;
  /**
   * As `append`, by a run of a part, into the log of the job it belongs to. The progress of the part is the units it has
   * done; what is stored is the job's, from the sum over its parts, which never falls when a part begins anew.
   */
  appendForPart(id: JobId, run: string, partOf: PartOf, events: readonly JobEvent[]): Promise<FencedWrite>;
  /** Reads up to `limit` events after `cursor`; fewer only if none follow yet. */
  read(id: JobId, cursor: string, limit: number): Promise<readonly StoredEvent[]>;
  /** Whether the event at `cursor` is still kept; once it is not, events after it may be gone as well. */
  keeps(id: JobId, cursor: string): Promise<boolean>;
  /** Calls back on every wake-up; resolves, with the way to stop, once no later wake-up can be missed. */
  onWake(id: JobId, listener: (wake: Wake) => void): Promise<() => void>;
}

/** Results of a job's finished steps; forgotten when the job ends. */
export interface StepJournal {
  read(id: JobId): Promise<ReadonlyMap<string, JsonValue>>;
  write(id: JobId, run: string, step: string, value: JsonValue): Promise<FencedWrite>;
}

/** The tables of jobs, kept as long as their outcomes; those of a job that did not complete are forgotten when it ends. */
export interface TableStore {
  /**
   * Stores a slice, in place of an earlier one of that section and number. A run of a part writes into the tables of the
   * job it belongs to. Rows beyond what a job may store are left out and counted.
   */
  write(id: JobId, run: string, slice: TableSlice, partOf?: PartOf): Promise<FencedWrite>;
  /** The sections there are, by name. */
  sections(id: JobId): Promise<readonly SectionSize[]>;
  /** A page; undefined if there is no such section. */
  read(id: JobId, query: PageQuery): Promise<TablePage | undefined>;
}

/** What came of `FolderClaims.claim`; `taken` names the living job that stands in the way. */
export type FolderClaiming =
  | { readonly kind: Exclude<FencedWrite, 'written'> | 'held' }
  | { readonly kind: 'taken'; readonly by: JobId };

/** Folders that jobs have for themselves; a claim counts until its job ends or is forgotten. */
export interface FolderClaims {
  /** Claims a folder (an absolute path) for the job of this run, unless another job holds it, one in it or one around it. */
  claim(id: JobId, run: string, folder: string): Promise<FolderClaiming>;
}

/** What came of an answer: only the first is `stored`; the others change nothing. */
export type Answering = 'stored' | 'late' | 'unknown' | 'ended';

/** A call's claim to be the only one that asks a job's questions; ends by itself, so a dead front end blocks nobody for long. */
export interface AskClaim {
  /** Unique to one call of one front end. */
  readonly asker: string;
  readonly leaseMs: number;
  /** Takes the claim even from a holder whose lease still runs. */
  readonly takeOver?: boolean;
}

/** The questions of jobs and their answers; forgotten when the job ends. */
export interface InputMailbox {
  /**
   * Stores the run's questions and announces them; a key that is already asked stays as it is. A hand-off is noted in the
   * job's record, as is its answer. Throws `result_too_large` for a question larger than a result may be.
   */
  ask(id: JobId, run: string, questions: readonly Question[]): Promise<FencedWrite>;
  /** Stores a question with the reply it got without its client: it is announced to nobody. A key that is known stays as it is. */
  decide(id: JobId, run: string, decided: Required<Input>): Promise<FencedWrite>;
  /** Gives questions that have no reply yet until `deadlineMs`, an epoch time. */
  postpone(id: JobId, keys: readonly string[], deadlineMs: number): Promise<void>;
  /** Stores a reply if it is the first to its question. */
  answer(id: JobId, key: string, reply: StoredReply): Promise<Answering>;
  /** As `answer`, by a run of the part that a question waits for: `ended` also where that run lost its part. */
  answerAsPart(id: JobId, key: string, reply: StoredReply, part: RunOf): Promise<Answering>;
  read(id: JobId): Promise<readonly Input[]>;
  /** Keys of the questions that have no reply. */
  openKeys(id: JobId): Promise<readonly string[]>;
  /** Takes or renews the claim to ask the job's questions; false while somebody else holds it and once the job ended. */
  claim(id: JobId, claim: AskClaim): Promise<boolean>;
  /** Gives the claim up if `asker` holds it, so that somebody else may ask at once. */
  unclaim(id: JobId, asker: string): Promise<void>;
}

/** A run of a job. */
export interface RunOf {
  readonly id: JobId;
  readonly run: string;
}

/** A wish for a share of a session's budget, in tokens. */
export interface Reservation {
  /** As in the job's seed. */
  readonly session: string;
  readonly id: JobId;
  readonly run: string;
  /** The question it is for; reserved once, however often it is asked. */
  readonly key: string;
  readonly tokens: number;
  /** What the session has in all. */
  readonly limit: number;
}

/** What came of a reservation: `full` while others hold what may come free again, `spent` if it never can. */
export interface Reserving {
  readonly kind: 'reserved' | 'full' | 'spent' | Exclude<FencedWrite, 'written'>;
  /** Tokens of answers that came, in the session so far. */
  readonly used: number;
}

/** The token budgets of sessions, shared by all their jobs; forgotten when nothing was asked for as long as an unfinished job is kept. */
export interface BudgetLedger {
  /** Reserves; a job that finds the budget `full` waits in line until `next` names it. */
  reserve(reservation: Reservation): Promise<Reserving>;
  /** Turns reservations of a run's job into what was really used; repeats and unknown keys change nothing. */
  settle(session: string, by: RunOf, used: ReadonlyMap<string, number>): Promise<FencedWrite>;
  /** Takes from the head of the line the jobs whose wish fits by now, and is reserved, or never will: they are to be woken. */
  next(session: string): Promise<readonly JobId[]>;
  /** Whether the job still waits in line. */
  isWaiting(session: string, id: JobId): Promise<boolean>;
}

/** Jobs in one queue by state. */
export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/** Whether a job may be taken from the worker that holds it. */
export type LetGo = (id: string) => boolean | Promise<boolean>;

/** Hands jobs to workers, by turns among principals, and of each principal in the order in which they came. */
export interface JobQueue {
  /** Stores the job durably; adding an id that is already queued changes nothing. */
  add(seed: JobSeed): Promise<void>;
  /** Takes a job that no worker holds out of the queue; says whether it did. */
  remove(id: JobId, queue: string): Promise<boolean>;
  /** Makes a delayed job ready to be taken at once; says whether it was delayed. */
  promote(id: JobId, queue: string): Promise<boolean>;
  /** As `positions`, of one job. */
  position(id: JobId, queue: string): Promise<number | undefined>;
  /** The places of jobs of one queue, 1 for the next to be taken; those that do not wait are left out. */
  positions(ids: readonly JobId[], queue: string): Promise<ReadonlyMap<JobId, number>>;
  counts(queue: string): Promise<QueueCounts>;
  /** Where jobs of one queue lie. */
  places(ids: readonly JobId[], queue: string): Promise<ReadonlyMap<JobId, Place>>;
  /**
   * Puts the active jobs of a dead worker back at the head of the queue; says which. `letGo` is asked of each just before,
   * and may refuse.
   */
  handBack(workerId: string, queue: string, letGo?: LetGo): Promise<readonly string[]>;
}

/** A job as it reaches a worker. */
export interface Delivery {
  /** The seed as found in the queue, not yet parsed. */
  readonly seed: unknown;
  readonly id: string;
  /** Aborts when the queue no longer holds the job for this worker. */
  readonly lost: AbortSignal;
  /** Absent where the queue keeps nothing. */
  readonly hold?: Hold;
}

/** What the queue does with a delivered job. */
export type Verdict =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'delay'; readonly untilMs: number }
  /** As `delay`, unless `isReady` says, once the job lies there, that what it waits for came meanwhile. */
  | { readonly kind: 'park'; readonly untilMs: number; isReady(): Promise<boolean> }
  | { readonly kind: 'hand_back' };

/** Takes jobs from a queue and follows the verdict on each. */
export type JobConsumer = Service;
