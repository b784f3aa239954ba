/** The metrics of `analyze_codebase` on real small trees: every figure, every lack, and what a second run finds done. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Progress } from '../../src/core/events.js';
import type { JsonValue } from '../../src/core/json.js';
import { rowsOf } from '../../src/core/table.js';
import { type HandlerContext, parseArguments, type ToolContract } from '../../src/core/tool.js';
import { createNameGuard } from '../../src/secrets/name-guard.js';
import { analyzeCodebase } from '../../src/tools/analyze-codebase.js';
import { analyzeRepo } from '../../src/tools/analyze-repo.js';
import { METRICS } from '../../src/tools/metrics.js';
import { createSharedPool } from '../../workers/analysis/scan.js';
import { createAnalyzeCodebase } from '../../workers/handlers/analyze-codebase.js';
import { measureMetrics } from '../../workers/handlers/metrics/measure-metrics.js';
import { testRedactor } from '../support/redactor.js';
import { scriptContext } from '../support/scripted-context.js';
import { plantRepository, plantTree, type Tree } from './analysis/trees.js';

const HARD = `export function hard(a, b) {
  if (a) {
    for (const x of b) {
      if (x && a) return x;
    }
  }
  return 0;
}
`;
const SAME = Array.from({ length: 12 }, (_, n) => `export const name${n} = compute(${n}, 'text', other${n});`).join(
  '\n',
);
const LCOV = ['SF:hard.js', 'DA:1,1', 'DA:2,1', 'DA:4,0', 'end_of_record', ''].join('\n');
const PACKAGE = JSON.stringify({ name: 'x', dependencies: { left: '1.0.0' }, devDependencies: { right: '^2.0.0' } });

function plant(): Tree {
  const tree = plantRepository({
    'hard.js': HARD,
    'one.js': `${SAME}\nexport const one = 1;\n`,
    'two.js': `export const two = 2;\n${SAME}\n`,
    'package.json': PACKAGE,
    'lcov.info': LCOV,
  });
  tree.git('add', '-A');
  tree.git('commit', '-q', '-m', 'all');
  tree.write('hard.js', `${HARD}// more\n`);
  tree.git('commit', '-q', '-a', '-m', 'more');
  return tree;
}

interface Run {
  readonly progress: readonly Progress[];
  readonly journal: Map<string, JsonValue>;
  /** Steps that were run and not found in the journal. */
  readonly fresh: readonly string[];
  readonly context: HandlerContext;
}

/** A context with a journal, which another run may go on with. */
function open(
  tree: Tree,
  more: { journal?: Map<string, JsonValue>; signal?: AbortSignal; onStep?(key: string): void } = {},
): Run {
  const progress: Progress[] = [];
  const fresh: string[] = [];
  const journal = more.journal ?? new Map<string, JsonValue>();
  const { context } = scriptContext({});
  return {
    progress,
    journal,
    fresh,
    context: {
      ...context,
      allowedFolders: [tree.root],
      signal: more.signal ?? context.signal,
      progress: (one) => progress.push(one),
      async step<T extends JsonValue>(key: string, fn: () => Promise<T>): Promise<T> {
        const known = journal.get(key);
        if (known !== undefined) return known as T;
        fresh.push(key);
        more.onStep?.(key);
        const value = JSON.parse(JSON.stringify(await fn()));
        journal.set(key, value);
        return value;
      },
    },
  };
}

const redactor = testRedactor();
const pool = createSharedPool(1);
afterAll(() => pool.end());
const handler = createAnalyzeCodebase({
  threads: 1,
  pool,
  partFiles: 8_000,
  redactor,
  guard: createNameGuard(),
  openCache: async () => undefined,
});
const inputOf = (tree: Tree, args: object) => analyzeCodebase.input.parse({ path: tree.root, min_tokens: 20, ...args });

async function analyze(tree: Tree, args: object, run = open(tree)) {
  const input = inputOf(tree, args);
  const result = analyzeCodebase.output.parse(await handler(input, run.context));
  return { result, text: analyzeCodebase.render(result, input), ...run };
}

