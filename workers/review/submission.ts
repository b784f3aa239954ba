/** Judges what a calling model submitted just as an answer of a client's model: each item by itself, placed, once, capped. */
import { z } from 'zod';
import type { Finding } from '../../src/core/finding.js';
import type { JsonValue } from '../../src/core/json.js';
import { createPlacer, type LeftOut, lacksOf } from './place-findings.js';
import { FINDINGS_FORM, SCORES_FORM } from './review-forms.js';
import { judge, NO_SCORES, type Scores } from './scores.js';
import type { Source } from './source.js';

/** What a submission came to. */
export interface Submitted {
  /** Whether it holds a list of findings, of which one can be used or which is empty. */
  readonly read: boolean;
  readonly findings: readonly Finding[];
  readonly leftOut: readonly LeftOut[];
  readonly scores: Scores;
  readonly verdict?: string;
  /** What of it cannot be used. */
  readonly lacks: readonly string[];
  readonly notes: readonly string[];
}

const submission = z.looseObject({
  findings: z.unknown().optional(),
  scores: z.unknown().optional(),
  summary: z.string().optional().catch(undefined),
});

/** Reads a submission about these sources. */
export function readSubmission(value: JsonValue, sources: readonly Source[]): Submitted {
  const given = submission.safeParse(value).data ?? {};
  const read = FINDINGS_FORM.read({ findings: given.findings });
  const faults = read.ok ? read.faults : [read.fault];
  const placed = createPlacer()([{ findings: read.ok ? read.value : [], shown: sources }]);
  const scored = given.scores === undefined ? undefined : SCORES_FORM.read(given);
  const judged = scored?.ok ? judge(placed.findings, scored.value) : undefined;
  const scoreFaults = scored ? (scored.ok ? scored.faults : [scored.fault]) : [];
  const verdict = (given.summary ?? '').trim().slice(0, 4_000);
  return {
    read: read.ok,
    findings: placed.findings,
    leftOut: placed.leftOut,
    scores: judged?.scores ?? NO_SCORES,
    ...(verdict !== '' && { verdict }),
    lacks: [
      ...lacksOf(placed),
      ...[...faults, ...scoreFaults].map(
        ({ path, message }) => `Of what was submitted ${path} cannot be used: ${message}.`,
      ),
    ],
    notes: judged?.notes ?? [],
  };
}
