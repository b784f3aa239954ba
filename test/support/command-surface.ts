/** Which commands and options a server was sent, by clients and scripts alike, and since which version they exist. */
import { connect } from 'node:net';
import type { Redis } from 'ioredis';

/** Commands heard so far, each with all arguments it was ever sent. */
export interface HeardCommands {
  /** Lower-case names as sent, such as `evalsha`, with their upper-case arguments. */
  readonly sent: ReadonlyMap<string, ReadonlySet<string>>;
  stop(): void;
}

/** Listens to all that the server on this port is sent from now on, in the server's own lines. */
export async function hearCommands(port: number): Promise<HeardCommands> {
  const sent = new Map<string, Set<string>>();
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let rest = '';
  const listening = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) note(sent, line);
      resolve();
    });
  });
  socket.write('MONITOR\r\n');
  await listening;
  return { sent, stop: () => socket.destroy() };
}

/** A line is `+TIME [DATABASE SOURCE] "name" "argument" …`, where a script's own commands have the source `lua`. */
function note(sent: Map<string, Set<string>>, line: string): void {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word);
  const [name, ...args] = words;
  if (name === undefined) return;
  const known = sent.get(name.toLowerCase()) ?? new Set();
  sent.set(name.toLowerCase(), known);
  // Options are short; keys, scripts and values would only fill the memory.
  for (const arg of args) if (/^[A-Za-z]{2,20}$/.test(arg)) known.add(arg.toUpperCase());
}

/** Commands and options that are younger than `version`, as `xadd NOMKSTREAM (6.2.0)`; the server's own documentation says so. */
export async function youngerThan(client: Redis, version: string, heard: HeardCommands): Promise<string[]> {
  const found: string[] = [];
  for (const [name, args] of heard.sent) {
    const docs = fieldsOf((await client.call('COMMAND', 'DOCS', name)) as unknown[]).get(name);
    if (docs === undefined) {
      found.push(`${name} (not documented)`);
      continue;
    }
    found.push(...younger(docs, { version, name, args }));
  }
  return found;
}

interface Question {
  readonly version: string;
  readonly name: string;
  readonly args: ReadonlySet<string>;
}

function younger(docs: unknown, question: Question): string[] {
  const { version, name, args } = question;
  const fields = fieldsOf(docs);
  const own = isNewer(fields.get('since'), version) ? [`${name} (${fields.get('since')})`] : [];
  const options = listOf(fields.get('arguments')).flatMap((argument) => youngerOptions(argument, question));
  // A container's subcommands are documented under it, and only those count that were sent.
  const subcommands = [...fieldsOf(fields.get('subcommands'))].flatMap(([full, docsOfIt]) => {
    const [, subcommand = ''] = full.split('|');
    return args.has(subcommand.toUpperCase()) ? younger(docsOfIt, { ...question, name: full }) : [];
  });
  return [...own, ...options, ...subcommands];
}

function youngerOptions(argument: unknown, question: Question): string[] {
  const fields = fieldsOf(argument);
  const token = String(fields.get('token') ?? '').toUpperCase();
  const own =
    token !== '' && question.args.has(token) && isNewer(fields.get('since'), question.version)
      ? [`${question.name} ${token} (${fields.get('since')})`]
      : [];
  return [...own, ...listOf(fields.get('arguments')).flatMap((inner) => youngerOptions(inner, question))];
}

/** Documentation comes as lists of names and values in turn. */
function fieldsOf(list: unknown): ReadonlyMap<string, unknown> {
  const flat = listOf(list);
  return new Map(flat.flatMap((name, at) => (at % 2 === 0 ? [[String(name), flat[at + 1]] as const] : [])));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isNewer(since: unknown, version: string): boolean {
  if (typeof since !== 'string') return false;
  return since.localeCompare(version, 'en', { numeric: true }) > 0;
}
