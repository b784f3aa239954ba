/** Event ids: where in a stream a client is, as it says in `Last-Event-ID`. */

/** What a client was told of its job: the last job event, and the last progress. */
export interface Told {
  readonly cursor?: string | undefined;
  readonly progress?: number | undefined;
}

/** A place in a stream. */
export interface EventPlace {
  readonly stream: string;
  readonly number: number;
  /** Present once the log lacks an event that was sent: then only the client knows how far it has heard. */
  readonly told?: Told | undefined;
}

/** A number as `String` writes it: up to 21 digits, or up to 17 that count behind up to six zeros. */
const NUMBER = '-?\\d{1,22}(?:\\.\\d{1,24})?(?:e[+-]\\d{1,3})?';
const PLACE = new RegExp(`^([A-Za-z0-9_-]{3,40})\\.(\\d{1,15})(?:\\.(\\d{1,15}-\\d{1,15})?\\.(${NUMBER})?)?$`);

/** `stream.number`, and behind that `.cursor.progress` where the log does not have them. */
export function eventIdOf({ stream, number, told }: EventPlace): string {
  const place = `${stream}.${number}`;
  return told === undefined ? place : `${place}.${told.cursor ?? ''}.${told.progress ?? ''}`;
}

/** Reads an event id; undefined if it cannot be one of ours. */
export function placeOf(eventId: string): EventPlace | undefined {
  const [, stream, number, cursor, progress] = PLACE.exec(eventId) ?? [];
  if (stream === undefined) return undefined;
  const place = { stream, number: Number(number) };
  if (cursor === undefined && progress === undefined) return place;
  return { ...place, told: { cursor, ...(progress !== undefined && { progress: Number(progress) }) } };
}

/** The later of two ids of job events (`ms-seq`, as Redis makes them). */
export function laterCursor(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [[oneMs = 0, oneSeq = 0], [otherMs = 0, otherSeq = 0]] = [numbersOf(one), numbersOf(other)];
  return oneMs > otherMs || (oneMs === otherMs && oneSeq > otherSeq) ? one : other;
}

function numbersOf(cursor: string): number[] {
  return cursor.split('-').map(Number);
}
