/** Holds package.json to what a stranger does with it: starts it with npm, stops npm, and packs it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { cliHome } from './cli/run-cli.js';
import { killAllOf, nothingRuns } from './support/processes.js';
import { testCacheDir } from './support/redis.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
/** The tests have built it already; both spare npm what it would do besides. */
const NPM_OPTIONS = ['--silent', '--ignore-scripts', '--no-update-notifier'];

it('npm start stops all it started when npm is asked to stop', async () => {
  const { folder, dataDir } = await cliHome();
  const npm = spawn('npm', ['start', ...NPM_OPTIONS, '--', 'http', '--port', '0'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: join(folder, 'home'),
      LONGHAUL_DATA_DIR: dataDir,
      LONGHAUL_CACHE_DIR: testCacheDir(),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => killAllOf(folder));
  let said = '';
  for await (const chunk of npm.stderr) {
    said += chunk;
    if (said.includes('"listening"')) break;
  }
  const ended = once(npm, 'exit');
  npm.kill('SIGTERM');
  await ended;
  await nothingRuns(folder, 60_000);
});

it('a package holds the program it names, and nothing of the compiler’s own', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', ...NPM_OPTIONS], { cwd: ROOT, encoding: 'utf8' });
  const packs = z.array(z.object({ files: z.array(z.object({ path: z.string() })) })).parse(JSON.parse(listed));
  const paths = packs.flatMap(({ files }) => files.map(({ path }) => path));
  expect(paths).toEqual(
    expect.arrayContaining([
      ...['bundle/src/main.js', 'bundle/src/tool.js', 'bundle/workers/analysis/lexer/simd-scan.wasm'],
      ...['dist/src/tool.d.ts', 'README.md', 'LICENSE'],
    ]),
  );
  expect(paths.filter((path) => !/^dist\/.*\.d\.ts$/.test(path) && path.startsWith('dist/'))).toEqual([]);
});
