/** Reads strings that are split over lines as the one string they are, and knows where each part stood. */

/**
 * A joint: a string's end, a joining sign or none, a line break and the next string's beginning; the same on one line with a
 * joining sign; or a line continued by a backslash.
 */
const JOINT =
  /(["'`])[ \t]{0,80}(?:\+|\.{1,2}|&|\\)?[ \t]{0,80}\r?\n[ \t]{0,200}(?:\+|\.{1,2}|&)?[ \t]{0,8}\1|(["'`])[ \t]{0,8}[+.&][ \t]{0,8}\2|\\\r?\n[ \t]{0,200}/g;

/** A text without its joints. */
export interface JoinedText {
  readonly text: string;
  /** The parts of a stretch of the joined text, in the text as it was given. */
  parts(start: number, end: number): readonly (readonly [start: number, end: number])[];
}

interface Joint {
  /** Where in the joined text it was taken out. */
  readonly at: number;
  /** Where the text goes on as it was given. */
  readonly resumesAt: number;
  readonly startsAt: number;
}

/** Joins; a text without joints is itself. */
export function joinLines(given: string): JoinedText {
  const joints: Joint[] = [];
  let text = '';
  let from = 0;
  for (const { index, 0: joint } of given.matchAll(JOINT)) {
    text += given.slice(from, index);
    from = index + joint.length;
    joints.push({ at: text.length, startsAt: index, resumesAt: from });
  }
  if (joints.length === 0) return { text: given, parts: (start, end) => [[start, end]] };
  text += given.slice(from);
  return { text, parts: (start, end) => partsOf(joints, start, end) };
}

function partsOf(joints: readonly Joint[], start: number, end: number): [number, number][] {
  const first = countUpTo(joints, start);
  const before = joints[first - 1];
  let from = before ? before.resumesAt + (start - before.at) : start;
  const parts: [number, number][] = [];
  let index = first;
  for (let joint = joints[index]; joint && joint.at < end; joint = joints[++index]) {
    parts.push([from, joint.startsAt]);
    from = joint.resumesAt;
  }
  const last = joints[index - 1];
  parts.push([from, last ? last.resumesAt + (end - last.at) : end]);
  return parts;
}

/** How many joints lie at or before a place of the joined text. */
function countUpTo(joints: readonly Joint[], place: number): number {
  let low = 0;
  let high = joints.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((joints[middle]?.at ?? Number.POSITIVE_INFINITY) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}
