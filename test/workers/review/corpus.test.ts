/** The ladder over a corpus of answers, with its figures: what is recovered, what is taken for whole, what for "no issues". */
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../workers/review/ladder/read-answer.js';
import { FINDINGS_FORM } from '../../../workers/review/review-forms.js';
import { ownMs } from '../../support/own-time.js';
import { MUST_FAIL, ODD, RECOVERABLE, type Sample, TRUNCATED } from './corpus.js';

const LIMIT_MS = 1_000;
const read = ({ answer }: Sample) => readAnswer(answer, FINDINGS_FORM, 'submit_findings');
const ALL = [...RECOVERABLE, ...TRUNCATED, ...MUST_FAIL, ...ODD];

describe('an answer that is', () => {
  it.each(RECOVERABLE)('$name is recovered whole', (sample) => {
    const reading = read(sample);
    expect(reading).toMatchObject({ kind: 'read', cut: false, faults: [] });
    expect(reading.kind === 'read' && reading.value.map(({ title }) => title)).toEqual(sample.titles);
  });

  it.each([...TRUNCATED, ...MUST_FAIL, ...ODD])('$name is told as what it is', (sample) => {
    const startedMs = ownMs();
    const reading = read(sample);
    expect(ownMs() - startedMs).toBeLessThan(LIMIT_MS);
    if (sample.fails) expect(reading).toMatchObject({ kind: 'unread', why: sample.fails });
    else expect(reading).toMatchObject({ kind: 'read', cut: true, value: sample.titles?.map((title) => ({ title })) });
  });
});

describe('the figures', () => {
  const readings = ALL.map((sample) => ({ sample, reading: read(sample) }));
  const wholes = readings.filter(({ reading }) => reading.kind === 'read' && !reading.cut);

  it('cover at least 48 answers of the four kinds', () => {
    expect([RECOVERABLE, TRUNCATED, MUST_FAIL, ODD].map(({ length }) => length)).toEqual([26, 4, 14, 4]);
  });

  it('are 26 of 26 recovered, none cut that is taken for whole, none read as "no issues"', () => {
    const recovered = wholes.filter(({ sample }) => RECOVERABLE.includes(sample)).length;
    const cutAsWhole = wholes.filter(({ sample }) => TRUNCATED.includes(sample)).length;
    const readAsNoIssues = wholes.filter(
      ({ sample, reading }) => reading.kind === 'read' && reading.value.length === 0 && sample.titles?.length !== 0,
    ).length;
    expect({ recovered, cutAsWhole, readAsNoIssues }).toEqual({ recovered: 26, cutAsWhole: 0, readAsNoIssues: 0 });
  });

  it('stay the same wherever a whole answer is cut: no beginning of it reads as whole, or as "no issues"', () => {
    const whole = RECOVERABLE[1]?.answer.text ?? '';
    const beginnings = Array.from({ length: whole.length - 1 }, (_, length) => whole.slice(0, length + 1));
    for (const stopReason of ['endTurn', 'maxTokens'])
      for (const text of beginnings) {
        const answer = { text, toolCalls: [], stopReason, truncated: stopReason === 'maxTokens' };
        expect(readAnswer(answer, FINDINGS_FORM)).not.toMatchObject({ kind: 'read', cut: false });
      }
  });
});

describe('time is linear in the length of an answer', () => {
  it.each([
    ['openings of thinking', '<think>'],
    ['closings of thinking', '</think>'],
    ['fences', '```\n'],
    ['objects that never close', '{"a":'],
    ['lists of objects that never close', '[{'],
    ['small objects', '{"a":1} '],
    ['quotes', '"'],
    ['backslashes', '"\\'],
    ['blanks', '{        '],
    ['lists by their name', '"findings": ['],
  ])('%s', (_name, unit) => {
    const text = unit.repeat(Math.floor(1_000_000 / unit.length));
    const startedMs = ownMs();
    const reading = readAnswer({ text, toolCalls: [], truncated: false }, FINDINGS_FORM);
    expect(ownMs() - startedMs).toBeLessThan(2 * LIMIT_MS);
    expect(reading.kind).toBe('unread');
  });
});

describe('items are judged one by one', () => {
  it('and each fault is named by its path, without a word of the answer', () => {
    const findings = [
      { line: 1 },
      RECOVERABLE[0] && JSON.parse(RECOVERABLE[0].answer.text).findings[0],
      { ...{}, severity: 'SECRET' },
    ];
    const reading = readAnswer({ text: JSON.stringify({ findings }), toolCalls: [], truncated: false }, FINDINGS_FORM);
    expect(reading).toMatchObject({ kind: 'read', value: [{ title: 'A' }], cut: false });
    const faults = reading.kind === 'read' ? reading.faults : [];
    expect(faults.map(({ path }) => path)).toEqual(['findings.0.quote', 'findings.2.quote']);
    expect(JSON.stringify(faults)).not.toContain('SECRET');
  });

  it('and none usable of some is no empty list', () => {
    const text = JSON.stringify({ findings: [{ title: 'what?' }] });
    expect(readAnswer({ text, toolCalls: [], truncated: false }, FINDINGS_FORM)).toMatchObject({
      kind: 'unread',
      why: 'unparseable',
      fault: { path: 'findings.0.quote' },
    });
  });

  it.each([
    ['an ellipsis for items', '{"findings": [FINDING, ...]}'],
    ['a comment for items', '{"findings": [FINDING, // more findings omitted\n]}'],
  ])('and %s tells that some are left out', (_name, text) => {
    const item = JSON.stringify(JSON.parse(RECOVERABLE[0]?.answer.text ?? '').findings[0]);
    const answer = { text: text.replace('FINDING', item), toolCalls: [], truncated: false };
    expect(readAnswer(answer, FINDINGS_FORM)).toMatchObject({ kind: 'read', cut: true, value: [{ title: 'A' }] });
  });
});
