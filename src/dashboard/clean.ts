/** Takes out of what pages show whatever still looks like a secret, however it came into a record. */
import type { JobRow } from '../core/overview.js';
import type { Redactor } from '../core/redaction.js';

/** Characters that are searched at once, within what is done without a thread. */
const CHUNK = 4_000;

/** Lines without secrets, as many and in their order; a line that is longer than can be shown is cut before. */
export async function cleanLines(redactor: Redactor, lines: readonly string[]): Promise<string[]> {
  const cleaned: string[] = [];
  let chunk: string[] = [];
  let length = 0;
  const flush = async (): Promise<void> => {
    if (chunk.length === 0) return;
    cleaned.push(...(await redactor.redact(chunk.join('\n'))).text.split('\n'));
    chunk = [];
    length = 0;
  };
  for (const line of lines) {
    const flat = line.replace(/\s*[\r\n]\s*/g, ' ');
    if (length + flat.length > CHUNK) await flush();
    chunk.push(flat);
    length += flat.length + 1;
  }
  await flush();
  return cleaned;
}

/** A text of several lines without secrets. */
export async function cleanText(redactor: Redactor, text: string): Promise<string> {
  return (await redactor.redact(text)).text;
}

const MESSAGE_LENGTH = 300;

/** Rows whose messages hold no secret. */
export async function cleanRows<Row extends JobRow>(redactor: Redactor, rows: readonly Row[]): Promise<Row[]> {
  const messages = await cleanLines(
    redactor,
    rows.map(({ progress }) => (progress?.message ?? '').slice(0, MESSAGE_LENGTH)),
  );
  return rows.map((row, at) => {
    const message = messages[at];
    return row.progress && message ? { ...row, progress: { ...row.progress, message } } : row;
  });
}
