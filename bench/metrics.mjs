/** What each metric costs: `node bench/metrics.mjs FOLDER`, each in a process of its own, beside the plain scan of the same files. */
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listFiles, scan } from '../dist/workers/analysis/scan.js';
import * as engines from '../dist/workers/handlers/metrics/engines.js';
import { ms, printMachine, printTable } from './measure.mjs';

const root = realpathSync(process.argv[2] ?? '.');
const METRICS = {
  complexity: engines.runComplexity,
  duplication: engines.runDuplication,
  dependencies: engines.runDependencies,
  coverage: engines.runCoverage,
  hotspots: (work, onShare) => engines.runHotspots(work, Array(work.list.files.length).fill(1), onShare),
};

if (process.argv[3]) await measure(process.argv[3]);
else report();

/** Measures one metric here, and prints what it took as JSON. */
async function measure(name) {
  const signal = AbortSignal.timeout(60 * 60_000);
  const list = await listFiles({ root, signal });
  const blocks = watchBlocks();
  const cpu = process.cpuUsage();
  const from = performance.now();
  if (name === 'scan') await scan({ root, signal });
  else await METRICS[name]({ root, list, signal }, () => {});
  const took = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  const figures = {
    took,
    cpu: (user + system) / 1000,
    rss: process.resourceUsage().maxRSS / 1024,
    blocked: blocks.longest(),
    files: list.files.length,
  };
  process.stdout.write(JSON.stringify(figures));
}

/** The longest the event loop's own thread was busy between two turns, in milliseconds: what others take from it does not count. */
function watchBlocks() {
  const busyMs = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  let before = busyMs();
  let longest = 0;
  const look = () => {
    const now = busyMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  setInterval(look, 1).unref();
  return {
    longest() {
      look();
      return longest;
    },
  };
}

function report() {
  const names = ['scan', ...Object.keys(METRICS)];
  const run = (name) =>
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), root, name], { encoding: 'utf8' });
  const rows = names.map((name) => [name, JSON.parse(run(name))]);
  const [[, plain]] = rows;
  printMachine();
  process.stdout.write(
    `${plain.files} files under the folder, one round, cold threads; hotspots without complexity's share\n\n`,
  );
  printTable(
    ['what', 'time', 'processor time', 'of the plain scan', 'peak memory', 'longest block of the event loop'],
    rows.map(([name, { took, cpu, rss, blocked }]) => [
      name === 'scan' ? 'the plain scan' : name,
      ms(took),
      ms(cpu),
      `${(took / plain.took).toFixed(1)} ×`,
      `${Math.round(rss)} MiB`,
      ms(blocked),
    ]),
  );
}
