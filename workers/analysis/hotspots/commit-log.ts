/** Reads `git log -z --name-status` as it streams in: commits, and the files each one touched. */
import { decodePath } from '../paths.js';

/** The format that makes a commit's header one field: mark, hash, time of the commit in seconds, author's mail. */
export const HEADER_FORMAT = '--format=%x01%H%x02%ct%x02%aE';

/** One commit. */
export interface Commit {
  readonly hash: string;
  /** Seconds since 1970. */
  readonly time: number;
  /** The author's mail in the form in which equal people look equal. Never to leave this folder. */
  readonly author: string;
}

/** What is heard of a log, newest commit first. */
export interface LogListener {
  onCommit(commit: Commit): void;
  /** A file that the last commit added, changed or deleted. */
  onChange(path: string): void;
  /** A file that the last commit moved without a change. */
  onMove(from: string, to: string): void;
}

/** Takes the bytes of a log in pieces of any size. */
export interface LogParser {
  push(chunk: Buffer): void;
}

const MARK = 0x01;
const NEWLINE = 0x0a;
/** The longest field that is kept: a longer path than any system allows is nobody's. */
const LONGEST_FIELD = 1 << 16;

type Expecting = 'status' | 'path' | 'from' | 'to';

/** Creates a parser. */
export function createLogParser(listener: LogListener): LogParser {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let expecting: Expecting = 'status';
  let from = '';

  function push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const piece = chunk.subarray(start, end);
      accept(rest.length > 0 ? Buffer.concat([...rest, piece]) : piece);
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    if (start === chunk.length || restBytes > LONGEST_FIELD) return;
    rest.push(Buffer.from(chunk.subarray(start)));
    restBytes += chunk.length - start;
  }

  function accept(field: Buffer): void {
    const expected = expecting;
    if (expected === 'status') {
      acceptStatus(field);
      return;
    }
    const path = decodePath(field);
    expecting = expected === 'from' ? 'to' : 'status';
    if (expected === 'from') from = path;
    else if (expected === 'to') listener.onMove(from, path);
    else listener.onChange(path);
  }

  /** The first status of a commit stands behind a newline that ends its header. */
  function acceptStatus(field: Buffer): void {
    if (field[0] === MARK) {
      const [hash = '', time = '', mail = ''] = field.toString('utf8', 1).split('\x02');
      listener.onCommit({ hash, time: Number(time), author: normalizeMail(mail) });
      return;
    }
    const letter = field[field[0] === NEWLINE ? 1 : 0];
    if (letter !== undefined) expecting = letter === 0x52 || letter === 0x43 ? 'from' : 'path';
  }

  return { push };
}

/** Case tells no people apart, nor does the number that a host puts before the name in its no-reply addresses. */
function normalizeMail(mail: string): string {
  return mail
    .trim()
    .toLowerCase()
    .replace(/^\d+\+(?=[^@]+@users\.noreply\.)/, '');
}
