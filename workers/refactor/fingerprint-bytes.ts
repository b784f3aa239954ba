/** Tells whether a file's content is what it was. */
import { createHash } from 'node:crypto';

/** The SHA-256 of bytes, in hex. */
export function fingerprintBytes(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
