/** Ends a session for all front ends, and settles what its calls leave behind. */
import type { SessionEnd } from '../core/session-ports.js';
import type { FrontEnd } from './front-end.js';
import type { SessionLink } from './session-link.js';

/** What becomes of the jobs that calls of an ended session still wait for. */
export type SessionJobs = 'keep' | 'cancel';

const REASON = 'the session of its client ended';

/** Forgets the session; rejects if the store is away. Its jobs are seen to afterwards. */
export async function endSession(frontEnd: FrontEnd, link: SessionLink, policy: SessionJobs): Promise<void> {
  const end = await link.use((store) => store.end(link.session));
  if (!end) return;
  await link.tell({ kind: 'ended' }).catch(() => undefined);
  settle(frontEnd, end, policy).catch((err: unknown) =>
    frontEnd.log.warn({ err }, 'what an ended session left behind could not be settled'),
  );
}

/** Its questions are answered by nobody any more; a job that waits for one is told so. */
async function settle(frontEnd: FrontEnd, { principal, calls, questions }: SessionEnd, policy: SessionJobs) {
  const open = calls.flatMap(({ job }) => job ?? []);
  if (questions.length === 0 && (policy === 'keep' || open.length === 0)) return;
  const jobs = await frontEnd.jobs();
  for (const { job, key } of questions) {
    if (job !== undefined && key !== undefined) await jobs.answer(job, key, { kind: 'client_gone' });
  }
  if (policy === 'keep') return;
  await Promise.allSettled(open.map((job) => jobs.cancel(job, principal, REASON)));
}
