/** JSON packed into text, for lists of paths that travel through the queue or lie in the journal. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { JsonValue } from '../../src/core/json.js';

/** Packs a value; paths of one tree shrink to about a tenth. */
export function pack(value: JsonValue): string {
  return deflateRawSync(JSON.stringify(value)).toString('base64');
}

/** The value that was packed. */
export function unpack(packed: string): JsonValue {
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString());
}
