/** Complexity in parts: whatever their size, figures, tables and hotspots come out as if one worker had measured all. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { AppError } from '../../src/core/errors.js';
import { asJson, type JsonObject, type JsonValue } from '../../src/core/json.js';
import type { FanOutRequest } from '../../src/core/part.js';
import { type Row, rowsOf } from '../../src/core/table.js';
import type { HandlerContext } from '../../src/core/tool.js';
import { createNameGuard } from '../../src/secrets/name-guard.js';
import { analyzeCodebase } from '../../src/tools/analyze-codebase.js';
import { measurePart } from '../../src/tools/measure-part.js';
import { METRICS } from '../../src/tools/metrics.js';
import { createSharedCrew, openComplexityCache } from '../../workers/analysis/complexity/measure-complexity.js';
import { createSharedPool } from '../../workers/analysis/scan.js';
import { createAnalyzeCodebase } from '../../workers/handlers/analyze-codebase.js';
import { createCountPart } from '../../workers/handlers/count-part.js';
import { createMeasurePart } from '../../workers/handlers/measure-part.js';
import type { OpenMetricCache } from '../../workers/handlers/metrics/metric-cache.js';
import { unpack } from '../../workers/handlers/packed.js';
import { testRedactor } from '../support/redactor.js';
import { scriptContext } from '../support/scripted-context.js';
import { plantRepository, type Tree } from './analysis/trees.js';

// Each test runs whole analyses, which take long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const redactor = testRedactor();
const guard = createNameGuard();
const crew = createSharedCrew(1);
const pool = createSharedPool(1);
const openCache = async () => undefined;

function plant(): Tree {
  const tree = plantRepository();
  for (let n = 0; n < 23; n += 1) {
    tree.write(`d${n % 4}/f${n}.js`, `function f${n}(a) {\n  ${'if (a) a = f(a);\n'.repeat(n % 7)}}\n`);
    if (n % 5 === 0) tree.write(`d${n % 4}/n${n}.py`, n % 2 === 0 ? `x = ${n}\n` : 'def g(a):\n  return a and 1\n');
    if (n % 6 === 0) tree.write(`b${n}.bin`, Buffer.from([0, n]));
  }
  tree.git('add', '-A');
  tree.git('commit', '-q', '-m', 'all');
  return tree;
}

interface Analysis {
  readonly partFiles: number;
  readonly openMetricCache?: OpenMetricCache;
  readonly metrics?: readonly string[];
  readonly failing?: (args: object) => boolean;
}

/** Runs the call as workers would, each part in a context of its own; rows are in the order in which pages have them. */
async function analyze(
  tree: Tree,
  { partFiles, openMetricCache, metrics = ['complexity', 'hotspots'], failing }: Analysis,
) {
  const rows: { place: string; rows: readonly Row[] }[] = [];
  const groups: string[] = [];
  const stored: JsonValue[] = [];
  const { context } = scriptContext({});
  const memory = openMetricCache ?? (async () => undefined);
  const handlers = {
    count_part: createCountPart({ threads: 1, pool, openCache, redactor, guard }),
    measure_part: createMeasurePart({ threads: 1, crew, openMetricCache: memory, redactor }),
  };
  const contextOf = (part: number): HandlerContext => ({
    ...context,
    allowedFolders: [tree.root],
    table: async ({ name }, some, slice = 0) => {
      rows.push({
        place: `${name} ${String(part).padStart(3, '0')} ${String(slice).padStart(3, '0')}`,
        rows: rowsOf(some),
      });
    },
    fanOut: async (group, { tool, parts }: FanOutRequest) => {
      groups.push(group);
      const handler = tool === measurePart.name ? handlers.measure_part : handlers.count_part;
      const run = async (args: object, index: number) => {
        if (failing?.(args)) throw new AppError('internal', 'The part is gone.');
        const done = asJson(await handler(args as never, contextOf(index))) as JsonObject;
        stored.push(...Object.values(done).flatMap((value) => (typeof value === 'string' ? [unpack(value)] : [])));
        return done;
      };
      // The last is done first.
      const results: JsonObject[] = [];
      for (const [index, args] of [...parts.entries()].reverse()) results.unshift(await run(args, index));
      return results;
    },
  });
  const handler = createAnalyzeCodebase({
    threads: 1,
    partFiles,
    openCache,
    pool,
    crew,
    openMetricCache: memory,
    redactor,
    guard,
  });
  const input = analyzeCodebase.input.parse({ path: tree.root, metrics });
  const result = analyzeCodebase.output.parse(await handler(input, contextOf(0)));
  rows.sort((a, b) => (a.place < b.place ? -1 : 1));
  const tableOf = (name: string) => rows.filter(({ place }) => place.startsWith(`${name} `)).flatMap((one) => one.rows);
  const text = JSON.stringify(result, (key, value) => (/^(duration_ms|job_id)$/.test(key) ? undefined : value));
  const tables = ['complexity', 'functions', 'hotspots'].map(tableOf);
  return { result, text, groups, tables, rows: rows.filter(({ place }) => !/^(files|skipped) /.test(place)), stored };
}

