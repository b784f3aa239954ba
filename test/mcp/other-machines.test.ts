/** Workers that see other folders than the server, as on machines without a mount; real mount namespaces stand for machines. */
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { init, jobIdOf, textOf, type WireSession } from '../support/http-wire.js';
import { openSite, type Site, type SiteProcess } from '../support/site.js';

const CAN_UNSHARE = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt']).status === 0;

let site: Site;
let session: WireSession;
beforeEach(async () => {
  site = await openSite();
  await mkdir(join(site.root, 'project'));
  await writeFile(join(site.root, 'project', 'a.ts'), 'export const a = 1;\n');
  session = await init(await site.http({ workers: 0 }));
});
afterEach(() => site.close());

/** A worker for which the site's root is an empty folder. */
function startBlind(): Promise<SiteProcess> {
  const within = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none "$0" && exec "$@"', site.root];
  return site.worker({ within });
}

describe.skipIf(!CAN_UNSHARE)('a job whose path a worker cannot see', () => {
  test('is passed on to one that can, without a slot and without an attempt, and its caller is told', async () => {
    await site.worker({ args: ['--concurrency', '1'] });
    const gate = site.gate();
    const held = await session.call(1, 'gated', { gate: gate.path, progress: [1] }, 'held');
    await held.message(({ params }) => params?.progress === 1);
    const blind = await startBlind();

    const call = await session.call(2, 'analyze_codebase', { path: 'project' }, 'token');
    const told = await call.message(({ method }) => method === 'notifications/message');
    expect(told.params).toMatchObject({
      level: 'warning',
      data: 'A worker cannot see "project", so the job is passed on to the others.',
    });
    // Both slots of the worker that cannot see it are free for others.
    const others = [3, 4, 5].map((id) => session.result(id, 'echo', { text: `number ${id}` }));
    for (const result of await Promise.all(others)) expect(result.isError).toBeUndefined();
    const passes = () => blind.log.filter(({ msg }) => msg.includes('cannot be seen here')).length;
    expect(passes()).toBeLessThan(8);

    await gate.open();
    const { result } = await call.response(2, 20_000);
    expect(textOf(result)).toContain('1 file');
    const job = await session.result(6, 'get_job', { job_id: jobIdOf(result) });
    expect(job.structuredContent).toMatchObject({ state: 'completed', attempt: 1, worker_crashes: 0, faults: [] });
  });

  test('fails when no worker can, in the words of the client', async () => {
    await Promise.all([startBlind(), startBlind()]);
    const result = await session.result(1, 'analyze_codebase', { path: 'project' });
    expect(result._meta?.['longhaul/error']).toMatchObject({ code: 'path_not_visible', retryable: false });
    expect(textOf(result)).toMatch(/^None of the 2 workers there are can see "project", though the server could/);
    expect(textOf(result)).not.toContain(site.root);
  });
});
