/** The process log as the core and the rims see it. */

/** Writes one structured line; `fields` are plain values, errors go under `err`. Pino's logger fits. */
export type ProcessLog = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (fields: Readonly<Record<string, unknown>>, message: string) => void>
>;

/** The same log, with these fields in every line. */
export function logWith(log: ProcessLog, fields: Readonly<Record<string, unknown>>): ProcessLog {
  return {
    debug: (more, message) => log.debug({ ...fields, ...more }, message),
    info: (more, message) => log.info({ ...fields, ...more }, message),
    warn: (more, message) => log.warn({ ...fields, ...more }, message),
    error: (more, message) => log.error({ ...fields, ...more }, message),
  };
}
