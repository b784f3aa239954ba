/** Hands in what a job that was handed over waits for; the first submission stands. */
import { isFinal, type JobRecord } from '../core/job.js';
import type { JsonValue } from '../core/json.js';
import { checkSize } from './admission.js';
import { storeReply } from './answer.js';
import { ownedRecord } from './inspect.js';
import type { Asker, JobPorts } from './job-ports.js';

/** What is handed in to which job, by whom. */
export interface HandInRequest {
  readonly id: string;
  readonly asker: Asker;
  readonly value: JsonValue;
}

/** What came of it: `already` means that an earlier submission stands; `not_awaited` that there was, or is, none to make. */
export type HandingIn = { readonly kind: 'taken' | 'already' | 'not_awaited'; readonly record: JobRecord };

/**
 * Stores the submission, without secrets, and wakes the job. Throws `job_not_found` for an unknown, expired or foreign one
 * alike, and `redaction_failed` for one that could not be searched in time; nothing is stored then. Harmless
 * when repeated: a job that has its submission is woken again, since whoever stored it may have died before that.
 */
export async function handIn(ports: JobPorts, { id, asker, value }: HandInRequest): Promise<HandingIn> {
  const record = await ownedRecord(ports, id, asker);
  const { handOff, seed, state } = record;
  if (!handOff || handOff.state === 'lapsed' || isFinal(state)) return judged(record, handOff?.key);
  checkSize(ports, value);
  // Unlike a client's answer, what cannot be searched for secrets is given back: its sender can send less.
  const reply = { kind: 'answered', value: await ports.redactor.redactJson(value) } as const;
  const answering = await storeReply(ports, { id: seed.id, key: handOff.key, reply });
  const after = await ownedRecord(ports, id, asker);
  return answering === 'stored' ? { kind: 'taken', record: after } : judged(after, handOff.key);
}

/** Somebody, or the deadline, or the end was first: the record tells which. A job is past a hand-off that it follows by another. */
function judged(record: JobRecord, key: string | undefined): HandingIn {
  const { handOff } = record;
  const submitted = handOff !== undefined && (handOff.state === 'submitted' || handOff.key !== key);
  return { kind: submitted ? 'already' : 'not_awaited', record };
}
