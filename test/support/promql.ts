/** Reads PromQL by Prometheus' own grammar, and holds what an expression does with series against what a scrape has. */
import { parser } from '@prometheus-io/lezer-promql';
import type { PromFamily, PromSample, Scrape } from './prometheus-text.js';

type Node = ReturnType<typeof parser.parse>['topNode'];

interface Matcher {
  readonly label: string;
  readonly op: string;
  readonly value: string;
}

/** A series that an expression takes, and what stands around it. */
export interface Selector {
  readonly name: string;
  readonly matchers: readonly Matcher[];
  /** The functions and aggregations around it, the innermost first. */
  readonly within: readonly string[];
  /** The labels that these group by. */
  readonly labels: readonly string[];
}

/** What Prometheus adds to each series by the target it was scraped from. */
const TARGET_LABELS = ['job', 'instance'];
/** What makes a rise of a counter, which alone says nothing. */
const RISES = ['rate', 'irate', 'increase'];
const HISTOGRAM_PARTS = ['_bucket', '_sum', '_count'];

/** The series of an expression; throws where it is no PromQL. */
export function selectorsOf(expression: string): readonly Selector[] {
  const found: Selector[] = [];
  const text = (node: Node) => expression.slice(node.from, node.to);
  parser.parse(expression).iterate({
    enter({ node, type, from }) {
      if (type.isError) throw new Error(`not PromQL at ${expression.slice(from, from + 30)}: ${expression}`);
      if (type.name === 'VectorSelector') found.push(selectorAt(node, text));
    },
  });
  return found;
}

function selectorAt(node: Node, text: (node: Node) => string): Selector {
  const named = node.getChild('Identifier');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  const around: Node[] = [];
  for (let outer = node.parent; outer; outer = outer.parent) around.push(outer);
  const word = (child: Node | null) => (child ? text(child) : '');
  return {
    name: word(named),
    matchers: matchers.map((matcher) => ({
      label: word(matcher.getChild('LabelName')),
      op: word(matcher.getChild('MatchOp')),
      value: word(matcher.getChild('StringLiteral')).slice(1, -1),
    })),
    within: around.flatMap((outer) => {
      const act = outer.getChild('FunctionIdentifier') ?? outer.getChild('AggregateOp');
      return act ? [text(act)] : [];
    }),
    labels: around.flatMap((outer) => groupingOf(outer).map(text)),
  };
}

function groupingOf(outer: Node): Node[] {
  const modifiers = ['AggregateModifier', 'MatchingModifierClause'].map((name) => outer.getChild(name));
  return modifiers.flatMap((one) => one?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []);
}

/** What is wrong with an expression, held against a scrape; `words` are values that a label may have beside those seen in it. */
export function faultsOf(
  expression: string,
  { families }: Scrape,
  words: Readonly<Record<string, readonly string[]>>,
): string[] {
  return selectorsOf(expression).flatMap((selector) => {
    const family = familyOf(families, selector.name);
    if (!family) return [`${selector.name} is no metric: ${expression}`];
    const samples = family.samples.filter(({ name }) => name === selector.name);
    return [...misuse(selector, family), ...strangeLabels(selector, { family, samples, words })].map(
      (fault) => `${selector.name} ${fault}: ${expression}`,
    );
  });
}

function familyOf(families: Scrape['families'], name: string): PromFamily | undefined {
  const part = HISTOGRAM_PARTS.find((suffix) => name.endsWith(suffix) && !families.has(name));
  const family = families.get(part ? name.slice(0, -part.length) : name);
  return (part === undefined) === (family?.type !== 'histogram') ? family : undefined;
}

function misuse({ name, within }: Selector, { type }: PromFamily): string[] {
  const rises = within.some((act) => RISES.includes(act));
  const faults: string[] = [];
  if (type === 'gauge' && rises) faults.push('is a gauge, of which there is no rate');
  if (type !== 'gauge' && !RISES.includes(within[0] ?? ''))
    faults.push('only rises, so it must stand in a rate at once');
  if (within.includes('histogram_quantile') !== name.endsWith('_bucket'))
    faults.push('is not what a quantile is taken of');
  return faults;
}

interface Known {
  readonly family: PromFamily;
  readonly samples: readonly PromSample[];
  readonly words: Readonly<Record<string, readonly string[]>>;
}

function strangeLabels({ matchers, labels, within }: Selector, { samples, words, family }: Known): string[] {
  const known = [...new Set(samples.flatMap((sample) => Object.keys(sample.labels))), ...TARGET_LABELS];
  const asked = [...labels, ...matchers.map(({ label }) => label)];
  const faults = asked.filter((label) => !known.includes(label)).map((label) => `has no label ${label}`);
  if (within.includes('histogram_quantile') && !labels.includes('le')) faults.push('loses its buckets');
  for (const { label, op, value } of matchers) {
    if (TARGET_LABELS.includes(label)) continue;
    const values = [...family.samples.map((sample) => sample.labels[label]), ...(words[label] ?? [])];
    const wanted = op === '=~' ? value.split('|') : [value];
    faults.push(...wanted.filter((one) => !values.includes(one)).map((one) => `has no ${label} ${one}`));
  }
  return faults;
}
