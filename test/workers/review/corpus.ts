/** Answers as models really give them: which can be recovered, which broke off, which must fail, and which are odd. */
import type { SamplingAnswer } from '../../../src/core/sampling.js';

/** One answer and what it is to be read as. */
export interface Sample {
  readonly name: string;
  readonly answer: SamplingAnswer;
  /** Titles of the findings to be read; empty for a true "nothing found". */
  readonly titles?: readonly string[];
  /** How an answer that is not read fails. */
  readonly fails?: 'unparseable' | 'truncated' | 'refused';
  /** Whether more may be missing. */
  readonly cut?: boolean;
}

/** A finding in the form asked for. */
export const finding = (title: string, more: object = {}) => ({
  line: 2,
  quote: 'eval(key);',
  severity: 'high',
  category: 'security',
  title,
  message: 'Runs whatever the caller sends.',
  ...more,
});

const A = finding('A');
const B = finding('B', { severity: 'low' });
const json = (...findings: unknown[]) => JSON.stringify({ findings });
const pretty = (...findings: unknown[]) => JSON.stringify({ findings }, null, 2);
const fence = (body: string, tag = 'json') => `\`\`\`${tag}\n${body}\n\`\`\``;

type Told = Partial<Omit<SamplingAnswer, 'text'>>;
const says = (text: string, told: Told = {}): SamplingAnswer => {
  const stopReason = told.stopReason ?? 'endTurn';
  return { text, toolCalls: [], ...told, stopReason, truncated: stopReason === 'maxTokens' };
};
const cutOff = (text: string) => says(text, { stopReason: 'maxTokens' });
const calls = (name: string, input: Record<string, unknown>, text = '') =>
  says(text, { toolCalls: [{ name, input }], stopReason: 'toolUse' });

/** Answers whose findings a person would read without doubt. */
export const RECOVERABLE: readonly Sample[] = [
  ['plain JSON', says(json(A, B))],
  ['indented JSON', says(pretty(A, B))],
  ['an empty list, all there is', says('{"findings": []}'), []],
  ['an empty list in a fence', says(fence('{"findings": []}')), []],
  ['an empty list behind thinking that drafts findings', says(`<think>${json(A)}</think>\n{"findings": []}`), []],
  ['a fence with a tag', says(fence(json(A, B)))],
  ['a fence without a tag', says(fence(json(A, B), ''))],
  ['a fence with prose around it', says(`Here you are:\n\n${fence(pretty(A, B))}\n\nHope this helps!`)],
  [
    'two fences, the last of which is the answer',
    says(`${fence(json(finding('draft')))}\nBetter:\n${fence(json(A, B))}`),
  ],
  ['a fence of code before the fence of the answer', says(`${fence('eval(key);', 'js')}\n${fence(json(A, B))}`)],
  ['a fence within a string of the fence', says(fence(json(finding('A', { message: 'Use\n```js\nx\n```' }), B)))],
  ['a fence that was never closed', says(`\`\`\`json\n${json(A, B)}`)],
  ['JSON amid prose', says(`I found two: ${json(A, B)} That is all [really].`)],
  ['prose with brackets before the JSON', says(`In foo[0] and {x}, see "these":\n${json(A, B)}`)],
  ['thinking in tags', says(`<thinking>maybe {"findings": [</thinking>${json(A, B)}`)],
  ['thinking whose opening tag is lost', says(`maybe {"findings": []}\n</think>\n${json(A, B)}`)],
  ['thinking and a fence', says(`<think>hm\n${fence('{"findings": []}')}\n</think>\n${fence(json(A, B))}`)],
  ['a byte order mark and blank lines', says(`\uFEFF\n\n${json(A, B)}\n\n`)],
  ['trailing commas', says(`{"findings": [${JSON.stringify(A)}, ${JSON.stringify(B)},],}`)],
  ['single quotes', says(json(A, B).replaceAll('"', "'"))],
  ['keys without quotes', says(json(A, B).replace(/"(\w+)":/g, '$1:'))],
  ['a comment', says(`{\n// two of them\n"findings": [${JSON.stringify(A)}, ${JSON.stringify(B)}]}`)],
  ['raw line breaks in a string', says(json(finding('A', { message: 'one two' }), B).replace('one two', 'one\ntwo'))],
  ['quotes within a string that are not escaped', says(json(A, B).replace('the caller', 'the "caller"'))],
  ['a bare list', says(JSON.stringify([A, B]))],
  ['the call of the offered tool', calls('submit_findings', { findings: [A, B] }, 'I submit them.')],
].map(toSample);

