/** Opaque page cursors of `list_jobs`: a place in the order, bound to the filter it was made for. */
import { z } from 'zod';
import { AppError } from '../core/errors.js';
import { fingerprint } from '../core/ids.js';
import type { ListQuery } from '../core/ports.js';

type Place = NonNullable<ListQuery['after']>;

const cursorSchema = z.tuple([z.literal(1), z.number(), z.string(), z.string()]);

/** Makes the cursor of the page after `place`, valid for the same `filter` only. */
export function writeCursor(place: Place, filter: unknown): string {
  return Buffer.from(JSON.stringify([1, place.createdAtMs, place.id, mark(filter)])).toString('base64url');
}

/** Reads a cursor; throws `cursor_invalid` for one that was not made here for this filter. */
export function readCursor(cursor: string, filter: unknown): Place {
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success || parsed.data[3] !== mark(filter)) {
    throw new AppError(
      'cursor_invalid',
      'cursor: not a cursor of this listing. Leave it out to start again from the first page.',
    );
  }
  return { createdAtMs: parsed.data[1], id: parsed.data[2] };
}

function mark(filter: unknown): string {
  return fingerprint(JSON.stringify(filter)).slice(0, 8);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
