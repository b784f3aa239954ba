/** Builds `dist/` once before any suite, since tests that start processes run what is shipped. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** For work on one suite while another part of the tree does not compile; CI never honours it. */
const SKIP = 'TEST_NO_BUILD';

const SCANNER = 'workers/analysis/lexer/simd-scan';

/** What `npm run build` runs: packages and the programs of theirs, with what to call them with. */
const STEPS: readonly (readonly [name: string, program: string, ...words: string[]])[] = [
  ['typescript', 'bin/tsc', '-p', 'tsconfig.json'],
  ['wabt', 'bin/wat2wasm', `${SCANNER}.wat`, '-o', `dist/${SCANNER}.wasm`],
];

/** Builds `dist/`, incrementally; throws with the compilers' own words when something does not compile. */
export default function setup(): void {
  if (process.env[SKIP] && !process.env.CI) {
    process.stderr.write(`${SKIP} is set: the tests run on whatever dist/ holds\n`);
    return;
  }
  const { resolve } = createRequire(import.meta.url);
  for (const [name, program, ...words] of STEPS) {
    const compiler = join(dirname(resolve(`${name}/package.json`)), program);
    const build = spawnSync(process.execPath, [compiler, ...words], { cwd: root, encoding: 'utf8' });
    if (build.status === 0) continue;
    const said = [build.stdout, build.stderr, build.error?.message].filter(Boolean).join('\n').trim();
    throw new Error(
      `The tests need a build, and \`${[program, ...words].join(' ')}\` failed (exit ${build.status}):\n${said}\n` +
        `Mend that, or set ${SKIP}=1 to run suites that start no process of ours.`,
    );
  }
}
