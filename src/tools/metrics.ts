/** The metrics of a tree as arguments and results: their names, their parameters and the fields of each. */
import { z } from 'zod';
import { suggestion } from '../core/nearest.js';

/** What can be measured besides lines, in the order in which it is. */
export const METRICS = ['complexity', 'duplication', 'dependencies', 'coverage', 'hotspots'] as const;

/** See `METRICS`. */
export type MetricName = (typeof METRICS)[number];

/** A list of metrics as an argument; a name that is none is answered with the nearest. */
export function metricNames<Name extends MetricName>(names: readonly [Name, ...Name[]], least = 0) {
  const name = z.enum(names, {
    error: ({ input }) =>
      typeof input === 'string' ? `unknown metric ${JSON.stringify(input)} (${suggestion(input, names)})` : undefined,
  });
  const list = least > 0 ? z.array(name).min(least).max(20) : z.array(name).max(20);
  return z.preprocess((given) => (typeof given === 'string' ? [given] : given), list);
}

const whole = z.int().min(0);
const line = z.int().min(1);

/** How far a measurement came: `partial` lacks something, as `reason` says; `failed` has no figures. */
export const METRIC_STATUSES = ['complete', 'partial', 'failed'] as const;

/** What a metric came to: its figures, or why there are none. */
function measured<Shape extends z.ZodRawShape>(meaning: string, shape: Shape) {
  const duration_ms = whole.describe('How long it was measured.');
  return z
    .discriminatedUnion('status', [
      z.object({ status: z.literal('complete'), duration_ms, ...shape }),
      z.object({
        status: z.literal('partial'),
        reason: z.string().describe('What is missing.'),
        duration_ms,
        ...shape,
      }),
      z.object({ status: z.literal('failed'), reason: z.string().describe('Why there are no figures.'), duration_ms }),
    ])
    .describe(meaning);
}

const problems = {
  problems: z
    .array(z.object({ path: z.string(), line: line.optional(), column: line.optional(), message: z.string() }))
    .describe('Files that could not be read or made sense of, the first few.'),
  problems_total: whole,
};

const complexitySums = {
  files: whole,
  decisions: whole.describe('Decision points by tokens, in every language.'),
  parsed_files: whole.describe('Files whose functions are known.'),
  functions: whole,
  cyclomatic: whole.describe('Of all functions (McCabe).'),
  cognitive: whole.describe('Of all parsed code (SonarSource), no function counted twice.'),
};

const steps = z.array(z.object({ up_to: whole.nullable(), functions: whole }));

const complexity = measured('Decision points of all code, cyclomatic and cognitive complexity by function.', {
  totals: z.object(complexitySums),
  by_language: z
    .array(z.object({ language: z.string(), ...complexitySums, by_cyclomatic: steps, by_cognitive: steps }))
    .describe('Most decisions first, with how many functions have at most so much; the first few languages.'),
  languages_total: whole,
  hardest_functions: z
    .array(
      z.object({
        file: z.string(),
        line,
        end_line: line,
        name: z.string(),
        language: z.string(),
        cyclomatic: whole,
        cognitive: whole,
        nesting: whole,
      }),
    )
    .describe('By cognitive, then cyclomatic complexity; the first few.'),
  hardest_files: z.array(z.object({ file: z.string(), language: z.string(), lines: whole, decisions: whole })),
  unparsed: z
    .array(z.object({ reason: z.string(), files: whole, examples: z.array(z.string()) }))
    .describe('Files whose functions should be known and are not, by reason.'),
});

const duplicationCounts = {
  files: whole,
  code_lines: whole.describe('Lines that hold at least one token: neither blank nor comment.'),
  duplicated_lines: whole.describe('Code lines in a clone, on either side, each counted once.'),
  percentage: z.number().min(0).max(100).describe('Duplicated lines of 100 code lines.'),
};

const duplication = measured('Code that stands in more than one place.', {
  min_lines: whole,
  min_tokens: whole,
  totals: z.object(duplicationCounts),
  by_language: z
    .array(z.object({ language: z.string(), ...duplicationCounts }))
    .describe('Most duplicated lines first; the first few languages.'),
  languages_total: whole,
  clones: z
    .array(
      z.object({
        language: z.string(),
        lines: whole,
        tokens: whole,
        copies: whole.describe('How many places there are; the first few are named.'),
        places: z.array(z.object({ path: z.string(), start_line: line, end_line: line })),
      }),
    )
    .describe('Largest first; the first few.'),
  clones_total: whole,
});

