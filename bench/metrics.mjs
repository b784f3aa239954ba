/**
 * What each metric costs, and all five in one call: `node bench/metrics.mjs FOLDER`, beside the plain scan of the same files.
 * Every process has 256 MiB of old space. First each metric in a process of its own, then calls from end to end: through
 * client, front end, queue and worker, with the memory of all processes together.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { METRICS } from '../dist/src/tools/metrics.js';
import { listFiles, scan } from '../dist/workers/analysis/scan.js';
import { measureMetrics } from '../dist/workers/handlers/metrics/measure-metrics.js';
import { freshSettings, ms, printMachine, printTable } from './measure.mjs';
import { cpuMs, processesOf, watchMemory } from './processes.mjs';

const HEAP_OPTION = '--max-old-space-size=256';
const ALL = 'all five';
const HOUR_MS = 3_600_000;
const MAIN = fileURLToPath(new URL('../bundle/src/main.js', import.meta.url));
const BESIDE = fileURLToPath(new URL('.', import.meta.url));
const root = realpathSync(process.argv[2] ?? '.');

if (process.argv[3]) await measure(process.argv[3]);
else await report();

/** Measures one metric here, alone and without a cache, and prints what it took as JSON. */
async function measure(name) {
  const signal = AbortSignal.timeout(HOUR_MS);
  const list = await listFiles({ root, signal });
  const watched = watchThread();
  const cpu = process.cpuUsage();
  const from = performance.now();
  if (name === 'scan') await scan({ root, signal });
  else await measureMetrics(planOf(name, list), contextOf(signal));
  const took = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  const rss = process.resourceUsage().maxRSS / 1024;
  const figures = { took, cpu: (user + system) / 1000, rss, files: list.files.length, ...watched() };
  process.stdout.write(JSON.stringify(figures));
}

function planOf(name, list) {
  const names = name === ALL ? METRICS : [name];
  const redactor = { redactJson: async (value) => value };
  const complexity = { partFiles: Number.POSITIVE_INFINITY };
  return { names, work: { root, list }, complexity, redactor, from: 0, to: 100 };
}

function contextOf(signal) {
  const step = (_key, act) => act();
  return { signal, step, progress: () => {}, log: () => {}, table: async () => {}, fanOut: () => {} };
}

/** How long the event loop's own thread was busy between two turns at most (what others take from it does not count), and its heap. */
function watchThread() {
  const busyMs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  let before = busyMs();
  const most = { blocked: 0, heap: 0 };
  const look = () => {
    const now = busyMs();
    most.blocked = Math.max(most.blocked, now - before);
    most.heap = Math.max(most.heap, process.memoryUsage().heapUsed / 2 ** 20);
    before = now;
  };
  setInterval(look, 1).unref();
  return () => {
    look();
    return most;
  };
}

async function report() {
  printMachine();
  const names = ['scan', ...METRICS, ALL];
  const rows = names.map((name) => {
    const seen = execFileSync(process.execPath, argumentsFor(name)).toString();
    // It takes long on a large tree; whoever looks sees how far it is.
    process.stderr.write(`${name} ${seen}\n`);
    return [name, JSON.parse(seen)];
  });
  const [[, plain]] = rows;
  process.stdout.write(`${plain.files} files, one round, cold threads, no cache; load ${loadavg()[0].toFixed(1)}\n\n`);
  printTable(
    ['in one process', 'time', 'processor time', 'of the plain scan', 'peak RSS', 'peak heap', 'longest block'],
    rows.map(([name, { took, cpu, rss, heap, blocked }]) => [
      name === 'scan' ? 'the plain scan' : name,
      seconds(took),
      seconds(cpu),
      `${(cpu / plain.cpu).toFixed(1)} ×`,
      `${Math.round(rss)} MiB`,
      `${Math.round(heap)} MiB`,
      ms(blocked),
    ]),
  );
  printTable(
    ['from end to end', 'time', 'processor time', 'peak RSS of all processes', 'of which', 'partial or failed'],
    await endToEnd(),
  );
}

function argumentsFor(name) {
  return [HEAP_OPTION, fileURLToPath(import.meta.url), root, name];
}

/** Calls one after the other on a fresh installation with an empty cache. */
async function endToEnd() {
  const cacheDir = mkdtempSync(join(tmpdir(), 'longhaul-bench-cache-'));
  const settings = freshSettings({ LONGHAUL_CACHE_DIR: cacheDir, NODE_OPTIONS: HEAP_OPTION });
  const client = new Client({ name: 'bench', version: '0' });
  const args = [MAIN, 'stdio', '--root', root, '--root', BESIDE];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: settings.env, stderr: 'ignore' }),
  );
  const call = (more) => client.callTool({ name: 'analyze_codebase', arguments: more }, { timeout: HOUR_MS });
  try {
    // The start of the worker and of Redis is in no figure.
    await call({ path: BESIDE });
    const rows = [];
    for (const [name, more] of [
      ['the plain scan', { use_cache: false }],
      ['with all five', { metrics: METRICS }],
      ['again', { metrics: METRICS }],
    ])
      rows.push(
        await watchedCall(name, { dataDir: settings.config.dataDir, run: () => call({ path: root, ...more }) }),
      );
    return rows;
  } finally {
    await client.close();
    settings.dispose();
    rmSync(cacheDir, { recursive: true, force: true });
  }
}

async function watchedCall(name, { dataDir, run }) {
  const pids = processesOf(dataDir);
  const memory = watchMemory(dataDir);
  const [from, cpuFrom] = [performance.now(), cpuMs(pids)];
  const { structuredContent: found, isError, content } = await run();
  const took = performance.now() - from;
  const { rss, parts } = memory();
  if (isError) throw new Error(`the call failed: ${content[0]?.text}`);
  const lacking = METRICS.flatMap((metric) =>
    found[metric] && found[metric].status !== 'complete' ? [`${metric}: ${found[metric].reason}`] : [],
  );
  const used = seconds(cpuMs(pids) - cpuFrom);
  return [name, seconds(took), used, `${Math.round(rss / 2 ** 20)} MiB`, parts, lacking.join(' ')];
}

function seconds(value) {
  return `${(value / 1000).toFixed(1)} s`;
}
