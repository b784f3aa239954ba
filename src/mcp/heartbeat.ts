/** Says where a job stands whenever its call has heard nothing for a while. */
import type { Abortable } from '../core/abort.js';
import { AppError } from '../core/errors.js';
import type { JobView } from '../jobs/inspect.js';
import type { Attachment } from './call.js';
import type { CallProgress } from './call-progress.js';

/** The first word on a job that does not start at once. */
const FIRST_HEARTBEAT_MS = 1_000;

/**
 * Starts the heartbeat, which comes as often as the front end keeps streams alive, so that no client gives up; where nobody is
 * there to run its job it gives the call up, with why. `stop` must be called when the call is over.
 */
export function startHeartbeat(
  { call, jobs, id }: Attachment,
  progress: CallProgress,
  following: Pick<Abortable, 'abort'>,
): { stop(): void } {
  const startedMs = Date.now();
  const isDue = (): boolean => {
    const silentMs = progress.silentForMs();
    return silentMs > Date.now() - startedMs || silentMs >= call.frontEnd.keepAliveMs;
  };
  const tell = async (): Promise<void> => {
    try {
      const view = await jobs.inspect(id, call.connection.principal);
      const why = view.record.state === 'waiting' ? await call.frontEnd.unstaffed() : undefined;
      if (why !== undefined)
        following.abort(noWorker(why, 'It is kept, and runs as soon as there is one; get_job tells.'));
      // The job may have told of itself meanwhile.
      if (isDue()) progress.heartbeat(standing(view));
    } catch {
      progress.heartbeat('the queue is out of reach; the job is safe and this call waits for it');
    }
  };
  let busy = false;
  const timer = setInterval(() => {
    if (busy || !isDue()) return;
    busy = true;
    tell().finally(() => {
      busy = false;
    });
  }, FIRST_HEARTBEAT_MS);
  return { stop: () => clearInterval(timer) };
}

/** The error of a job that nobody is there to run. */
export function noWorker(why: string, then: string): AppError {
  return new AppError(
    'no_worker',
    `No worker takes the job: ${why}. ${then} The operator finds more in the log and at /readyz.`,
  );
}

function standing({ record, position }: JobView): string {
  switch (record.state) {
    case 'waiting':
      return position === undefined ? 'queued' : `queued, position ${position}`;
    case 'delayed':
      return `attempt ${record.attempt} failed; waiting before the next`;
    case 'parked':
      return 'waiting for an answer';
    default:
      return record.progress?.message ?? 'running';
  }
}
