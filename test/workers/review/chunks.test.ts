/** Chunks hold every line once, whole, and part where the code pauses. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHUNK_TOKENS, chunksOf } from '../../../workers/review/chunks.js';
import { numbered, sourceOf } from '../../../workers/review/source.js';

const source = (text: string, path = 'a.ts') => sourceOf(path, 'TypeScript', text);
const textsOf = (chunks: ReturnType<typeof chunksOf>) =>
  chunks.flatMap(({ parts }) => parts.flatMap(({ lines }) => lines.map(({ text }) => text)));

describe('chunks', () => {
  it.each([50, 200, 1_000, CHUNK_TOKENS])('of %i tokens hold every line of a real file once, in order', (limit) => {
    const real = source(readFileSync(new URL('../../../workers/executor.ts', import.meta.url), 'utf8'));
    const chunks = chunksOf([real], limit);
    expect(textsOf(chunks)).toEqual(real.lines.map(({ text }) => text));
    for (const { parts, tokens } of chunks)
      if (parts.length > 1 || (parts[0]?.lines.length ?? 0) > 1) expect(tokens).toBeLessThanOrEqual(limit);
  });

  it('part before code that is not indented, after a blank line', () => {
    const block = (name: string) => [`function ${name}() {`, ...Array(10).fill('  work();'), '}', ''].join('\n');
    const text = ['a', 'b', 'c', 'd'].map(block).join('\n');
    const chunks = chunksOf([source(text)], 260);
    expect(chunks.length).toBeGreaterThan(1);
    for (const { parts } of chunks) expect(parts[0]?.lines[0]?.text).toMatch(/^function/);
  });

  it('never cut a line, however long it is', () => {
    const long = 'x'.repeat(100_000);
    const chunks = chunksOf([source(`a\n${long}\nb`)], 1_000);
    expect(textsOf(chunks)).toEqual(['a', long, 'b']);
    expect(chunks).toHaveLength(3);
  });

  it('hold several small files, and count from one', () => {
    const chunks = chunksOf([source('a', 'a'), source('b', 'b'), source('c\n'.repeat(200), 'c')], 300);
    expect(chunks.map(({ number, parts }) => [number, parts.map((part) => part.source.path)])).toEqual([
      [1, ['a', 'b']],
      [2, ['c']],
      [3, ['c']],
      [4, ['c']],
    ]);
  });

  it('of nothing are none', () => {
    expect(chunksOf([])).toEqual([]);
  });
});

describe('numbers', () => {
  it('stand before each line, as wide as the last, and show where a diff leaves lines out', () => {
    const lines = [
      { number: 9, text: 'old', added: false },
      { number: 10, text: 'new', added: true },
      { number: 40, text: 'far', added: false },
    ];
    expect(numbered(lines)).toBe(' 9 | old\n10 + new\n   |\n40 | far');
  });
});
