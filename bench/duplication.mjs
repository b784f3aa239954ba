/** What a search for duplicated code costs: `node bench/duplication.mjs FOLDER [exact|names]`, time, processor time and peak memory. */
import { realpathSync } from 'node:fs';
import { measureDuplication } from '../dist/workers/analysis/duplication/measure-duplication.js';
import { listFiles } from '../dist/workers/analysis/scan.js';
import { ms, printMachine, printTable } from './measure.mjs';

const root = realpathSync(process.argv[2] ?? '.');
const normalize = process.argv[3] ?? 'exact';
const signal = AbortSignal.timeout(30 * 60_000);

const { files, handwritten } = await listFiles({ root, signal });
const before = process.cpuUsage();
const from = performance.now();
const { totals, clonesFound, complete } = await measureDuplication({ root, files, handwritten, normalize, signal });
const took = performance.now() - from;
const { user, system } = process.cpuUsage(before);

printMachine();
printTable(
  ['files compared', 'code lines', 'clones', 'duplicated', 'complete', 'time', 'processor time', 'peak memory'],
  [
    [
      totals.files,
      totals.codeLines,
      clonesFound,
      `${totals.percentage} %`,
      complete,
      ms(took),
      ms((user + system) / 1000),
      `${Math.round(process.resourceUsage().maxRSS / 1024)} MiB`,
    ],
  ],
);
