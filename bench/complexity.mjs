/** How fast complexity is measured: `node bench/complexity.mjs FOLDER`, beside the plain scan of the same files. */
import { realpathSync } from 'node:fs';
import { measureComplexity } from '../dist/workers/analysis/complexity/measure-complexity.js';
import { listFiles, scan } from '../dist/workers/analysis/scan.js';
import { ms, printMachine, printTable, quantile } from './measure.mjs';

const root = realpathSync(process.argv[2] ?? '.');
const RUNS = Number(process.argv[3] ?? 3);
const signal = AbortSignal.timeout(30 * 60_000);
const { files, handwritten } = await listFiles({ root, signal });

const contenders = [
  ['the plain scan', () => scan({ root, signal })],
  ['complexity', () => measureComplexity({ root, files, handwritten, signal })],
];
printMachine();
process.stdout.write(
  `${files.length} files under the folder, ${RUNS} rounds, median; the first, which warms up, is left out\n\n`,
);
const times = new Map(contenders.map(([name]) => [name, []]));
const cpus = new Map(contenders.map(([name]) => [name, []]));
// Round by round, so that the machine's mood is the same for all.
for (let round = 0; round <= RUNS; round++) {
  for (const [name, run] of contenders) {
    const from = performance.now();
    const cpu = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(cpu);
    if (round === 0) continue;
    times.get(name).push(performance.now() - from);
    cpus.get(name).push((user + system) / 1000);
  }
}
const base = quantile(times.get('the plain scan'), 0.5);
printTable(
  ['what', 'time', 'processor time', 'files a second', 'of the plain scan'],
  contenders.map(([name]) => {
    const median = quantile(times.get(name), 0.5);
    const perSecond = Math.round((1000 * files.length) / median);
    return [name, ms(median), ms(quantile(cpus.get(name), 0.5)), `${perSecond}`, `${(median / base).toFixed(1)} ×`];
  }),
);
