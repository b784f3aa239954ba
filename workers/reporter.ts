/** Carries a run's progress and logs to the job's event log: thinned, in order, and never after the outcome. */
import type { JobEvent, LogLevel, Progress } from '../src/core/events.js';
import type { JobId } from '../src/core/ids.js';
import type { JsonValue } from '../src/core/json.js';
import type { EventLog, FencedWrite } from '../src/core/ports.js';

/** What a reporter needs. */
export interface ReporterOptions {
  readonly log: EventLog;
  readonly id: JobId;
  readonly run: string;
  /** Called once when a write is refused: the run has lost its job. */
  onRefused(why: Exclude<FencedWrite, 'written'>): void;
  onError(error: unknown): void;
}

/** See `createReporter`. */
export interface Reporter {
  progress(progress: Progress): void;
  log(level: LogLevel, logger: string, data: JsonValue): void;
  /** Resolves when all that was reported so far is stored or refused. */
  flush(): Promise<void>;
}

/** Least time between two writes of a job: at most ten a second, the first at once. */
const INTERVAL_MS = 100;
/** A handler that logs faster than Redis takes it loses its oldest lines, and is told how many. */
const BUFFER_CAP = 1_000;

/** Builds the reporter of one run. A newer progress replaces one that is still to be written. */
export function createReporter(options: ReporterOptions): Reporter {
  let buffer: JobEvent[] = [];
  let dropped = 0;
  let lastWriteMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let refused = false;

  const write = async (): Promise<void> => {
    if (buffer.length === 0 || refused) return;
    const events = withDropNotice(buffer, dropped);
    buffer = [];
    dropped = 0;
    lastWriteMs = Date.now();
    const written = await options.log.append(options.id, options.run, events);
    if (written === 'written' || refused) return;
    refused = true;
    options.onRefused(written);
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write).catch(options.onError);
    return writing;
  };
  const push = (event: JobEvent): void => {
    if (refused) return;
    if (event.type === 'progress') buffer = buffer.filter((waiting) => waiting.type !== 'progress');
    buffer.push(event);
    if (buffer.length > BUFFER_CAP) {
      buffer.shift();
      dropped += 1;
    }
    timer ??= setTimeout(flush, Math.max(0, lastWriteMs + INTERVAL_MS - Date.now()));
  };
  return {
    progress: (progress) => push({ type: 'progress', ...progress }),
    log: (level, logger, data) => push({ type: 'log', level, logger, data }),
    flush,
  };
}

function withDropNotice(buffer: readonly JobEvent[], dropped: number): readonly JobEvent[] {
  if (dropped === 0) return buffer;
  const data = { message: `${dropped} older log messages were dropped because they came too fast` };
  return [{ type: 'log', level: 'warning', logger: 'longhaul', data }, ...buffer];
}
