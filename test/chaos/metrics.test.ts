/** Kills the workers of a scan in the middle of its metrics: what was measured before is not measured again, and the result is whole. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import { init, jobIdOf, type WireMessage, type WireSession } from '../support/http-wire.js';
import { workersOf } from '../support/processes.js';
import { openSite, type Site } from '../support/site.js';

let site: Site;
beforeEach(async () => {
  site = await openSite();
});
afterEach(() => site.close());

const FILES = 6_000;
const lines = Array.from({ length: 12 }, (_, n) => `  total = total + values[${n}] * weight(${n});\n`).join('');

function plant(name: string): string {
  const tree = join(site.root, name);
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

/** A scan in whose midst the workers are killed twice: in a part of it, and while it looks for clones. */
async function stormy(session: WireSession, name: string) {
  const tree = plant(name);
  const args = { path: tree, metrics: ['complexity', 'duplication', 'hotspots'], min_tokens: 40 };
  const call = await session.call(name, 'analyze_codebase', args, name);
  await call.message(tells(/^Complexity: [1-9]/), 120_000);
  await killWorkers();
  await call.message(tells(/^Duplication: /), 120_000);
  // Whoever measured complexity again would find a function that it did not find at first.
  appendFileSync(join(tree, 'f1.py'), 'def late(a):\n  return a\n');
  await killWorkers();
  const { result } = await call.response(name, 120_000);
  const looked = await session.result(`look ${name}`, 'get_job', { job_id: jobIdOf(result) });
  return { call, result, job: looked.structuredContent };
}

it('a worker killed in a part of complexity or while it looks for clones costs only that, and progress rises on', {
  timeout: 400_000,
}, async () => {
  const session = await init(await site.http({ env: { LONGHAUL_PART_FILES: '1000' } }));
  let storms = 0;
  // Whoever is held up between a word and its kill comes too late for that, and something else dies.
  const { call, result, job } = await until(
    () => stormy(session, `storm-${++storms}`),
    (seen) => seen.job?.worker_crashes === 1,
    { what: 'one death in the job itself', limitMs: 200_000 },
  );
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
  expect(job).toMatchObject({ state: 'completed', attempt: 1 });
});
