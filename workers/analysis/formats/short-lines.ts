/** Guards readers that go by lines: no line that a person writes is so long that searching it could take time. */
import { FormatFault } from './fault.js';

const MOST_CHARACTERS = 4000;

/** The lines of a text; throws a `FormatFault` that names the first overlong one. */
export function shortLines(text: string): string[] {
  const lines = text.split('\n');
  const long = lines.findIndex(({ length }) => length > MOST_CHARACTERS);
  if (long < 0) return lines;
  throw new FormatFault(`A line is longer than ${MOST_CHARACTERS} characters: nobody wrote this by hand.`, {
    line: long + 1,
  });
}
