/** What the commands stand on; composition fills these in, so that no command knows of Redis, queues or servers. */
import type { Config, RawSettings } from '../config.js';
import type { JobRecord, JobState, Outcome } from '../core/job.js';
import type { JsonObject } from '../core/json.js';
import type { JobPage, ListQuery } from '../core/ports.js';
import type { PageQuery, SectionSize, TablePage } from '../core/table.js';
import type { Analysis } from '../report/analysis.js';

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
  /** Whether escape codes may be written to stdout. */
  readonly colour: boolean;
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
  /** What was handed over, while a submission is waited for. */
  readonly handedOver?: { readonly preliminary: JsonObject; readonly deadlineMs: number };
}

/** What came of an operator's cancel. */
export type CancelReport =
  | { readonly kind: 'cancelled'; readonly id: string }
  | { readonly kind: 'already_ended'; readonly id: string; readonly state: JobState };

/** The jobs of everybody, as the operator of this installation sees them. */
export interface Operator {
  list(query: ListQuery): Promise<JobPage>;
  show(id: string): Promise<JobReport>;
  cancel(id: string, reason: string): Promise<CancelReport>;
  /** A page of a table of a completed job. */
  table(id: string, query: PageQuery): Promise<TablePage>;
  /** Runs an ended job's request again and gives the new job's id. */
  retry(id: string): Promise<string>;
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
  /** Looks at everything the product stands on. */
  examine(config: Config): Promise<readonly Finding[]>;
  /** The structured result of an analysis, if it is one. */
  parseAnalysis(structured: unknown): Promise<Analysis | undefined>;
}
