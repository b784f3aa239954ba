/** Reads a job's record from the fields of its Redis hash. */
import { z } from 'zod';
import { progressSchema } from '../core/events.js';
import { attemptFaultSchema, JOB_STATES, type JobRecord, jobSeedSchema } from '../core/job.js';

const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);
const number = z.coerce.number();

const hashSchema = z.object({
  seed: json(jobSeedSchema),
  state: z.enum(JOB_STATES),
  attempt: number,
  crashes: number,
  faults: json(z.array(attemptFaultSchema)).default([]),
  progress: json(progressSchema).optional(),
  startedAtMs: number.optional(),
  endedAtMs: number.optional(),
  expiresAtMs: number.optional(),
  workerId: z.string().optional(),
});

/** Parses the hash; undefined for an empty one, which is how Redis answers for a missing key. */
export function recordFromHash(hash: Readonly<Record<string, string>>): JobRecord | undefined {
  if (hash.state === undefined) return undefined;
  const parsed = hashSchema.parse(hash);
  return dropUndefined(parsed);
}

/** `exactOptionalPropertyTypes` tells a missing field from an undefined one; zod's `optional` does not. */
function dropUndefined(parsed: z.infer<typeof hashSchema>): JobRecord {
  const { progress, startedAtMs, endedAtMs, expiresAtMs, workerId, ...rest } = parsed;
  return {
    ...rest,
    ...(progress && { progress }),
    ...(startedAtMs !== undefined && { startedAtMs }),
    ...(endedAtMs !== undefined && { endedAtMs }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(workerId !== undefined && { workerId }),
  };
}
