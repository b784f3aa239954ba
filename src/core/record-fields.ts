/** Reads a job's record from the flat text fields it is stored as. */
import { z } from 'zod';
import { AppError } from './errors.js';
import { progressSchema } from './events.js';
import { HAND_OFF_STATES } from './hand-off.js';
import { AWAITED, attemptFaultSchema, JOB_STATES, type JobRecord, jobSeedSchema, RECORD_VERSION } from './job.js';

const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);
const number = z.coerce.number();

const fieldsSchema = z.object({
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
  handOff: z.enum(HAND_OFF_STATES).optional(),
  handOffKey: z.string().optional(),
  awaits: z.enum(AWAITED).optional(),
});

const versionSchema = z.object({ v: z.number() });

/**
 * Parses the fields; undefined for none, which is how a store answers for a missing record. Throws `unsupported_record` for one
 * of a newer version, whatever its shape.
 */
export function recordFromFields(fields: Readonly<Record<string, string>>): JobRecord | undefined {
  if (fields.state === undefined) return undefined;
  const version = versionSchema.safeParse(JSON.parse(fields.seed ?? 'null')).data?.v ?? 0;
  if (version > RECORD_VERSION) throw newerRecord(version);
  const parsed = fieldsSchema.parse(fields);
  return dropUndefined(parsed);
}

function newerRecord(version: number): AppError {
  return new AppError(
    'unsupported_record',
    `The job was stored by a newer version of Longhaul (as version ${version}; this server reads up to ${RECORD_VERSION}). ` +
      'It is left alone and goes on where that version runs: ask a server of that version, or upgrade this one.',
  );
}

/** `exactOptionalPropertyTypes` tells a missing field from an undefined one; zod's `optional` does not. */
function dropUndefined(parsed: z.infer<typeof fieldsSchema>): JobRecord {
  const { progress, startedAtMs, endedAtMs, expiresAtMs, workerId, handOff, handOffKey, awaits, ...rest } = parsed;
  return {
    ...rest,
    ...(progress && { progress }),
    ...(startedAtMs !== undefined && { startedAtMs }),
    ...(endedAtMs !== undefined && { endedAtMs }),
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    ...(workerId !== undefined && { workerId }),
    ...(awaits && { awaits }),
    ...(handOff && handOffKey !== undefined && { handOff: { key: handOffKey, state: handOff } }),
  };
}
