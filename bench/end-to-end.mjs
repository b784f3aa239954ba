/**
 * What counting a tree costs from call to result, through client, front end, queue and worker, beside reading its files and
 * doing nothing else: `node bench/end-to-end.mjs FOLDER [ROUNDS] [--cloc]`. Each round begins with fresh processes and an
 * empty cache; what is compared is measured within it. Files are read by one thread and by two; the targets are those of one,
 * whose time and processor time are about the same, as they are in the figure that the targets were scaled from (0.83 s with
 * 0.86 s of processor). Processor time and memory are those of all processes of the
 * installation but the client, Redis among them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { listFiles } from '../dist/workers/analysis/scan.js';
import { freshSettings, printMachine, printTable, quantile } from './measure.mjs';
import { cpuMs, processesOf, watchMemory } from './processes.mjs';
import { openReader } from './read-only.mjs';

const [folder = '.', rounds = '3'] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const root = realpathSync(folder);
const ROUNDS = Number(rounds);
const THREADS = [1, 2];
const RESCANS = 3;
const SAMPLE_FILES = 10_000;
const LIMIT = { timeout: 300_000 };
const MAIN = fileURLToPath(new URL('../bundle/src/main.js', import.meta.url));
/** Scanned first, so that no figure holds the start of the worker and of Redis. */
const BESIDE = fileURLToPath(new URL('.', import.meta.url));
const UNLIKE = ['job_id', 'duration_ms', 'from_cache'];

const readOnly = (threads) => `read-only, ${threads} ${threads === 1 ? 'thread' : 'threads'}`;
const READ = readOnly(1);
const FIRST = 'Longhaul, first scan';
const AGAIN = 'Longhaul, rescan';
const UNCACHED = 'Longhaul, use_cache: false';

const scratch = mkdtempSync(join(tmpdir(), 'longhaul-bench-tree-'));
const cacheDir = join(scratch, 'cache');
mkdirSync(cacheDir);
const { files } = await listFiles({ root, signal: AbortSignal.timeout(600_000) });
const listed = join(scratch, 'files');
writeFileSync(listed, files.map((file) => `${root}/${file}`).join('\0'));
const sample = copySample();
const paths = files.map((file) => `${root}/${file}`);
const readers = await Promise.all(THREADS.map((threads) => openReader(paths, threads)));

/** A repository of about `SAMPLE_FILES` of the files, evenly chosen; copied, since a link would change the times of the tree. */
function copySample() {
  const step = Math.max(1, Math.round(files.length / SAMPLE_FILES));
  const chosen = files.filter((_, index) => index % step === 0);
  const place = join(scratch, 'sample');
  for (const file of chosen) {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    copyFileSync(`${root}/${file}`, join(place, file));
  }
  const git = (...words) => execFileSync('git', ['-C', place, ...words], { stdio: 'ignore' });
  git('init', '-q');
  git('add', '--all', '--force');
  return { root: realpathSync(place), files: chosen.length };
}

function has(name) {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

/** Other programs on the same files; a shell's own time is a few milliseconds. */
function others() {
  const tools = [
    ['cat of every file', `xargs -0 cat < '${listed}'`],
    ['wc -l of every file', `xargs -0 wc -l < '${listed}'`],
    ...['tokei', 'scc'].filter(has).map((name) => [name, `${name} '${root}'`]),
  ];
  const cloc = process.argv.includes('--cloc') && has('cloc') ? [['cloc', `cloc --quiet '${root}'`]] : [];
  return { tools, cloc };
}

/** The shell says what it and its children used: the last line of `times`. */
function runOther(command) {
  const from = performance.now();
  const { stdout } = spawnSync('sh', ['-c', `{ ${command}; } > /dev/null 2>&1; times`], { encoding: 'utf8' });
  const took = performance.now() - from;
  const used = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  const cpu = used.reduce((sum, [, minutes, seconds]) => sum + 60_000 * Number(minutes) + 1000 * Number(seconds), 0);
  return { took, cpu };
}

/** A fresh installation with an empty cache; `scan` answers with what a call took and used. */
async function openInstallation() {
  // The folder stays: a Redis that had to be fetched is fetched once.
  rmSync(join(cacheDir, 'counts'), { recursive: true, force: true });
  const settings = freshSettings({ LONGHAUL_CACHE_DIR: cacheDir });
  const client = new Client({ name: 'bench', version: '0' });
  const roots = [root, sample.root, BESIDE].flatMap((path) => ['--root', path]);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'stdio', ...roots],
      env: settings.env,
      stderr: 'ignore',
    }),
  );
  const call = (path, use_cache) =>
    client.callTool({ name: 'analyze_codebase', arguments: { path, use_cache, response_format: 'json' } }, LIMIT);
  await call(BESIDE, false);
  const { dataDir } = settings.config;
  return {
    async scan(path, use_cache = true) {
      const pids = processesOf(dataDir);
      const memory = watchMemory(dataDir);
      const [from, cpuFrom] = [performance.now(), cpuMs(pids)];
      const { structuredContent, isError } = await call(path, use_cache);
      const took = performance.now() - from;
      const found = JSON.stringify(structuredContent, (key, value) => (UNLIKE.includes(key) ? undefined : value));
      if (isError) throw new Error(`a scan failed: ${found}`);
      return { took, cpu: cpuMs(pids) - cpuFrom, memory: memory(), found, fromCache: structuredContent.from_cache };
    },
    async close() {
      await client.close();
      settings.dispose();
    },
  };
}

