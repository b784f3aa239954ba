/** That jobs leave nothing behind: the benchmark of keys, with few jobs, ends well only if their number does not matter. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** No fewer than the queue keeps of ended jobs, which would still grow. */
const JOBS = '500';

it('twice as many jobs leave as many keys, once their results have expired', () => {
  const bench = fileURLToPath(new URL('../../bench/keys.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [bench, JOBS], { encoding: 'utf8', timeout: 120_000 });
  expect(stdout, stderr).toContain('\nflat: ');
  expect(status, stderr).toBe(0);
}, 120_000);
