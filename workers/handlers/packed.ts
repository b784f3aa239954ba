/** JSON packed into text, for lists of paths that travel through the queue or lie in the journal. */
import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';
import type { JsonValue } from '../../src/core/json.js';

/** The fastest: higher levels save a third of some hundred kilobytes for thrice the time. */
const LEVEL = 1;

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Packs a value; paths of one tree shrink to about a seventh. */
export function pack(value: JsonValue): string {
  return deflateRawSync(JSON.stringify(value), { level: LEVEL }).toString('base64');
}

/** The value that was packed. */
export function unpack(packed: string): JsonValue {
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString());
}

/** As `pack`, for a value of megabytes: what takes longest happens beside the event loop. */
export async function packLarge(value: JsonValue): Promise<string> {
  return (await deflate(JSON.stringify(value), { level: LEVEL })).toString('base64');
}

/** As `unpack`, for a value of megabytes. */
export async function unpackLarge(packed: string): Promise<JsonValue> {
  return JSON.parse((await inflate(Buffer.from(packed, 'base64'))).toString());
}