const figures = new Map();
function note(name, { took, cpu, memory }) {
  const row = figures.get(name) ?? { took: [], cpu: [], rss: [], pss: [], parts: '' };
  figures.set(name, row);
  row.took.push(took);
  row.cpu.push(cpu);
  if (memory === undefined) return;
  row.rss.push(memory.rss);
  row.pss.push(memory.pss);
  if (Math.max(...row.rss) === memory.rss) row.parts = memory.parts;
}

const ratios = { wall: [], cpu: [], rescan: [], growth: [] };

async function round(tools) {
  const installation = await openInstallation();
  try {
    const reads = [];
    for (const reader of readers) reads.push(await reader.read());
    for (const [index, read] of reads.entries()) note(readOnly(THREADS[index]), read);
    const [read] = reads;
    const small = await installation.scan(sample.root);
    const first = await installation.scan(root);
    note(FIRST, first);
    const again = [];
    for (let i = 0; i < RESCANS; i++) again.push(await installation.scan(root));
    for (const rescan of again) note(AGAIN, rescan);
    const uncached = await installation.scan(root, false);
    note(UNCACHED, uncached);
    for (const [name, command] of tools) note(name, runOther(command));
    if (![...again, uncached].every(({ found }) => found === first.found)) throw new Error('the results differ');
    ratios.wall.push(first.took / read.took);
    ratios.cpu.push(first.cpu / read.cpu);
    ratios.rescan.push(median(again.map(({ took }) => took)) / first.took);
    ratios.growth.push(first.took / small.took / (files.length / sample.files));
    return { bytes: read.bytes, known: again.at(-1).fromCache };
  } finally {
    await installation.close();
  }
}

const median = (values) => quantile(values, 0.5);
const seconds = (value) => `${(value / 1000).toFixed(2)} s`;
const mebibytes = (value) => `${Math.round(value / 2 ** 20)} MiB`;

function report({ bytes, known }) {
  printMachine();
  const size = `${files.length} files, ${(bytes / 1e9).toFixed(2)} GB`;
  process.stdout.write(
    `${size}; ${known} of them from the cache in a rescan; ${ROUNDS} rounds, medians; load ${loadavg()[0].toFixed(1)}\n\n`,
  );
  const base = figures.get(READ);
  printTable(
    ['what', 'time', 'of read-only', 'processor time', 'of read-only', 'peak RSS (PSS)'],
    [...figures].map(([name, { took, cpu, rss, pss }]) => [
      name,
      seconds(median(took)),
      `${(median(took) / median(base.took)).toFixed(2)} ×`,
      seconds(median(cpu)),
      `${(median(cpu) / median(base.cpu)).toFixed(2)} ×`,
      rss.length === 0 ? '' : `${mebibytes(Math.max(...rss))} (${mebibytes(Math.max(...pss))})`,
    ]),
  );
  const peak = Math.max(...[FIRST, AGAIN, UNCACHED].flatMap((name) => figures.get(name).rss)) / 2 ** 20;
  printTable(
    ['within a round (median)', 'wanted', 'seen', 'rounds'],
    [
      ['first scan, time of read-only by one thread', 3.4, ratios.wall],
      ['first scan, processor time of read-only by one thread', 7, ratios.cpu],
      ['rescan, time of the first scan', 0.15, ratios.rescan],
      [`growth from ${sample.files} to ${files.length} files, of linear`, 1.1, ratios.growth],
    ].map(([name, wanted, seen]) => [
      name,
      `≤ ${wanted}`,
      median(seen).toFixed(2),
      seen.map((value) => value.toFixed(2)).join(', '),
    ]),
  );
  process.stdout.write(
    `peak RSS ${Math.round(peak)} MiB (wanted ≤ 400 MB), at the first scan: ${figures.get(FIRST).parts}\n`,
  );
}

try {
  const { tools, cloc } = others();
  let last;
  for (let i = 0; i < ROUNDS; i++) last = await round(tools);
  for (const [name, command] of cloc) note(name, runOther(command));
  report(last);
} finally {
  await Promise.all(readers.map((reader) => reader.close()));
  rmSync(scratch, { recursive: true, force: true });
}