/** Answers that broke off, whatever their client says of it. */
export const TRUNCATED: readonly Sample[] = [
  { name: 'in the second finding', answer: cutOff(json(A, B).slice(0, -20)), titles: ['A'], cut: true },
  { name: 'in the first finding', answer: cutOff(json(A).slice(0, 60)), fails: 'truncated' },
  {
    name: 'in a fence, which its client does not tell',
    answer: says(`\`\`\`json\n${pretty(A, B).slice(0, -60)}`),
    titles: ['A'],
    cut: true,
  },
  {
    name: 'in a finding that happens to end with brackets',
    answer: cutOff(`{"findings": [${JSON.stringify(A)}, {"quote": "x = {}`),
    titles: ['A'],
    cut: true,
  },
];

/** Answers that hold no review, each of which some reader somewhere took for "nothing found". */
export const MUST_FAIL: readonly Sample[] = [
  { name: 'nothing', answer: says(''), fails: 'unparseable' },
  { name: 'blanks', answer: says(' \n\t'), fails: 'unparseable' },
  { name: 'praise', answer: says('Looks good to me!'), fails: 'unparseable' },
  { name: 'a refusal by its reason', answer: says('No.', { stopReason: 'refusal' }), fails: 'refused' },
  { name: 'a refusal in words', answer: says("I'm sorry, but I can't review this code."), fails: 'refused' },
  {
    name: 'a refusal that shows the form',
    answer: says(`I cannot review this. The form would be:\n${fence('{"findings": []}')}`),
    fails: 'unparseable',
  },
  {
    name: 'an empty list with the reason of a refusal',
    answer: says('{"findings": []}', { stopReason: 'refusal' }),
    fails: 'refused',
  },
  {
    name: 'an empty list amid prose',
    answer: says('If it were fine I would say {"findings": []} but I did not look.'),
    fails: 'unparseable',
  },
  {
    name: 'nothing but thinking',
    answer: says('<think>There is nothing here. {"findings": []}'),
    fails: 'unparseable',
  },
  { name: 'an error of the provider', answer: says('{"error": {"type": "overloaded_error"}}'), fails: 'unparseable' },
  { name: 'no list', answer: says('{"findings": "none"}'), fails: 'unparseable' },
  { name: 'null', answer: says('null'), fails: 'unparseable' },
  {
    name: 'the form itself',
    answer: says(json(finding('few words', { severity: 'critical|high|medium|low' }))),
    fails: 'unparseable',
  },
  { name: 'a tool that was not offered', answer: calls('run_command', { command: 'ls' }), fails: 'unparseable' },
];

/** Answers at the edges of what a client may send. */
export const ODD: readonly Sample[] = [
  { name: '20,000 nested brackets', answer: says('['.repeat(20_000)), fails: 'unparseable' },
  {
    name: '20,000 nested objects, closed',
    answer: says(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
    fails: 'unparseable',
  },
  {
    name: '5 MB',
    answer: says(`{"findings": [${`${JSON.stringify(A)},`.repeat(40_000)}`.padEnd(5_000_000, ' ')),
    fails: 'unparseable',
  },
  { name: 'a NUL and stray quotes', answer: says(`\0{"findings": ["\0", "${'"'.repeat(999)}`), fails: 'unparseable' },
];

function toSample([name, answer, titles = ['A', 'B']]:
  | readonly [string, SamplingAnswer, (readonly string[])?]
  | readonly (string | SamplingAnswer | readonly string[])[]): Sample {
  return { name, answer, titles } as Sample;
}
