/** Makes one finding of several that say the same of the same place, whichever chunk or round they came from. */
import { type ReportedFinding, SEVERITIES } from '../../src/core/finding.js';

/** A finding with its place. */
export interface PlacedFinding extends Omit<ReportedFinding, 'file' | 'line' | 'endLine'> {
  readonly file: string;
  readonly line: number;
  readonly endLine: number;
}

/** Titles that share this part of their words say the same. */
const SAME_WORDS = 0.5;

/** The findings without repeats: of two, the graver is kept, or the earlier. Order is kept otherwise. */
export function dedupe(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  const kept: PlacedFinding[] = [];
  for (const finding of findings) {
    const known = kept.findIndex((other) => isSame(other, finding));
    const other = kept[known];
    if (other === undefined) kept.push(finding);
    else if (rank(finding) < rank(other)) kept[known] = finding;
  }
  return kept;
}

/** Two faults of one kind may share a line; they are one only if their quotes or their titles agree. */
function isSame(a: PlacedFinding, b: PlacedFinding): boolean {
  if (a.file !== b.file || a.category !== b.category) return false;
  if (a.line > b.endLine || b.line > a.endLine) return false;
  return squeeze(a.quote) === squeeze(b.quote) || overlap(wordsOf(a.title), wordsOf(b.title)) >= SAME_WORDS;
}

function rank({ severity }: PlacedFinding): number {
  return SEVERITIES.indexOf(severity);
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function wordsOf(title: string): ReadonlySet<string> {
  return new Set(title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** The shared part of the smaller set. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  const smaller = Math.min(a.size, b.size);
  return smaller === 0 ? 0 : shared / smaller;
}
