/** How the bytes of a file become a text: byte order marks, UTF-16, line ends, and what is no text at all. */
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../workers/analysis/decode.js';
import { figures, measure } from './measure.js';

function decode(content: string | Buffer): string | undefined {
  const bytes = Buffer.from(content);
  const range = decodeText(Buffer.concat([bytes, Buffer.from('\r\n')]), bytes.length);
  return range?.bytes.toString('utf8', range.start, range.end);
}

const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

describe('a text', () => {
  it.each([
    ['lone returns end the lines of a text whose first line ends with one', 'a\r// b\r\rc', 'a\n// b\n\nc'],
    ['even where a pair of both ends a later line', 'a\rb\r\nc\r', 'a\nb\r\nc\n'],
    ['a return that stands last ends its line', 'a\r', 'a\n'],
    ['a blank first line may tell as well', '\r\ra', '\n\na'],
    ['pairs stay pairs', 'a\r\nb\r\n', 'a\r\nb\r\n'],
    ['a pair that was converted twice is one line end', 'a\r\r\nb\r\r\n', 'a\r\r\nb\r\r\n'],
    ['a stray return is white space where lines end otherwise', 'a\nb\rc\n', 'a\nb\rc\n'],
    ['no return behind the end is looked at', 'a', 'a'],
  ])('%s', (_rule, content, expected) => {
    expect(decode(content)).toBe(expected);
    expect(decode(`\uFEFF${content}`)).toBe(expected);
    expect(decode(utf16(content))).toBe(expected);
    expect(decode(utf16(content).swap16())).toBe(expected);
  });

  it('may hold a lone half of a pair in UTF-16, and an odd byte at its end', () => {
    expect(decode(Buffer.concat([utf16('a\nb'), Buffer.from([0x41])]))).toBe('a\nb');
    expect(decode(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]))).toBe('\ufffdA');
    expect(decode(Buffer.from([0xff, 0xfe]))).toBe('');
  });

  it('is none where a NUL stands in its head, as git has it', () => {
    expect(decode('a\0')).toBeUndefined();
    expect(decode(`${'x'.repeat(8192)}\0`)).toHaveLength(8193);
  });

  it('whose lines end with lone returns counts as one of newlines', () => {
    const text = '#!/usr/bin/env python3\n"""Doc.\n\n"""\nx = 1  # y\n\n# z\n';

    expect(figures(measure('a.py', text))).toBe('1/5/1');
    expect(measure('a.py', text.replaceAll('\n', '\r'))).toEqual(measure('a.py', text));
    expect(measure('tool', text.replaceAll('\n', '\r')).language).toBe('Python');
  });
});
