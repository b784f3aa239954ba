/** Structured logs to stderr; stdout belongs to the protocol. */
import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { createLineRedaction } from './secrets/redact-line.js';

export type { Logger };

/** Log levels of the process log, quietest last. */
export const PROCESS_LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

/** See `PROCESS_LOG_LEVELS`. */
export type ProcessLogLevel = (typeof PROCESS_LOG_LEVELS)[number];

const CENSOR = '[masked]';

/** Bytes of log that may wait for their reader. */
const BACKLOG_BYTES = 1024 * 1024;
const DROPPED = 'log lines were dropped, since nobody read them';

/** Fields that may hold a secret, masked wherever they stand. */
const SECRET_PATHS = ['password', 'token', 'url', 'redisUrl', '*.password', '*.token', '*.url', '*.redisUrl'];

/**
 * Stderr with the given values masked, wherever in a line they stand, and without what looks like a secret: an error's text may
 * hold what it was given.
 */
export function stderrWithout(secrets: readonly string[]): DestinationStream {
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  const redactLine = createLineRedaction();
  return openStderr((line) => redactLine(written.reduce((text, secret) => text.replaceAll(secret, CENSOR), line)));
}

/** Makes a process's logger; it writes to stderr unless told otherwise. */
export function createLogger(name: string, level: ProcessLogLevel, stream?: DestinationStream): Logger {
  return pino(
    {
      name,
      level,
      redact: { paths: SECRET_PATHS, censor: CENSOR },
      serializers: { err: serializeError },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    stream ?? openStderr(),
  );
}

/** The error with its causes; of a Redis command only the name, since its arguments are a password or the caller's own text. */
function serializeError(error: Error): unknown {
  return withoutArguments(stdSerializers.errWithCause(error));
}

function withoutArguments(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    if (name === 'cause') return [name, withoutArguments(field)];
    return [name, name === 'command' ? commandName(field) : field];
  });
  return Object.fromEntries(fields);
}

function commandName(command: unknown): unknown {
  return typeof command === 'object' && command !== null && 'name' in command ? command.name : undefined;
}

/**
 * Stderr as a stream that never makes this process wait. Where there is room a line is handed over before `write` returns,
 * so that the last words before an exit are not lost. A host that does not read leaves no room, and would hold up every
 * job by a full pipe: once it is `BACKLOG_BYTES` behind, lines are dropped, and it is told how many if it reads again.
 * Only what is written is cleaned before.
 */
function openStderr(clean: (line: string) => string = (line) => line): DestinationStream {
  const { stderr } = process;
  // A reader that has hung up is no reason to end.
  if (!stderr.listeners('error').includes(ignore)) stderr.on('error', ignore);
  let dropped = 0;
  return {
    write(line) {
      if (stderr.writableLength > BACKLOG_BYTES) {
        dropped += 1;
        return;
      }
      if (dropped > 0) stderr.write(`${JSON.stringify({ level: 40, dropped, msg: DROPPED })}\n`);
      dropped = 0;
      stderr.write(clean(line));
    },
  };
}

function ignore(): void {}
