/** The metrics of analyze_codebase on the wire of both eras: they fit their schema, and progress rises to the end. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { METRICS } from '../../src/tools/metrics.js';
import { init, jobIdOf, m26, type Reply, textOf, type WireSession } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
let session: WireSession;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
  session = await init(server);
  await plant(join(site.root, 'tree'));
});
afterAll(() => site.close());

const FILES = 300;

async function plant(folder: string): Promise<void> {
  await mkdir(folder);
  const source = (n: number) =>
    `export function f${n}(a) {\n  if (a) return a.map((x) => x + ${n});\n  for (const b of [1, 2]) {\n    if (b > a) return b;\n  }\n  return ${n} * a - a / 2;\n}\n`;
  await Promise.all(Array.from({ length: FILES }, (_, n) => writeFile(join(folder, `f${n}.js`), source(n % 100))));
  await writeFile(join(folder, 'package.json'), '{"dependencies": {"left": "1.0.0"}, "broken": ');
  execFileSync('git', ['init', '-q', folder]);
}

function progressOf(reply: Reply): number[] {
  const told = reply.messages().filter(({ method }) => method === 'notifications/progress');
  return told.map(({ params }) => Number(params?.progress));
}

/** How much of what the phases tell gets through is a matter of time: on a quick machine none of it but the end. */
function expectRising(reply: Reply): void {
  const values = progressOf(reply);
  expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  expect(values.at(-1)).toBe(100);
}

it('fit the published schema, with a broken manifest named and nothing failed for it', async () => {
  const reply = await session.call(
    1,
    'analyze_codebase',
    { path: 'tree', metrics: METRICS, response_format: 'json' },
    'p1',
  );
  const { result } = await reply.response(1, 60_000);
  expect(result?.isError, textOf(result)).toBeUndefined();
  expect(JSON.parse(textOf(result))).toEqual(result?.structuredContent);
  expect(result?.structuredContent).toMatchObject({
    files_scanned: FILES + 1,
    complexity: { status: 'complete', totals: { functions: 2 * FILES } },
    duplication: { status: 'complete', clones_total: expect.any(Number) },
    dependencies: { status: 'partial', problems: [{ path: 'package.json' }] },
    coverage: { status: 'complete', reports_total: 0, percentage: null },
    hotspots: { status: 'complete', history: { source: 'git', commits: 0 } },
  });
  const listed = await (await session.request(2, 'tools/list')).response(2);
  const tools = listed.result?.tools as { name: string; outputSchema: object }[];
  const schema = tools.find(({ name }) => name === 'analyze_codebase')?.outputSchema ?? {};
  const fits = new Ajv2020({ strict: true }).compile(schema);
  expect(fits(result?.structuredContent), JSON.stringify(fits.errors)).toBe(true);
  expectRising(reply);

  const pageOf = async (section: string) => {
    const args = { job_id: jobIdOf(result), section, limit: 2 };
    return (await session.result(section, 'get_job', args)).structuredContent;
  };
  expect(await pageOf('functions')).toMatchObject({ page: { total: 2 * FILES } });
  for (const section of ['clones', 'dependencies', 'coverage', 'hotspots'])
    expect(await pageOf(section)).toMatchObject({ page: { total: expect.any(Number) } });
});

it('are the same to a client of 2026-07-28', async () => {
  const params = {
    name: 'analyze_codebase',
    arguments: { path: 'tree', metrics: ['complexity', 'hotspots'] },
  };
  const reply = await m26(server, 3, ['tools/call', params], { meta: { progressToken: 'p2' } });
  const { result } = await reply.response(3, 60_000);
  expect(result?.structuredContent).toMatchObject({ complexity: { totals: { functions: 2 * FILES } } });
  expect(textOf(result)).toMatch(/## Complexity[\s\S]*\| f\d+ \(f\d+\.js:1\) \|[\s\S]*## Hotspots/);
  expectRising(reply);
});

it('that nobody knows start nothing, and the answer names the nearest', async () => {
  const result = await session.result(4, 'analyze_codebase', { path: 'tree', metrics: ['hotspot'] });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain('unknown metric "hotspot" (did you mean hotspots?)');
});
