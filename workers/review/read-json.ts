/** Reads the JSON of a model's answer, strictly: the whole text, or one fenced block, or nothing. */

/** What the text held, or why nothing can be read. */
export type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: string };

/** Characters of the longest answer that is looked at; no token limit of ours allows for more. */
const LONGEST = 1_000_000;

/** Reads the text. Prose around a fenced block is passed over; JSON within prose is not looked for. */
export function readJson(text: string): ReadJson {
  if (text.trim() === '') return { ok: false, fault: 'it is empty' };
  if (text.length > LONGEST) return { ok: false, fault: `it is longer than ${LONGEST} characters` };
  const block = fencedBlock(text);
  for (const candidate of block === undefined ? [text] : [text, block]) {
    try {
      return { ok: true, value: JSON.parse(candidate) };
    } catch {
      // The next candidate, or the verdict below.
    }
  }
  return { ok: false, fault: 'it is not the JSON that was asked for' };
}

/** From the first opening fence to the last closing one, since the JSON itself may hold fences in its strings. */
function fencedBlock(text: string): string | undefined {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => /^\s*```(json)?\s*$/i.test(line));
  const last = lines.findLastIndex((line) => /^\s*```\s*$/.test(line));
  return first >= 0 && last > first ? lines.slice(first + 1, last).join('\n') : undefined;
}
