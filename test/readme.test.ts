/** The README's tables and commands, held to the code. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../src/config.js';
import { ERROR_KINDS } from '../src/core/errors.js';
import { FRONT_END_TOOLS } from '../src/mcp/front-end-tools.js';
import { METRICS } from '../src/metrics/catalogue.js';
import { BUILT_IN_CONTRACTS } from '../src/tools/built-in.js';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

/** The rows of the table under a heading, cells trimmed, head and rule left out. */
function tableUnder(heading: string): string[][] {
  const section = readme.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const code = (text: string) => (text === '' ? '' : `\`${text}\``);

describe('the README', () => {
  it('names every tool and no other', () => {
    const names = [...BUILT_IN_CONTRACTS.map(({ name }) => name), ...FRONT_END_TOOLS.keys()].map(code);
    expect(
      tableUnder('Tools')
        .map(([name]) => name)
        .sort(),
    ).toEqual(names.sort());
  });

  it('names every setting with its default and meaning', () => {
    const rows = Object.entries(SETTINGS).map(([name, { fallback, meaning }]) => [code(name), code(fallback), meaning]);
    expect(tableUnder('Settings')).toEqual(rows);
  });

  it('names every error code with its meaning', () => {
    const rows = Object.entries(ERROR_KINDS).map(([name, kind]) => [
      code(name),
      kind.retryable ? 'yes' : 'no',
      kind.meaning,
    ]);
    expect(tableUnder('Errors')).toEqual(rows);
  });

  it('names every metric with its type, labels and meaning', () => {
    const rows = Object.entries(METRICS).map(([name, { type, labels, help }]) => [
      code(name),
      type,
      labels.map(code).join(', '),
      help,
    ]);
    expect(tableUnder('Metrics')).toEqual(rows);
  });

  it('gives the test command that continuous integration runs', () => {
    expect(readme).toContain('npm ci && npm test');
    expect(read('.ci/run')).toMatch(/npm ci[\s\S]*npm test/);
  });
});
