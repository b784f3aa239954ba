/** Takes secrets out of a line of the process log, at once and in bounded time. */
import { randomBytes } from 'node:crypto';
import { redact } from './redact.js';
import { redactJson } from './redact-json.js';

/** Some milliseconds' work; a longer line is no message but something that slipped into one. */
const LONGEST_LINE = 32_768;

/**
 * Builds the redaction of one process's log. The log's salt is drawn at its start: lines of one process can be compared, and
 * need no Redis. A line of JSON stays one.
 */
export function createLineRedaction(): (line: string) => string {
  const salt = randomBytes(16).toString('hex');
  return (line) => {
    if (line.length > LONGEST_LINE) return `${JSON.stringify(cut(line, salt))}\n`;
    const entry = parsed(line);
    if (entry === undefined) return redact(line, { salt }).text;
    // What is escaped in the line is looked at as it was written, too.
    const clean = JSON.stringify(redactJson(entry, salt));
    return clean === line.trimEnd() ? line : `${clean}\n`;
  };
}

function parsed(line: string): Record<string, never> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What of a secret may be left at the cut is left out as well. */
function cut(line: string, salt: string) {
  const kept = redact(line.slice(0, LONGEST_LINE), { salt }).text.slice(0, LONGEST_LINE / 2);
  return { level: 40, msg: 'a log line was too long to be written', chars: line.length, begins: kept };
}