const dependencyCounts = {
  manifests: whole,
  locks: whole,
  packages: whole.describe('Each version once, however many projects use it.'),
  direct: whole,
  transitive: whole,
  unlocked: whole.describe('Those that no lock file fixes.'),
  scopes: z.object({ runtime: whole, optional: whole, peer: whole, dev: whole }),
  local: whole.describe('Dependencies on folders, which are no packages.'),
};

const dependencies = measured('What manifests and lock files of the tree name.', {
  totals: z.object(dependencyCounts),
  ecosystems: z
    .array(z.object({ ecosystem: z.string(), ...dependencyCounts }))
    .describe('By package URL type; Gradle is among maven.'),
  direct: z
    .array(z.object({ purl: z.string(), scope: z.string(), project: z.string() }))
    .describe('Package URLs of direct dependencies; the first few.'),
  duplicates: z
    .array(z.object({ purl: z.string(), versions: z.array(z.string()), versions_total: whole }))
    .describe('Packages in several versions, most versions first; the first few.'),
  duplicates_total: whole,
  ...problems,
});

const lines = z.object({ covered: whole, total: whole });
const percentage = z.number().min(0).max(100).nullable().describe('Null where no line could be covered.');

const coverage = measured('Coverage by the reports that are in the tree; no test is run.', {
  reports_total: whole.describe('None: nothing in the tree says how much of it is covered.'),
  files: whole.describe('Files of the tree that a report names.'),
  lines,
  percentage,
  stale: z.boolean().describe('Whether any covered file changed after its report was written.'),
  newest_report: z.string().optional().describe('When the newest report was written, ISO 8601.'),
  formats: z.array(z.object({ format: z.string(), reports: whole, files: whole, lines })),
  reports: z
    .array(
      z.object({
        path: z.string(),
        format: z.string(),
        files: whole,
        lines,
        unmapped: whole.describe('Files it names that are not in the tree.'),
        written: z.string().describe('ISO 8601.'),
        changed_since: whole.describe('Covered files that changed after it was written.'),
        stale: z.boolean(),
      }),
    )
    .describe('The first few by path.'),
  least_covered: z
    .array(z.object({ path: z.string(), format: z.string(), covered: whole, total: whole }))
    .describe('Files with the most uncovered lines; the first few.'),
  ...problems,
});

const changed = { path: z.string(), commits: whole, authors: whole, last_change: z.string().describe('ISO 8601.') };

const hotspots = measured('Files by how often they change and how complex they are.', {
  history: z.object({
    source: z.enum(['git', 'none']),
    commits: whole,
    authors: whole.describe('Different people; who they are is not told.'),
    from: z.string().optional().describe('The oldest commit that was read, ISO 8601.'),
    shallow: z.boolean().describe('Whether the clone lacks the older part of its history.'),
    limit: z.string().optional().describe('What ended the reading before the history did.'),
  }),
  hotspots: z
    .array(z.object({ ...changed, complexity: whole.describe('Decision points.'), score: whole }))
    .describe('By commits times decision points; the first few.'),
  hotspots_total: whole,
  most_changed: z.array(z.object(changed)),
  largest: z.array(z.object({ path: z.string(), bytes: whole })),
  oldest: z
    .array(z.object({ path: z.string(), last_change: z.string().optional() }))
    .describe('By last commit; one without a time is older than all that was read.'),
});

/** One result field for each metric; absent unless it was asked for. */
export const metricFields = {
  complexity: complexity.optional(),
  duplication: duplication.optional(),
  dependencies: dependencies.optional(),
  coverage: coverage.optional(),
  hotspots: hotspots.optional(),
};

const measurements = z.object(metricFields);

/** The results of the metrics that were asked for. */
export type Measurements = z.output<typeof measurements>;

/** The result of one metric. */
export type Measured<Name extends MetricName> = NonNullable<Measurements[Name]>;

/** The figures of a metric that did not fail. */
export type Figures<Name extends MetricName> = Omit<
  Extract<Measured<Name>, { readonly status: 'complete' }>,
  'status' | 'duration_ms'
>;

/** Parameters of the metrics, for every tool that measures them. */
export const metricInputs = {
  min_lines: z
    .int()
    .min(1)
    .max(10_000)
    .default(5)
    .describe('Duplication: the least number of lines of a clone. Default 5.'),
  min_tokens: z
    .int()
    .min(4)
    .max(100_000)
    .default(50)
    .describe('Duplication: the least number of tokens of a clone. Default 50.'),
  max_commits: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe('Hotspots: how many of the newest commits are read. Default 20,000.'),
};
