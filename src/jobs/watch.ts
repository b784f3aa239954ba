/** Follows a job's events: the log is the truth, wake-ups are only hints to read it. */
import { createBell } from '../core/bell.js';
import { LOG_START, type StoredEvent } from '../core/events.js';
import type { JobId } from '../core/ids.js';
import { isFinal } from '../core/job.js';
import { notFound } from './inspect.js';
import type { JobPorts } from './job-ports.js';
import { createPatience, type PatienceOptions } from './patience.js';

/** How to follow a job; an abort ends the watch, silently. */
export interface WatchOptions extends PatienceOptions {
  /** Read what came after this; the whole log if absent. */
  readonly cursor?: string;
  /** Whether the job was stored just now: then nobody need look whether it is there. */
  readonly isNew?: boolean;
}

const PAGE = 200;
/** A lost wake-up costs at most this; also notices a record that expired under the watcher. */
const RECHECK_MS = 5_000;

/** Yields events until the outcome; throws `job_not_found` if there is no such job, `queue_unavailable` after `patienceMs`. */
export async function* watchJob(ports: JobPorts, id: JobId, options: WatchOptions): AsyncGenerator<StoredEvent, void> {
  const bell = createBell();
  const attempt = createPatience(options);
  let listening: Promise<() => void> | undefined;
  let cursor = options.cursor ?? LOG_START;
  let isKnown = options.isNew === true;
  try {
    await attempt(() => {
      listening = ports.log.onWake(id, bell.ring);
      return listening;
    });
    while (!options.signal.aborted) {
      bell.reset();
      const page = (await attempt(() => ports.log.read(id, cursor, PAGE))) ?? [];
      // Only who is far behind can have been overtaken by what the log forgets.
      if (
        page.length === PAGE &&
        cursor !== LOG_START &&
        (await attempt(() => ports.log.keeps(id, cursor))) === false
      ) {
        yield missing(cursor, page);
      }
      yield* page;
      const last = page.at(-1);
      cursor = last?.cursor ?? cursor;
      if (last?.event.type === 'outcome') return;
      if (page.length === PAGE) continue;
      // Events say themselves that their job is there; where none came that must be found out, unless it is known.
      if (!last && !isKnown && (await attempt(() => endedBefore(ports, id, cursor)))) return;
      // Who rang meanwhile may have meant what was just read.
      isKnown = last !== undefined && bell.hasRung();
      await bell.heard(RECHECK_MS, options.signal);
    }
  } finally {
    // Not awaited: while Redis is away a subscription may still be under way, and is undone when it comes about.
    listening?.then(
      (stop) => stop(),
      () => undefined,
    );
  }
}

/** Takes the place of events that were forgotten before they were read; whoever reads on from it finds the same again. */
function missing(cursor: string, [next]: readonly StoredEvent[]): StoredEvent {
  const data = { message: 'older messages are missing here: more came than are kept, before they could be read' };
  return { cursor, atMs: next?.atMs ?? 0, event: { type: 'log', level: 'warning', logger: 'longhaul', data } };
}

/** Whether nothing can follow the cursor; a vanished record is an error. */
async function endedBefore(ports: JobPorts, id: JobId, cursor: string): Promise<boolean> {
  const record = await ports.store.get(id);
  if (!record) throw notFound(id);
  if (!isFinal(record.state)) return false;
  return (await ports.log.read(id, cursor, 1)).length === 0;
}
