/** Turns reported findings into placed ones: each in its file, on its line, said once, and named. */
import { type Finding, type ReportedFinding, worstFirst } from '../../src/core/finding.js';
import { type Anchor, createAnchor } from './anchor.js';
import { dedupe, type PlacedFinding } from './dedupe.js';
import type { Source } from './source.js';

/** Findings as they were reported, and the files whose code was shown with the question. */
export interface Reported {
  readonly findings: readonly ReportedFinding[];
  readonly shown: readonly Source[];
}

/** A finding that is not told as one, and why. */
export interface LeftOut {
  readonly title: string;
  readonly severity: ReportedFinding['severity'];
  readonly file?: string;
  readonly line?: number;
  readonly reason: string;
}

/** What placing came to. */
export interface Placed {
  readonly findings: readonly Finding[];
  readonly leftOut: readonly LeftOut[];
}

/** Places findings; each source is prepared once, however many findings it has. */
export function createPlacer(): (reported: readonly Reported[]) => Placed {
  const anchors = new Map<Source, Anchor>();
  const anchorOf = (source: Source): Anchor => {
    const anchor = anchors.get(source) ?? createAnchor(source);
    anchors.set(source, anchor);
    return anchor;
  };
  return (reported) => {
    const placed: PlacedFinding[] = [];
    const leftOut: LeftOut[] = [];
    for (const { findings, shown } of reported) {
      for (const finding of findings) {
        const place = placeIn(candidatesOf(finding, shown), finding, anchorOf);
        if ('reason' in place) leftOut.push(leftOutOf(finding, place.reason));
        else placed.push(place);
      }
    }
    const sorted = [...dedupe(placed)].sort(worstFirst);
    return { findings: sorted.map((finding, index) => ({ id: `F${index + 1}`, ...finding })), leftOut };
  };
}

/** What is lacking where issues were reported and not one of them can be told: the code was not found to be without. */
export function lacksOf({ findings, leftOut }: Placed): string[] {
  if (findings.length > 0 || leftOut.length === 0) return [];
  const none = leftOut.length === 1 ? 'The one reported issue is' : `None of the ${leftOut.length} reported issues is`;
  const reason =
    leftOut.length === 1 ? 'not told, since it could not be placed' : 'told, since they could not be placed';
  return [`${none} ${reason} in the code. That is no sign that there are no issues.`];
}

/** A finding that is left out, as it is told. */
export function leftOutOf(
  { title, severity, file, line }: Pick<ReportedFinding, 'title' | 'severity' | 'file' | 'line'>,
  reason: string,
): LeftOut {
  return { title, severity, ...(file !== undefined && { file }), ...(line !== undefined && { line }), reason };
}

/** The file by its name or the end of it; all that were shown if none is named, or one that was not shown. */
function candidatesOf({ file }: ReportedFinding, shown: readonly Source[]): readonly Source[] {
  if (file === undefined || shown.length === 1) return shown;
  const wanted = file.replace(/^\.?\//, '');
  const named = shown.filter(
    ({ path }) => path === wanted || path.endsWith(`/${wanted}`) || wanted.endsWith(`/${path}`),
  );
  return named.length > 0 ? named : shown;
}

/** Placed in the one file that holds the quote; which of several it is, nobody can say. */
function placeIn(
  candidates: readonly Source[],
  finding: ReportedFinding,
  anchorOf: (source: Source) => Anchor,
): PlacedFinding | { readonly reason: string } {
  const reasons: string[] = [];
  const places: PlacedFinding[] = [];
  for (const source of candidates) {
    const anchored = anchorOf(source)(finding);
    if ('dropped' in anchored) reasons.push(anchored.dropped);
    else {
      const { file: _file, line: _line, endLine: _endLine, ...rest } = finding;
      const { line, endLine, quote } = anchored;
      places.push({ ...rest, file: source.path, line, endLine, quote });
    }
  }
  const [place, ...others] = places;
  if (place && others.length === 0) return place;
  if (place) return { reason: 'the quote is in several files' };
  return { reason: reasons[0] ?? 'there is no such file' };
}
