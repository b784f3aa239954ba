/**
 * What a rescan costs beside the first scan, through client, queue and worker: `node bench/rescan.mjs FOLDER [ROUNDS]`. Each
 * round begins with an empty cache and fresh processes; between the scans nothing is changed.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { freshSettings, ms, printMachine, printTable, quantile } from './measure.mjs';

const root = realpathSync(process.argv[2] ?? '.');
const ROUNDS = Number(process.argv[3] ?? 3);
const RESCANS = 3;
const MAIN = fileURLToPath(new URL('../bundle/src/main.js', import.meta.url));
/** Scanned first, so that no figure holds the start of the worker and of Redis. */
const BESIDE = fileURLToPath(new URL('.', import.meta.url));
const UNLIKE = ['job_id', 'duration_ms', 'from_cache'];

async function round() {
  const cacheDir = mkdtempSync(join(tmpdir(), 'longhaul-bench-cache-'));
  const settings = freshSettings({ LONGHAUL_CACHE_DIR: cacheDir, LONGHAUL_SESSION_IDLE_SECONDS: '3600' });
  const client = new Client({ name: 'bench', version: '0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'stdio', '--root', root, '--root', BESIDE],
      env: settings.env,
      stderr: 'ignore',
    }),
  );
  const scan = async (use_cache) => {
    const from = performance.now();
    const args = { path: root, use_cache, response_format: 'json' };
    const { structuredContent } = await client.callTool(
      { name: 'analyze_codebase', arguments: args },
      { timeout: 600_000 },
    );
    const found = JSON.stringify(structuredContent, (key, value) => (UNLIKE.includes(key) ? undefined : value));
    return { took: performance.now() - from, found, fromCache: structuredContent.from_cache };
  };
  try {
    const beside = { path: BESIDE, use_cache: false };
    await client.callTool({ name: 'analyze_codebase', arguments: beside }, { timeout: 600_000 });
    const first = await scan(true);
    const again = [];
    for (let i = 0; i < RESCANS; i++) again.push(await scan(true));
    const uncached = await scan(false);
    const alike = again.every(({ found }) => found === first.found) && uncached.found === first.found;
    if (!alike) throw new Error('the results differ');
    return { first, again, uncached };
  } finally {
    await client.close();
    settings.dispose();
    rmSync(cacheDir, { recursive: true, force: true });
  }
}

const times = { first: [], again: [], uncached: [], ratio: [] };
let known = 0;
for (let i = 0; i < ROUNDS; i++) {
  const { first, again, uncached } = await round();
  const rescan = quantile(
    again.map(({ took }) => took),
    0.5,
  );
  times.first.push(first.took);
  times.again.push(...again.map(({ took }) => took));
  times.uncached.push(uncached.took);
  times.ratio.push(rescan / first.took);
  known = again.at(-1).fromCache;
}
printMachine();
process.stdout.write(`${known} files from the cache, results byte for byte alike, ${ROUNDS} rounds, median\n\n`);
const first = quantile(times.first, 0.5);
printTable(
  ['what', 'time', 'of the first'],
  [
    ['first scan, nothing known', times.first],
    ['rescan, nothing changed', times.again],
    ['scan with use_cache: false', times.uncached],
  ].map(([name, values]) => [name, ms(quantile(values, 0.5)), (quantile(values, 0.5) / first).toFixed(2)]),
);
process.stdout.write(`ratio within a round: ${times.ratio.map((value) => value.toFixed(3)).join(', ')}\n`);
