/** How fast a scan is: `node bench/scan.mjs FOLDER`, beside `cat` of the same files and, where installed, cloc, tokei and scc. */
import { execFileSync, spawnSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listFiles, scan } from '../dist/workers/analysis/scan.js';
import { ms, printMachine, printTable, quantile } from './measure.mjs';

const root = realpathSync(process.argv[2] ?? '.');
const RUNS = Number(process.argv[3] ?? 3);
const signal = AbortSignal.timeout(30 * 60_000);

const { files } = await listFiles({ root, signal });
const listed = join(tmpdir(), `longhaul-bench-files-${process.pid}`);
writeFileSync(listed, files.map((file) => `${root}/${file}`).join('\0'));

const shell = (command) => async () => void execFileSync('sh', ['-c', command], { stdio: 'ignore' });
const has = (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

const contenders = [
  ['cat of every file', shell(`xargs -0 cat < '${listed}' > /dev/null`)],
  ['Longhaul, the scanner', async () => void (await scan({ root, signal }))],
  ...(has('tokei') ? [['tokei', shell(`tokei '${root}'`)]] : []),
  ...(has('scc') ? [['scc', shell(`scc '${root}'`)]] : []),
  ...(has('cloc') && !process.argv.includes('--no-cloc') ? [['cloc', shell(`cloc --quiet '${root}'`)]] : []),
];
printMachine();
process.stdout.write(`${files.length} files under the folder, ${RUNS} rounds, median\n\n`);
const times = new Map(contenders.map(([name]) => [name, []]));
// Round by round, so that the machine's mood is the same for all.
for (let round = 0; round <= RUNS; round++) {
  for (const [name, run] of contenders) {
    if (name === 'cloc' && round > 1) continue;
    const from = performance.now();
    await run();
    if (round > 0) times.get(name).push(performance.now() - from);
  }
}
const base = quantile(times.get('Longhaul, the scanner'), 0.5);
printTable(
  ['what', 'time', 'Longhaul takes'],
  contenders.map(([name]) => {
    const median = quantile(times.get(name), 0.5);
    return [name, ms(median), name.startsWith('Longhaul') ? '' : `${(base / median).toFixed(2)} ×`];
  }),
);
