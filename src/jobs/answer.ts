/** Answers a question of a job: stored first, then the job is woken. */
import type { JobId } from '../core/ids.js';
import type { StoredReply } from '../core/input.js';
import type { Answering } from '../core/ports.js';
import type { JobPorts } from './job-ports.js';
import { redactReply } from './redact-stored.js';

/** Which question gets which reply. */
export interface AnswerRequest {
  readonly id: JobId;
  readonly key: string;
  readonly reply: StoredReply;
}

/**
 * Stores the first reply and promotes the job. A job that is only about to park is not delayed yet, so nothing is
 * promoted: its worker looks for replies once more after parking it. A late reply promotes as well, since whoever stored
 * the first may have died before it woke the job; a run that finds nothing new parks again.
 */
export async function answerJob(ports: JobPorts, { id, key, reply }: AnswerRequest): Promise<Answering> {
  return storeReply(ports, { id, key, reply: await redactReply(ports.redactor, reply) });
}

/** As `answerJob`, for a reply that is without secrets already. */
export async function storeReply(
  ports: Pick<JobPorts, 'mailbox' | 'store' | 'queue'>,
  { id, key, reply }: AnswerRequest,
): Promise<Answering> {
  const answering = await ports.mailbox.answer(id, key, reply);
  if (answering !== 'stored' && answering !== 'late') return answering;
  const record = await ports.store.get(id);
  if (record) await ports.queue.promote(id, record.seed.queue);
  return answering;
}
