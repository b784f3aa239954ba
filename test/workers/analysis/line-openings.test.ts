/** Whether a line opens with a known word: what one pattern a word says, said by one look at each byte. */
import { describe, expect, it } from 'vitest';
import { compileLineOpenings } from '../../../workers/analysis/line-openings.js';

const WORDS = ['class', '@class', '@end', 'clock:', 'public:', '#include <map>', '#import'];
const opens = compileLineOpenings(WORDS);
const pattern = new RegExp(`^[^\\S\\n]*(?:${WORDS.join('|')})`, 'm');
const PIECES = [
  ...WORDS,
  ' ',
  '\t',
  '\n',
  '\r',
  '\f',
  '\v',
  '\xa0',
  'c',
  'cl',
  '#include <',
  'x',
  '@',
  ':',
  '\x85',
  '',
];

/** A text of pieces that a number chooses. */
function textOf(seed: number): string {
  let state = seed + 1;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return PIECES[(state >>> 8) % PIECES.length] ?? '';
  };
  return Array.from({ length: 1 + (seed % 12) }, next).join('');
}

describe('the openings of lines', () => {
  it('are found as a pattern finds them', () => {
    const texts = Array.from({ length: 20_000 }, (_, seed) => textOf(seed));
    const found = texts.map((text) => opens(Buffer.from(text, 'latin1'), text.length));

    expect(found.filter(Boolean).length).toBeGreaterThan(1000);
    expect(found.filter((one) => !one).length).toBeGreaterThan(1000);
    expect(texts.filter((text, index) => pattern.test(text) !== found[index])).toEqual([]);
  });

  it('are looked for up to the end that was given', () => {
    expect(opens(Buffer.from('x\nclass'), 6)).toBe(false);
    expect(opens(Buffer.from('x\nclass'), 7)).toBe(true);
    expect(opens(Buffer.from('x\nclas'), 4096)).toBe(false);
  });
});
