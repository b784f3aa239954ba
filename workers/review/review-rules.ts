/** The rules of a review's questions; the same ones serve whoever asks a model of their own. */
import { CATEGORIES, type Category } from '../../src/core/finding.js';
import type { Part } from './chunks.js';
import { ANSWER_RULE } from './rules.js';

/** What a review looks for. */
export type ReviewFocus = 'security' | 'performance' | 'readability' | 'all';

const AIMS: Readonly<Record<ReviewFocus, string>> = {
  security: 'security faults',
  performance: 'performance faults',
  readability: 'faults of readability',
  all: 'faults of security, correctness, performance and readability',
};

/** What each severity means, so that a finding of one review weighs as much as that of another. */
export const SEVERITY_RULE =
  'Severities: critical = exploitable or loses data as it stands; high = wrong or unsafe in ordinary use; medium = wrong or ' +
  'costly in some cases; low = worth mending, harms nobody.';

/** The form of findings. */
export const FINDINGS_SHAPE =
  '{"findings": [{"file": "path as given; may be left out if there is only one", "line": 12, "end_line": 14, "quote": "the code at fault, copied", ' +
  '"severity": "critical|high|medium|low", "category": "security|correctness|performance|readability", "title": "few words", ' +
  '"message": "what is wrong, why it matters and what to do", "confidence": 0.8}]}';

/** The form of fixes. */
export const FIXES_SHAPE =
  '{"fixes": [{"finding_id": "F1", "find": "code as it is", "replace": "code as it should be"}]}';

/** The form of scores. */
export const SCORES_SHAPE = `{"scores": {${CATEGORIES.map((category: Category) => `"${category}": 7`).join(', ')}}, "summary": "the verdict in a few sentences", "drop": [{"finding_id": "F1", "reason": "why it is no fault"}]}`;

/** What the reader is told of the numbers before the lines. */
export function numberRule(parts: readonly Part[]): string {
  const diff = parts.some(({ lines }) => lines.some(({ added }) => added !== undefined));
  const plus = diff
    ? ' A plus in place of the bar marks a line that is new; report faults of new lines only, the others are there to understand them.'
    : '';
  return `Each line begins with its number in the file and a bar, which are not part of the code.${plus}`;
}

/** The task of finding. */
export function findTask(language: string, focus: ReviewFocus): string {
  return `Review the ${language === '' ? '' : `${language} `}code below. Look for ${AIMS[focus]}.`;
}

/** The rules of finding, but for what is said of the data itself; `answer` says how the findings are given. */
export function findingRules(answer: string = ANSWER_RULE): readonly string[] {
  return [
    'Report only faults that this code shows. Do not guess at code you cannot see, and do not repeat a fault.',
    'In "quote" copy the line or lines at fault exactly, without their numbers: a finding whose quote is not in the file is dropped.',
    'Texts such as [REDACTED:kind:1f3a] stand where a secret was taken out before you saw the code; that it stood there is for you to judge.',
    SEVERITY_RULE,
    'If there is nothing to report, answer {"findings": []}: an empty list is a right answer.',
    `${answer} Its form: ${FINDINGS_SHAPE}`,
  ];
}

/** The language of the parts, or of the most lines if there are several. */
export function languageOf(parts: readonly Part[]): string {
  const languages = new Set(parts.map(({ source }) => source.language));
  const [only = ''] = languages;
  return languages.size === 1 ? only : '';
}
