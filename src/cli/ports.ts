/** What the commands stand on; composition fills these in, so that no command knows of Redis, queues or servers. */
import type { Config, RawSettings } from '../config.js';
import type { StoredEvent } from '../core/events.js';
import type { Input } from '../core/input.js';
import type { JobRecord, JobState, Outcome } from '../core/job.js';
import type { JsonObject } from '../core/json.js';
import type { JobPage, ListQuery } from '../core/ports.js';
import type { InstallationStatus } from '../core/status.js';
import type { PageQuery, SectionSize, TablePage } from '../core/table.js';
import type { Analysis } from '../report/analysis.js';

/** A terminal that a person looks at and that takes escape codes. */
export interface Screen {
  /** Writes at once and as it is, so that an ending process can still put the terminal in order. */
  write(text: string): void;
  size(): { readonly columns: number; readonly rows: number };
  /** Calls back when the size changes; gives the way to stop. */
  onResize(listener: () => void): () => void;
  /** Calls back when the process ends, whyever; gives the way to stop. */
  onExit(listener: () => void): () => void;
}

/** Where a command reads and writes. */
export interface Terminal {
  /** Writes a line (or more) to stdout; resolves once it is handed over, so that an exit cuts nothing off. */
  out(text: string): Promise<void>;
  /** Writes a line to stderr. */
  err(text: string): void;
  /** All of stdin as text. */
  readInput(): Promise<string>;
  readonly stderr: NodeJS.WriteStream;
  /** Whether stdout is a terminal that a person looks at. */
  readonly outIsTty: boolean;
  /** Characters in a line of the terminal that a person looks at. */
  readonly columns?: number;
  /** Whether colours may be written to stdout. */
  readonly colour: boolean;
  /** Absent where stdout is no terminal, or one that takes no escape codes. */
  readonly screen?: Screen;
}

/** Runs the long-lived processes. */
export interface Serving {
  stdio(config: Config, settings: RawSettings): Promise<void>;
  http(config: Config, settings: RawSettings, listen: { readonly port: number; readonly host: string }): Promise<void>;
  workers(config: Config, settings: RawSettings): Promise<void>;
}

/** A job with its place in the queue and its end. */
export interface JobReport {
  readonly record: JobRecord;
  readonly position?: number;
  readonly outcome?: Outcome;
  /** Tables of a completed job. */
  readonly sections?: readonly SectionSize[];
  /** The questions of a job that has not ended, with the replies there are. */
  readonly inputs?: readonly Input[];
  /** What was handed over, while a submission is waited for. */
  readonly handedOver?: { readonly preliminary: JsonObject; readonly deadlineMs: number };
}

/** What came of an operator's cancel. */
export type CancelReport =
  | { readonly kind: 'cancelled'; readonly id: string }
  | { readonly kind: 'already_ended'; readonly id: string; readonly state: JobState };

/** From where on and until when a job is followed. */
export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly cursor?: string;
}

/** The jobs of everybody, as the operator of this installation sees them. */
export interface Operator {
  list(query: ListQuery): Promise<JobPage>;
  show(id: string): Promise<JobReport>;
  cancel(id: string, reason: string): Promise<CancelReport>;
  /** A page of a table of a completed job. */
  table(id: string, query: PageQuery): Promise<TablePage>;
  /** Runs an ended job's request again and gives the new job's id. */
  retry(id: string): Promise<string>;
  /** The events of a job after a cursor, without waiting for more. */
  log(id: string, cursor?: string): Promise<readonly StoredEvent[]>;
  /** The events of a job after a cursor, then live until its outcome or the abort, which leaves the job alone. */
  follow(id: string, options: FollowOptions): AsyncIterable<StoredEvent>;
  /** Looks at the installation; rejects with `queue_unavailable` while Redis is away. */
  status(): Promise<InstallationStatus>;
}

/** One line of the doctor's report. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly seen: string;
  /** An exact command or setting; absent when there is nothing to mend. */
  readonly mend?: string;
}

/** All a command line needs. */
export interface CliPorts {
  readonly version: string;
  /** The process's environment. */
  readonly env: RawSettings;
  /** Absolute path of the compiled entry, to start a server of our own with. */
  readonly entry: string;
  readonly terminal: Terminal;
  readonly serving: Serving;
  /** Opens the jobs of this installation for `use`, and closes them again whatever comes of it. */
  withOperator<T>(config: Config, use: (operator: Operator) => Promise<T>): Promise<T>;
  /** Looks at everything the product stands on; quickly: without loading a worker to see whether it starts. */
  examine(config: Config, how: { readonly isQuick: boolean }): Promise<readonly Finding[]>;
  /** The structured result of an analysis, if it is one. */
  parseAnalysis(structured: unknown): Promise<Analysis | undefined>;
}
