/** Says whether anybody takes the jobs of this installation: the workers beside this process, or others. */
import { settlesWithin } from './core/lifecycle.js';
import type { Complaint, Readiness } from './core/trouble.js';
import type { LazyBackend } from './lazy-backend.js';
import type { Supervisor } from './supervisor.js';

/** See `createStaffing`. */
export interface Staffing {
  /** What is amiss with the workers beside this process; a mere warning where others take the jobs. */
  complaint(): Promise<Complaint | undefined>;
  /** The readiness of the queue, and of those who serve it. */
  readiness(): Promise<Readiness>;
}

const LOOK_LIMIT_MS = 900;

/** Builds it. Other workers are only looked for where the own ones do not start, so that it costs nothing usually. */
export function createStaffing(supervisor: Pick<Supervisor, 'trouble'>, backend: LazyBackend): Staffing {
  const othersBeat = async (): Promise<boolean> => {
    const looking = backend.getIfOpen().then(({ presence }) => presence.workers());
    // Whoever cannot look must not say that there is nobody.
    if (!(await settlesWithin(looking, LOOK_LIMIT_MS))) return true;
    return looking.then(
      (workers) => workers.length > 0,
      () => true,
    );
  };
  const complaint = async (): Promise<Complaint | undefined> => {
    const trouble = supervisor.trouble();
    if (!trouble) return undefined;
    return (await othersBeat()) ? { ...trouble, status: 'warn' } : trouble;
  };
  return {
    complaint,
    async readiness() {
      const [queue, own] = await Promise.all([backend.readiness(), complaint()]);
      if (!own) return queue;
      return { ready: queue.ready && own.status !== 'fail', complaints: [...queue.complaints, own] };
    },
  };
}