it('all is the same in parts of any size, and the parts are counted as one', async () => {
  const tree = plant();
  const alone = await analyze(tree, { partFiles: 1_000 });
  expect(alone.groups).toEqual([]);
  expect(alone.result.complexity).toMatchObject({ status: 'complete', totals: { files: 28 } });
  for (const partFiles of [4, 11]) {
    const shared = await analyze(tree, { partFiles });
    expect(shared.groups).toEqual(['count', 'complexity']);
    expect(shared.text).toBe(alone.text);
    expect(shared.tables).toEqual(alone.tables);
  }
});

it('decision points alone are shared as well, for the hotspots', async () => {
  const tree = plant();
  const metrics = ['hotspots'];
  const alone = await analyze(tree, { partFiles: 1_000, metrics });
  const shared = await analyze(tree, { partFiles: 4, metrics });
  expect(shared.groups).toEqual(['count', 'decisions']);
  expect([shared.text, shared.tables]).toEqual([alone.text, alone.tables]);
});

it('a part that fails for good fails its metric, and no other', async () => {
  const failing = (args: object) => 'functions' in args && args.functions === true;
  const { result } = await analyze(plant(), { partFiles: 4, failing });
  expect(result.complexity).toMatchObject({ status: 'failed', reason: expect.stringContaining('The part is gone.') });
  expect(result.hotspots).toMatchObject({ status: 'complete' });
  // Those of JavaScript in which something decides, and two of Python.
  expect(result.hotspots).toHaveProperty('hotspots_total', 23 - 4 + 2);
});

it('parts fill the memory of their tree, and a known tree is measured in one piece', async () => {
  const tree = plant();
  const folder = mkdtempSync(join(tmpdir(), 'measures-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const openMetricCache: OpenMetricCache = (root) =>
    openComplexityCache({ folder, root, maxBytes: 2 ** 20, marginMs: -3_600_000 });
  const first = await analyze(tree, { partFiles: 4, openMetricCache });
  const again = await analyze(tree, { partFiles: 4, openMetricCache });
  expect([first.groups, again.groups]).toEqual([['count', 'complexity'], ['count']]);
  expect([again.text, again.tables]).toEqual([first.text, first.tables]);
});

it('names that look like secrets, or are no text, reach neither results nor tables nor the store', async () => {
  const tree = plant();
  const key = ['AKIA', 'Q3EGR7XN2', 'J5WZP4T'].join('');
  const stray = Buffer.concat([Buffer.from(`${tree.root}/d0/`), Buffer.from([0xff, 0xfe]), Buffer.from('.js')]);
  const body = `function ${key}(a) {\n${'  if (a) a = f(a, 1, 2, 3, 4, 5);\n'.repeat(12)}}\n`;
  writeFileSync(stray, body);
  tree.write(`d1/${key}/${key}.js`, body);
  tree.write(`d1/${key}/package.json`, JSON.stringify({ name: 'x', dependencies: { [key]: '1.0.0' } }));
  tree.write(`d1/${key}/Cargo.toml`, '[broken');
  tree.write(`d1/${key}/lcov.info`, `SF:${key}.js\nDA:1,1\nend_of_record\n`);
  tree.git('add', '-A');
  tree.git('commit', '-q', '-m', 'more');
  for (const partFiles of [1_000, 5]) {
    const { result, rows, stored } = await analyze(tree, { partFiles, metrics: METRICS });
    const all = JSON.stringify([result, rows, stored.filter((value) => JSON.stringify(value).includes('hardest'))]);
    expect(all).not.toContain(key);
    expect(all).not.toMatch(/\\udc|[\udc80-\udcff](?<![\ud800-\udbff].)/);
    expect(all.match(/\[REDACTED:/g)?.length).toBeGreaterThan(10);
    expect(all).toContain('d0/\ufffd\ufffd.js');
    for (const metric of METRICS) expect(JSON.stringify(result[metric]), metric).toContain('[REDACTED:');
  }
});
