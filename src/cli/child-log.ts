/** Puts the log lines of a server started for a call into words, since a person reads them between progress bars. */

/** Numbers of the process log's levels (pino), most severe first. */
const LEVELS: readonly (readonly [number, string])[] = [
  [60, 'fatal'],
  [50, 'error'],
  [40, 'warn'],
  [30, 'info'],
  [20, 'debug'],
  [0, 'trace'],
];

/** `level: message: cause` for a structured line, without its stack; any other line as it is. */
export function readableLogLine(line: string): string {
  const entry = parse(line);
  if (entry === undefined || typeof entry.level !== 'number' || typeof entry.msg !== 'string') return line;
  const { level, msg, err } = entry;
  const [, name = 'log'] = LEVELS.find(([least]) => level >= least) ?? [];
  const cause = isObject(err) && typeof err.message === 'string' && err.message !== msg ? `: ${err.message}` : '';
  return `${name}: ${msg}${cause}`;
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
