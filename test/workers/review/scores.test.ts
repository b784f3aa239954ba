/** Scores and repeats: what a model may change of a review's findings, and what it may not. */
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/finding.js';
import { dedupe, type PlacedFinding } from '../../../workers/review/dedupe.js';
import { SCORES_FORM } from '../../../workers/review/review-forms.js';
import { judge } from '../../../workers/review/scores.js';

const finding = (id: string, more: Partial<Finding> = {}): Finding => ({
  id,
  file: 'a.ts',
  line: 1,
  endLine: 1,
  quote: 'eval(x)',
  severity: 'high',
  category: 'security',
  title: 'eval of input',
  message: 'm',
  ...more,
});
const TEN = { security: 10, correctness: 10, performance: 10, readability: 10 };
const judgement = (scores: object = TEN, drop: { findingId: string; reason: string }[] = []) => ({
  scores: { ...TEN, ...scores },
  summary: '',
  drop,
});

describe('a score', () => {
  it.each([
    ['critical', 2, 3],
    ['high', 4, 5],
    ['medium', 7, 8],
    ['low', 9, 9],
  ] as const)('is capped by a %s finding: its category at %i, the whole at %i', (severity, security, overall) => {
    const { scores, notes } = judge([finding('F1', { severity })], judgement());
    expect(scores).toEqual({ ...TEN, security, overall });
    expect(notes.join()).toContain(`security was lowered from 10 to ${security}`);
  });

  it('may be lower than its cap, never higher', () => {
    expect(judge([finding('F1')], judgement({ security: 1 })).scores.security).toBe(1);
    expect(judge([], judgement()).scores).toEqual({ ...TEN, overall: 10 });
  });

  it('that was not given is null, and so is the whole without any', () => {
    const none = { security: null, correctness: null, performance: null, readability: null };
    expect(judge([finding('F1')], judgement(none)).scores).toEqual({ ...none, overall: null });
    expect(judge([], judgement({ ...none, security: 7 })).scores).toEqual({ ...none, security: 7, overall: 7 });
  });

  it.each([0, 11, 7.5, '8', true, {}])('that is %j is null and a fault', (security) => {
    const read = SCORES_FORM.read({ scores: { ...TEN, security }, summary: 's', drop: [] });
    expect(read).toMatchObject({
      ok: true,
      value: { scores: { ...TEN, security: null } },
      faults: [{ path: 'scores.security' }],
    });
  });

  it.each([null, [], {}, { summary: 'fine' }, { scores: 10 }])('is not read from %j', (json) => {
    expect(SCORES_FORM.read(json)).toMatchObject({ ok: false });
  });
});

describe('a finding', () => {
  it('is dropped by its id, with a reason, and then caps nothing', () => {
    const drop = [{ findingId: 'F1', reason: 'x is a constant' }];
    const judged = judge([finding('F1'), finding('F2', { severity: 'low' })], judgement({}, drop));
    expect(judged.findings.map(({ id }) => id)).toEqual(['F2']);
    expect(judged.dropped).toMatchObject([{ finding: { id: 'F1' }, reason: 'x is a constant' }]);
    expect(judged.scores.security).toBe(9);
  });

  it('that there is not cannot be dropped', () => {
    const judged = judge([finding('F1')], judgement({}, [{ findingId: 'F9', reason: 'no' }]));
    expect(judged.findings).toHaveLength(1);
    expect(judged.notes.join()).toContain('dropped 1 findings that there are not');
  });

  it('is not dropped without a reason', () => {
    const read = SCORES_FORM.read({ scores: TEN, drop: [{ finding_id: 'F1' }, { finding_id: 'F2', reason: ' ' }] });
    expect(read).toMatchObject({ ok: true, value: { drop: [] }, faults: [{ path: 'drop.0.reason' }, {}] });
  });
});

describe('of findings that say the same', () => {
  const placed = (more: Partial<PlacedFinding> = {}): PlacedFinding => {
    const { id: _id, ...rest } = finding('F1');
    return { ...rest, ...more };
  };
  it.each([
    ['the same place and quote', {}, { title: 'something else' }],
    [
      'overlapping places and alike titles',
      { line: 1, endLine: 5 },
      { line: 4, endLine: 9, quote: 'x', title: 'Eval of the input' },
    ],
    ['blanks alone between them', {}, { quote: ' eval(x)\n', title: 'other' }],
  ])('one is kept: %s', (_how, a, b) => {
    expect(dedupe([placed(a), placed(b)])).toEqual([placed(a)]);
  });

  it('the graver one is kept, in the place of the first', () => {
    const kept = dedupe([
      placed({ severity: 'low' }),
      placed({ line: 7, endLine: 7 }),
      placed({ severity: 'critical' }),
    ]);
    expect(kept.map(({ severity, line }) => [severity, line])).toEqual([
      ['critical', 1],
      ['high', 7],
    ]);
  });

  it.each([
    ['another file', { file: 'b.ts' }],
    ['another kind', { category: 'performance' as const }],
    ['another place', { line: 2, endLine: 2 }],
    ['another fault of the same line', { quote: 'query(x)', title: 'SQL injection' }],
  ])('none is, for it is %s', (_what, other) => {
    expect(dedupe([placed(), placed(other)])).toHaveLength(2);
  });
});
