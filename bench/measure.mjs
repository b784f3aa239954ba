/** What all benchmarks share: percentiles, tables, a private Redis, and words on the machine. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { environment, loadConfig } from '../dist/src/config.js';

/** The `q` quantile (0 to 1) of numbers, by the nearest-rank method. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}

/** Milliseconds with as many digits as mean something. */
export const ms = (value) => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;

/** Prints rows as a Markdown table, ready for the README. */
export function printTable(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  process.stdout.write(`${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}\n\n`);
}

/** One line about the machine and the versions that were measured. */
export function printMachine(redisVersion = '') {
  const version = (name) =>
    JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
  const redis = redisVersion === '' ? '' : `, Redis ${redisVersion}`;
  process.stdout.write(
    `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, BullMQ ${version('bullmq')}, ` +
      `SDK ${version('@modelcontextprotocol/server')}${redis}\n\n`,
  );
}

/** Settings for a run of its own: a fresh data folder, deleted by `dispose`. */
export function freshSettings(more = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'longhaul-bench-'));
  const env = { ...environment(), LONGHAUL_DATA_DIR: dataDir, LONGHAUL_LOG_LEVEL: 'error', ...more };
  return { env, config: loadConfig(env), dispose: () => rmSync(dataDir, { recursive: true, force: true }) };
}
