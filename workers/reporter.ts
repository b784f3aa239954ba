/** Carries a run's progress and logs to the job's event log: thinned, in order, and never after the outcome. */
import type { JobEvent, LogLevel, Progress } from '../src/core/events.js';
import type { JobId } from '../src/core/ids.js';
import type { JsonValue } from '../src/core/json.js';
import type { EventLog, FencedWrite } from '../src/core/ports.js';
import type { JsonRedactor } from '../src/core/redaction.js';

/** What a reporter needs. */
export interface ReporterOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly redactor: JsonRedactor;
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
const WITHHELD = 'withheld, since it could not be searched for secrets';

/** Builds the reporter of one run. A newer progress replaces one that is still to be written. */
export function createReporter(options: ReporterOptions): Reporter {
  const buffer = createBuffer();
  let nextWriteMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let writes = 0;
  let refused = false;

  const write = async (): Promise<void> => {
    const events = buffer.take();
    if (events.length === 0 || refused) return;
    nextWriteMs = Date.now() + INTERVAL_MS;
    const clean = await Promise.all(events.map((event) => withoutSecrets(options, event)));
    const written = await options.log.append(options.id, options.run, clean);
    if (written === 'written' || refused) return;
    refused = true;
    options.onRefused(written);
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writes += 1;
    // Started in this very tick when nothing is under way, or the rest of a burst would replace its first event.
    const turn = writes === 1 ? write() : writing.then(write);
    writing = turn.catch(options.onError).finally(() => {
      writes -= 1;
    });
    return writing;
  };
  const push = (event: JobEvent | undefined): void => {
    // A write that waits for another will take the event along.
    if (refused || !event || !buffer.add(event) || writes > 1) return;
    const waitMs = nextWriteMs - Date.now();
    if (writes === 0 && waitMs <= 0) flush();
    else timer ??= setTimeout(flush, Math.max(0, waitMs));
  };
  return {
    progress: (progress) => push(storable(progress)),
    log: (level, logger, data) => push({ type: 'log', level, logger, data }),
    flush,
  };
}

/** One that cannot be searched is withheld, but told of. */
async function withoutSecrets({ redactor, onError }: ReporterOptions, event: JobEvent): Promise<JobEvent> {
  try {
    if (event.type === 'log') return { ...event, data: await redactor.redactJson(event.data) };
    if (event.type !== 'progress' || event.message === undefined) return event;
    return { ...event, message: (await redactor.redact(event.message)).text };
  } catch (error) {
    onError(error);
    return event.type === 'log'
      ? { ...event, data: WITHHELD }
      : { ...event, ...(event.type === 'progress' && { message: WITHHELD }) };
  }
}

interface EventBuffer {
  /** False if the event is not worth a write: progress that does not rise. */
  add(event: JobEvent): boolean;
  /** Empties the buffer. */
  take(): readonly JobEvent[];
}

/** Events still to be written: the highest progress, and the newest logs up to the cap. */
function createBuffer(): EventBuffer {
  let events: JobEvent[] = [];
  let dropped = 0;
  return {
    add(event) {
      const waiting = event.type === 'progress' ? events.find((other) => other.type === 'progress') : undefined;
      if (event.type === 'progress' && waiting && event.progress <= waiting.progress) return false;
      if (waiting) events = events.filter((other) => other !== waiting);
      events.push(event);
      if (events.length > BUFFER_CAP) dropped += dropOldestLog(events);
      return true;
    },
    take() {
      const taken = withDropNotice(events, dropped);
      events = [];
      dropped = 0;
      return taken;
    },
  };
}

/** A total or progress that is no finite number would be stored as null, and make the whole record unreadable. */
function storable({ progress, total, message }: Progress): (JobEvent & { type: 'progress' }) | undefined {
  if (!Number.isFinite(progress)) return undefined;
  return {
    type: 'progress',
    progress,
    ...(Number.isFinite(total) && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

/** Progress stays: it is the only one, and it is what the client waits for. */
function dropOldestLog(events: JobEvent[]): number {
  const oldest = events.findIndex((event) => event.type === 'log');
  return events.splice(oldest, 1).length;
}

function withDropNotice(events: readonly JobEvent[], dropped: number): readonly JobEvent[] {
  if (dropped === 0) return events;
  const data = { message: `${dropped} older log messages were dropped because they came too fast` };
  return [{ type: 'log', level: 'warning', logger: 'longhaul', data }, ...events];
}