describe('metrics of a scan', () => {
  it('are measured for real, one field each', async () => {
    const { result, text } = await analyze(plant(), { metrics: METRICS });
    expect(result).toMatchObject({ files_scanned: 5 });
    expect(result.complexity).toMatchObject({
      status: 'complete',
      totals: { functions: 1, cyclomatic: 5, cognitive: 7 },
      hardest_functions: [{ name: 'hard', file: 'hard.js', line: 1, end_line: 8, cyclomatic: 5, cognitive: 7 }],
    });
    expect(result.duplication).toMatchObject({
      status: 'complete',
      clones_total: 1,
      totals: { duplicated_lines: 24 },
      clones: [
        {
          lines: 12,
          copies: 2,
          places: [
            { path: 'one.js', start_line: 1 },
            { path: 'two.js', start_line: 2 },
          ],
        },
      ],
    });
    expect(result.dependencies).toMatchObject({
      status: 'complete',
      totals: { packages: 2, direct: 2, scopes: { runtime: 1, dev: 1 } },
      ecosystems: [{ ecosystem: 'npm', manifests: 1 }],
    });
    expect(result.coverage).toMatchObject({
      status: 'complete',
      reports_total: 1,
      lines: { covered: 2, total: 3 },
      percentage: 66.66,
      least_covered: [{ path: 'hard.js', covered: 2, total: 3 }],
    });
    expect(result.hotspots).toMatchObject({
      status: 'complete',
      history: { source: 'git', commits: 2, authors: 1, shallow: false },
      hotspots: [
        {
          path: 'hard.js',
          commits: 2,
          complexity: 4,
          score: 8,
        },
      ],
    });
    expect(text).toMatch(
      /## Complexity[\s\S]*hard \(hard\.js:1\) \| 7 \| 5[\s\S]*## Duplication[\s\S]*one\.js:1-12, two\.js:2-13/,
    );
    expect(text).toMatch(
      /## Dependencies[\s\S]*\| npm \| 2 \|[\s\S]*## Coverage[\s\S]*66\.66 % of 3 lines[\s\S]*## Hotspots[\s\S]*\| hard\.js \|/,
    );
  });

  it('are none unless they are asked for, and counting leads to a hundred then', async () => {
    const { result, progress } = await analyze(plant(), {});
    for (const name of METRICS) expect(result).not.toHaveProperty(name);
    expect(progress.at(-1)).toMatchObject({ progress: 100, message: 'Counted 5 of 5 files' });
  });

  it('take turns from 40 to 100 by their weights, whichever are asked for', async () => {
    const { result, progress } = await analyze(plant(), { metrics: ['coverage', 'duplication', 'coverage'] });
    const seen = progress.map((one) => one.progress);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    const at = (message: string) => progress.find((one) => one.message === message)?.progress;
    expect(at('Counted 5 of 5 files')).toBe(40);
    expect(at('Measuring duplication')).toBe(40);
    expect(at('Measuring coverage')).toBeCloseTo(40 + (60 * 5) / 6);
    expect(progress.at(-1)?.progress).toBeCloseTo(100);
    expect(result).not.toHaveProperty('complexity');
  });

  it('that nobody knows are refused with the nearest name', () => {
    const contract = analyzeCodebase as unknown as ToolContract;
    expect(() => parseArguments(contract, { path: '.', metrics: ['complexty'] })).toThrow(
      'metrics.0: unknown metric "complexty" (did you mean complexity?)',
    );
    expect(() => parseArguments(contract, { path: '.', metrics: ['x'] })).toThrow('known are complexity, duplication');
  });

  it('may be a single one by its name', () => {
    expect(
      parseArguments(analyzeRepo as unknown as ToolContract, { repoPath: '.', metrics: 'coverage' }),
    ).toMatchObject({
      metrics: ['coverage'],
    });
  });

  it('rank hotspots alike with and without complexity', async () => {
    const tree = plant();
    const [alone, together] = [
      await analyze(tree, { metrics: ['hotspots'] }),
      await analyze(tree, { metrics: ['complexity', 'hotspots'] }),
    ];
    expect(alone.fresh).toContain('metric decisions');
    expect(together.fresh).not.toContain('metric decisions');
    const timeless = { duration_ms: 0 };
    expect({ ...alone.result.hotspots, ...timeless }).toEqual({ ...together.result.hotspots, ...timeless });
  });

  it('go by as much history as they are told, and say so', async () => {
    const { result, text } = await analyze(plant(), { metrics: ['hotspots'], max_commits: 1 });
    expect(result.hotspots).toMatchObject({ status: 'partial', history: { commits: 1, limit: 'commits' } });
    expect(text).toContain(
      'PARTIAL: The history was not read to its end: it has more commits than max_commits allows.',
    );
  });

  it('say where there is nothing to measure them by', async () => {
    const { result, text } = await analyze(plantTree({ 'a.c': 'int x;\n' }), { metrics: METRICS });
    expect(result.hotspots).toMatchObject({ status: 'partial', history: { source: 'none' } });
    expect(result.coverage).toMatchObject({ reports_total: 0, percentage: null });
    expect(text).toContain('No coverage report was found in the tree, so nothing is known of its coverage.');
    expect(text).toContain('No manifest and no lock file was found.');
  });
});

