/** Parts sources for questions: never within a line, and rather where the code itself pauses. */
import type { Source, SourceLine } from './source.js';

/** The lines of one file that one question shows. */
export interface Part {
  readonly source: Source;
  readonly lines: readonly SourceLine[];
}

/** What one question shows: a part of a file, or several small files. */
export interface Chunk {
  /** From 1. */
  readonly number: number;
  readonly parts: readonly Part[];
  readonly tokens: number;
}

/** Tokens of code in one question: small enough that a model looks at every line. */
export const CHUNK_TOKENS = 8_000;
/** A cautious estimate: dense code has about three characters a token. */
const CHARS_PER_TOKEN = 3;
/** The line's number and bar. */
const GUTTER_TOKENS = 3;
/** A better place to part is looked for in this last share of a part. */
const LOOK_BACK = 0.25;

/** Parts the sources, in order; every line is in exactly one chunk. A single line over the limit is a part of its own. */
export function chunksOf(sources: readonly Source[], limit: number = CHUNK_TOKENS): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let parts: Part[] = [];
  let tokens = 0;
  const close = () => {
    if (parts.length > 0) chunks.push({ number: chunks.length + 1, parts, tokens });
    parts = [];
    tokens = 0;
  };
  for (const part of sources.flatMap((source) => partsOf(source, limit))) {
    const size = sizeOf(part.lines);
    if (tokens + size > limit) close();
    parts.push(part);
    tokens += size;
  }
  close();
  return chunks;
}

function partsOf(source: Source, limit: number): Part[] {
  const { lines } = source;
  const parts: Part[] = [];
  let start = 0;
  while (start < lines.length) {
    const full = endWithin(lines, start, limit);
    const end = full === lines.length ? full : pauseBefore(lines, start, full);
    parts.push({ source, lines: lines.slice(start, end) });
    start = end;
  }
  return parts;
}

/** How far the limit reaches: at least one line. */
function endWithin(lines: readonly SourceLine[], start: number, limit: number): number {
  let tokens = 0;
  for (let at = start; at < lines.length; at++) {
    tokens += tokensOf(lines[at]);
    if (tokens > limit && at > start) return at;
  }
  return lines.length;
}

/** The best place to part in the last share of the range: before unindented code after a blank line, after a blank line, before unindented code. */
function pauseBefore(lines: readonly SourceLine[], start: number, end: number): number {
  const earliest = Math.max(start + 1, end - Math.floor((end - start) * LOOK_BACK));
  let best = { at: end, worth: 0 };
  for (let at = end; at >= earliest; at--) {
    const worth = worthOf(lines[at - 1]?.text ?? '', lines[at]?.text ?? '');
    if (worth > best.worth) best = { at, worth };
  }
  return best.at;
}

function worthOf(before: string, next: string): number {
  const blank = before.trim() === '';
  const outermost = /^[^\s})\]]/.test(next);
  return (blank ? 2 : 0) + (outermost ? 1 : 0);
}

function sizeOf(lines: readonly SourceLine[]): number {
  return lines.reduce((sum, line) => sum + tokensOf(line), 0);
}

function tokensOf(line: SourceLine | undefined): number {
  return Math.ceil((line?.text.length ?? 0) / CHARS_PER_TOKEN) + GUTTER_TOKENS;
}
