/** Looks at a job on behalf of somebody who may see it. */
import { AppError } from '../core/errors.js';
import { preliminaryOf } from '../core/hand-off.js';
import { type JobId, jobIdSchema } from '../core/ids.js';
import { openIn } from '../core/input.js';
import { isFinal, type JobRecord, type Outcome } from '../core/job.js';
import type { JsonObject } from '../core/json.js';
import type { SectionSize } from '../core/table.js';
import type { Asker, JobPorts } from './job-ports.js';

/** A job as an observer sees it. */
export interface JobView {
  readonly record: JobRecord;
  /** 1 for the next to be taken; only while it waits in the queue. */
  readonly position?: number;
  /** Present once the job ended and its result has not expired. */
  readonly outcome?: Outcome;
  /** Tables beside the result of a completed job; see `readTable`. Absent if there are none. */
  readonly sections?: readonly SectionSize[];
  /** What was handed over, while a submission is waited for. */
  readonly handedOver?: HandedOver;
}

/** A hand-off that is waited for. */
export interface HandedOver {
  readonly preliminary: JsonObject;
  /** Epoch time at which the job goes on without a submission. */
  readonly deadlineMs: number;
}

/** Reads a job; throws `job_not_found` for an unknown, expired or foreign one alike. */
export async function inspectJob(ports: JobPorts, id: string, asker: Asker): Promise<JobView> {
  const record = await ownedRecord(ports, id, asker);
  const jobId = record.seed.id;
  if (isFinal(record.state)) {
    const [outcome, sections] = await Promise.all([ports.store.outcome(jobId), ports.tables.sections(jobId)]);
    return { record, ...(outcome && { outcome }), ...(sections.length > 0 && { sections }) };
  }
  if (record.state === 'active') return { record };
  if (record.state === 'parked') return inspectParked(ports, record);
  const position = await ports.queue.position(jobId, record.seed.queue);
  return { record, ...(position !== undefined && { position }) };
}

/** The places of those of the jobs that wait in a queue, 1 for the next to be taken. */
export async function positionsOf(
  ports: Pick<JobPorts, 'queue'>,
  records: readonly JobRecord[],
): Promise<ReadonlyMap<JobId, number>> {
  const waiting = records.filter(({ state }) => state === 'waiting').map(({ seed }) => seed);
  const queues = [...new Set(waiting.map(({ queue }) => queue))];
  const found = await Promise.all(
    queues.map((name) =>
      ports.queue.positions(
        waiting.flatMap(({ id, queue }) => (queue === name ? [id] : [])),
        name,
      ),
    ),
  );
  return new Map(found.flatMap((places) => [...places]));
}

async function inspectParked(ports: JobPorts, record: JobRecord): Promise<JobView> {
  const { seed, handOff } = record;
  if (!handOff) return { record };
  const open = openIn(await ports.mailbox.read(seed.id));
  // Whoever stored the submission may have died before it woke the job, and a hand-off's deadline is far away.
  if (open.length === 0) await ports.queue.promote(seed.id, seed.queue);
  const question = open.find(({ key }) => key === handOff.key);
  if (!question) return { record };
  return { record, handedOver: { preliminary: preliminaryOf(question), deadlineMs: question.deadlineMs } };
}

/** The record of a job the asker may see. */
export async function ownedRecord(ports: JobPorts, id: string, asker: Asker): Promise<JobRecord> {
  const parsed = jobIdSchema.safeParse(id);
  const record = parsed.success ? await ports.store.get(parsed.data) : undefined;
  if (!record || (asker !== undefined && record.seed.principal !== asker)) throw notFound(id);
  return record;
}

/** One error for unknown, expired and foreign jobs, so that nobody learns which ids exist. */
export function notFound(id: string | JobId): AppError {
  return new AppError(
    'job_not_found',
    `There is no job ${JSON.stringify(id.slice(0, 80))} here: the id is wrong, its result has expired, or it is not yours. ` +
      'Call list_jobs to see your jobs.',
  );
}
