/** The process log as the core and the rims see it. */

/** Writes one structured line; `fields` are plain values, errors go under `err`. Pino's logger fits. */
export type ProcessLog = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (fields: Readonly<Record<string, unknown>>, message: string) => void>
>;
