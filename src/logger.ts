/** Structured logs to stderr; stdout belongs to the protocol. */
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';

export type { Logger };

/** Log levels of the process log, quietest last. */
export const PROCESS_LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** See `PROCESS_LOG_LEVELS`. */
export type ProcessLogLevel = (typeof PROCESS_LOG_LEVELS)[number];

const CENSOR = '[masked]';

/** Fields that may hold a secret, masked wherever they stand. */
const SECRET_PATHS = ['password', 'token', 'url', 'redisUrl', '*.password', '*.token', '*.url', '*.redisUrl'];

/** Stderr with the given values masked, wherever in a line they stand: an error's text may hold what it was given. */
export function stderrWithout(secrets: readonly string[]): DestinationStream {
  const stderr = openStderr();
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  return { write: (line) => stderr.write(written.reduce((text, secret) => text.replaceAll(secret, CENSOR), line)) };
}

/** Makes a process's logger; it writes to stderr unless told otherwise. */
export function createLogger(name: string, level: ProcessLogLevel, stream?: DestinationStream): Logger {
  return pino(
    {
      name,
      level,
      redact: { paths: SECRET_PATHS, censor: CENSOR },
      serializers: { err: stdSerializers.errWithCause },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    stream ?? openStderr(),
  );
}

/** Written synchronously, so that the last words before an exit are not lost. */
function openStderr(): DestinationStream {
  return destination({ fd: 2, sync: true });
}