describe('names in figures', () => {
  it('lose what looks like a secret before anything is stored', async () => {
    const key = ['AKIA', 'Q3EGR7XN2', 'J5WZP4T'].join('');
    const tree = plantTree({ 'a.js': `function ${key}(a) { return a ? 1 : 2; }\n` });
    const { result, journal } = await analyze(tree, { metrics: ['complexity'] });
    expect(JSON.stringify([result, ...journal.values()])).not.toContain(key);
    expect(JSON.stringify(result.complexity)).toMatch(/"name":"\[REDACTED:[a-z_]+:[0-9a-f]+\]"/);
  });
});

describe('the tables of metrics', () => {
  it('hold the rows that are too many for a result', async () => {
    const tree = plant();
    const tables = new Map<string, unknown>();
    const run = open(tree);
    const context: HandlerContext = {
      ...run.context,
      table: async ({ name, columns }, rows) => void tables.set(name, [columns, ...rowsOf(rows)]),
    };
    await analyze(tree, { metrics: METRICS }, { ...run, context });
    expect(tables.get('functions')).toEqual([
      ['file', 'line', 'end_line', 'name', 'language', 'cyclomatic', 'cognitive', 'nesting'],
      ['hard.js', 1, 8, 'hard', 'JavaScript', 5, 7, 3],
    ]);
    expect(tables.get('clones')).toMatchObject([
      { 0: 'clone' },
      { 0: 1, 5: 'one.js', 6: 1, 7: 12 },
      { 0: 1, 5: 'two.js', 6: 2, 7: 13 },
    ]);
    expect(tables.get('dependencies')).toMatchObject([
      { 0: 'purl' },
      { 0: 'pkg:npm/left@1.0.0' },
      { 0: 'pkg:npm/right' },
    ]);
    expect(tables.get('coverage')).toMatchObject([{ 0: 'path' }, ['hard.js', 'lcov', 2, 3, 1]]);
    expect(tables.get('hotspots')).toMatchObject([{ 0: 'path' }, { 0: 'hard.js', 1: 8 }]);
  });
});

describe('a metric that fails', () => {
  it('is told as failed, and keeps no other from being measured', async () => {
    const tree = plant();
    const { context } = open(tree);
    const list = { files: await tree.list(), handwritten: [] };
    const work = { root: tree.root, list, minTokens: 1 };
    const plan = { names: METRICS, work, complexity: { partFiles: 100 }, redactor, from: 40, to: 100 };
    const { duplication, ...others } = await measureMetrics(plan, context);
    expect(duplication).toMatchObject({
      status: 'failed',
      reason: 'It could not be measured: minTokens must be a whole number of at least 4, not 1.',
    });
    expect(Object.values(others).map((one) => one?.status)).toEqual(Array(4).fill('complete'));
  });
});

describe('a scan with metrics that is interrupted', () => {
  it('measures again only what was not done', async () => {
    const tree = plant();
    const first = open(tree, {
      onStep: (key) => {
        if (key === 'metric duplication') throw new Error('the worker is gone');
      },
    });
    const metrics = ['complexity', 'duplication', 'hotspots'];
    await expect(analyze(tree, { metrics }, first)).rejects.toThrow('the worker is gone');
    const second = await analyze(tree, { metrics }, open(tree, { journal: first.journal }));
    expect(second.fresh).toEqual(['metric duplication', 'metric hotspots']);
    expect(second.result.complexity).toMatchObject({ totals: { functions: 1 } });
    expect(second.result.hotspots).toMatchObject({ hotspots: [{ path: 'hard.js' }] });
  });

  it.each(METRICS)('stops at once when it is cancelled during %s, and journals nothing of it', async (metric) => {
    const tree = plant();
    const cancel = new AbortController();
    const run = open(tree, {
      signal: cancel.signal,
      onStep: (key) => key === `metric ${metric}` && setImmediate(() => cancel.abort(new Error('cancelled'))),
    });
    await expect(analyze(tree, { metrics: [metric] }, run)).rejects.toThrow('cancelled');
    expect([...run.journal.keys()]).not.toContain(`metric ${metric}`);
  });
});
