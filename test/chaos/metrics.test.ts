/** Kills the workers of a scan in the middle of its metrics: what was measured before is not measured again, and the result is whole. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { init, jobIdOf, type WireMessage } from '../support/http-wire.js';
import { workersOf } from '../support/processes.js';
import { openSite, type Site } from '../support/site.js';

let site: Site;
beforeEach(async () => {
  site = await openSite();
});
afterEach(() => site.close());

const FILES = 6_000;
const lines = Array.from({ length: 12 }, (_, n) => `  total = total + values[${n}] * weight(${n});\n`).join('');

function plant(): string {
  const tree = join(site.root, 'tree');
  mkdirSync(tree);
  for (let n = 0; n < FILES; n++)
    writeFileSync(join(tree, `f${n}.py`), `def f${n}(values):\n  total = ${n}\n${lines}  return total\n`);
  return tree;
}

const tells = (words: RegExp) => (message: WireMessage) =>
  message.method === 'notifications/progress' && words.test(String(message.params?.message));

const killWorkers = async () => {
  for (const pid of await workersOf(site.dataDir)) process.kill(pid, 'SIGKILL');
};

it('a worker killed in a part of complexity or while it looks for clones costs only that, and progress rises on', {
  timeout: 240_000,
}, async () => {
  const tree = plant();
  const session = await init(await site.http({ env: { LONGHAUL_PART_FILES: '1000' } }));
  const args = { path: tree, metrics: ['complexity', 'duplication', 'hotspots'], min_tokens: 40 };
  const call = await session.call(1, 'analyze_codebase', args, 't');
  await call.message(tells(/^Complexity: [1-9]/), 120_000);
  await killWorkers();
  await call.message(tells(/^Duplication: /), 120_000);
  // Whoever measured complexity again would find a function that it did not find at first.
  appendFileSync(join(tree, 'f1.py'), 'def late(a):\n  return a\n');
  await killWorkers();

  const { result } = await call.response(1, 120_000);
  expect(result?.structuredContent).toMatchObject({
    files_scanned: FILES,
    complexity: { status: 'complete', totals: { files: FILES, functions: FILES } },
    duplication: { status: 'complete', clones: [{ lines: 13, copies: FILES }] },
    hotspots: { status: 'partial', history: { source: 'none' } },
  });
  const values = call
    .messages()
    .filter(tells(/./))
    .map(({ params }) => Number(params?.progress));
  expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
  expect(values.at(-1)).toBe(100);
  const looked = await session.result(2, 'get_job', { job_id: jobIdOf(result) });
  expect(looked.structuredContent).toMatchObject({ state: 'completed', attempt: 1, worker_crashes: 1 });
});
