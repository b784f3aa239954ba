/** Job ids and principals: who may name a job, and how it is named. */
import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** A job's id: `job_` and 26 characters of Crockford base32 holding 130 random bits, so it can be used as a capability. */
export const jobIdSchema = z
  .string()
  .regex(/^job_[0-9a-hjkmnp-tv-z]{26}$/, 'a job id looks like job_ followed by 26 letters and digits')
  .brand<'JobId'>();

/** A job's id; made by `newJobId`, parsed by `jobIdSchema`. */
export type JobId = z.infer<typeof jobIdSchema>;

/** Who owns a job: `local` for the single user of a machine, otherwise a configured name. */
export type Principal = string;

/** The single user of a machine: whoever calls over stdio, or over HTTP without tokens. */
export const LOCAL_PRINCIPAL: Principal = 'local';

/** Crockford's base32, in lower case. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Makes an unguessable job id (130 random bits, no `:` and never all digits, which BullMQ would refuse). */
export function newJobId(): JobId {
  return jobIdFrom(randomBytes(26));
}

/** The id that 26 bytes spell, by five bits of each; as hard to guess as they are. */
export function jobIdFrom(bytes: Uint8Array): JobId {
  const letters = Array.from(bytes, (byte) => ALPHABET.charAt(byte & 31));
  return jobIdSchema.parse(`job_${letters.join('')}`);
}

/** Names that come with every call are fingerprinted once, as long as there are no more of them than this, none longer. */
const REMEMBERED = 1_000;
const REMEMBERED_CHARACTERS = 200;

/** Builds a `fingerprint` that remembers what it was asked of late. */
export function createFingerprints(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = fingerprint(text);
    if (text.length > REMEMBERED_CHARACTERS) return made;
    if (known.size >= REMEMBERED) known.clear();
    known.set(text, made);
    return made;
  };
}

/** Fingerprints any text as 32 hex characters (SHA-256, cut): for key names and comparison, not for secrets. */
export function fingerprint(text: string): string {
  return hash('sha256', text).slice(0, 32);
}
