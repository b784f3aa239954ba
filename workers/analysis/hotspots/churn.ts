/** Counts commits, authors and the last change of each file of interest while a log is read from the newest commit back. */
import type { Commit } from './commit-log.js';

/** What the history says of one file. */
export interface FileChurn {
  /** How many commits touched it. */
  readonly commits: number;
  /** How many people wrote these commits. */
  readonly authors: number;
  /** When the newest of them was made, in seconds since 1970. */
  readonly lastChange: number;
}

/** A growing count. */
export interface ChurnTable {
  begin(commit: Commit): void;
  touch(path: string): void;
  /** From here back what is now `to` was called `from`. */
  move(from: string, to: string): void;
  /** The churn of a file; undefined for one that no commit touched. */
  of(path: string): FileChurn | undefined;
  commits(): number;
  authors(): number;
  /** The time of the oldest commit so far; undefined before the first. */
  oldest(): number | undefined;
}

interface Row {
  commits: number;
  lastChange: number;
  readonly authors: Set<number>;
}

/** Creates a table for these files; others are passed over. */
export function createChurnTable(files: readonly string[]): ChurnTable {
  const rows = new Map<string, Row | undefined>(files.map((path) => [path, undefined]));
  const names = createNames(rows);
  const authors = new Map<string, number>();
  let current = { time: 0, author: 0 };
  let commits = 0;
  let oldest: number | undefined;

  function begin({ time, author }: Commit): void {
    commits += 1;
    const number = authors.get(author) ?? authors.size;
    authors.set(author, number);
    current = { time, author: number };
    oldest = Math.min(oldest ?? time, time);
  }

  function touch(path: string): void {
    const name = names.now(path);
    if (!rows.has(name)) return;
    const row = rows.get(name) ?? { commits: 0, lastChange: 0, authors: new Set<number>() };
    row.commits += 1;
    row.lastChange = Math.max(row.lastChange, current.time);
    row.authors.add(current.author);
    rows.set(name, row);
  }

  function move(from: string, to: string): void {
    touch(to);
    names.move(from, to);
  }

  function of(path: string): FileChurn | undefined {
    const row = rows.get(path);
    return row && { commits: row.commits, authors: row.authors.size, lastChange: row.lastChange };
  }

  const sums = { commits: () => commits, authors: () => authors.size, oldest: () => oldest };
  return { begin, touch, move, of, ...sums };
}

/** Follows names back in time. */
function createNames(files: { has(path: string): boolean }) {
  /** By the name a file had at the commit that is being read: the name it has today. */
  const today = new Map<string, string>();
  const now = (path: string) => today.get(path) ?? path;

  function move(from: string, to: string): void {
    const name = now(to);
    today.delete(to);
    // A name in use today belongs to the file that has it.
    if (files.has(name) && !files.has(from)) today.set(from, name);
  }

  return { now, move };
}
