/** Builds the program once before any suite, since tests that start processes run what is shipped. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** For work on one suite while another part of the tree does not compile; CI never honours it. */
const SKIP = 'TEST_NO_BUILD';

/** Builds as a user does, incrementally; throws with the compilers' own words when something does not compile. */
export default function setup(): void {
  if (process.env[SKIP] && !process.env.CI) {
    process.stderr.write(`${SKIP} is set: the tests run on whatever dist/ holds\n`);
    return;
  }
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' });
  if (build.status === 0) return;
  const said = [build.stdout, build.stderr, build.error?.message].filter(Boolean).join('\n').trim();
  throw new Error(
    `The tests need a build, and \`npm run build\` failed (exit ${build.status}):\n${said}\n` +
      `Mend that, or set ${SKIP}=1 to run suites that start no process of ours.`,
  );
}
