/** Structured logs to stderr; stdout belongs to the protocol. */
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';

export type { Logger };

/** Log levels of the process log, quietest last. */
export const PROCESS_LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** See `PROCESS_LOG_LEVELS`. */
export type ProcessLogLevel = (typeof PROCESS_LOG_LEVELS)[number];

/** Fields that may hold a secret, masked wherever they stand. */
const SECRET_PATHS = ['password', 'token', 'url', 'redisUrl', '*.password', '*.token', '*.url', '*.redisUrl'];

/** Makes a process's logger. Written synchronously, so that the last words before an exit are not lost. */
export function createLogger(name: string, level: ProcessLogLevel, stream?: DestinationStream): Logger {
  return pino(
    {
      name,
      level,
      redact: { paths: SECRET_PATHS, censor: '[masked]' },
      serializers: { err: stdSerializers.errWithCause },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    stream ?? destination({ fd: 2, sync: true }),
  );
}
