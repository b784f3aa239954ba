/** Guessing what a mistyped name was meant to be. */
import { describe, expect, it } from 'vitest';
import { nearestName, suggestion } from '../../src/core/nearest.js';

const KNOWN = ['include', 'exclude', 'path', 'max_file_bytes'];

describe('the nearest name', () => {
  it.each([
    ['inclde', 'include'],
    ['incldue', 'include'],
    ['INCLUDE', 'include'],
    ['paht', 'path'],
    ['maxFileBytes', 'max_file_bytes'],
    ['max_file_byte', 'max_file_bytes'],
    ['xclude', 'exclude'],
  ])('of %s is %s', (typed, meant) => {
    expect(nearestName(typed, KNOWN)).toBe(meant);
  });

  it.each(['colour', 'zzzzzzzz', 'directory'])('of %s is nothing: too much would have to change', (typed) => {
    expect(nearestName(typed, KNOWN)).toBeUndefined();
  });

  it('among no names is nothing', () => {
    expect(nearestName('path', [])).toBeUndefined();
  });
});

describe('a suggestion', () => {
  it('names the nearest, or else all that are known', () => {
    expect(suggestion('paht', KNOWN)).toBe('did you mean path?');
    expect(suggestion('colour', KNOWN)).toBe('known are include, exclude, path, max_file_bytes');
  });
});
