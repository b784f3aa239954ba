/** Who may read the tables of a job, and what the others hear. */
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/core/job.js';
import type { TableStore } from '../../src/core/ports.js';
import { createJobs } from '../../src/jobs/jobs.js';
import { completed, seedOf } from '../support/job-seeds.js';
import { setup } from './setup.js';

const query = { section: 'files', offset: 0, limit: 10 };

async function endedJob(outcome: Outcome = completed()) {
  const { core, jobs } = setup();
  const seed = seedOf({ principal: 'alice' });
  await core.store.create(seed);
  await core.store.begin(seed, { workerId: 'w1', run: 'r1' });
  const slice = { name: 'files', columns: ['path'], slice: 0, rows: [['a']] };
  await core.tables.write(seed.id, 'r1', slice);
  await core.store.end(seed.id, outcome, 'r1');
  return { core, jobs, id: seed.id };
}

describe('the tables of a job', () => {
  it('are read by its owner and by the operator', async () => {
    const { jobs, id } = await endedJob();
    for (const asker of ['alice', undefined])
      expect(await jobs.table(id, asker, query)).toMatchObject({ rows: [['a']], total: 1 });
    expect(await jobs.inspect(id, 'alice')).toMatchObject({ sections: [{ name: 'files', rows: 1 }] });
  });

  it('are for nobody else, in the words of an unknown job', async () => {
    const { jobs, id } = await endedJob();
    const unknown = `job_${'0'.repeat(26)}`;
    const foreign = await jobs.table(id, 'mallory', query).catch((error: Error) => error);
    const absent = await jobs.table(unknown, 'mallory', query).catch((error: Error) => error);
    expect(foreign).toMatchObject({ code: 'job_not_found' });
    expect(String(foreign).replace(id, unknown)).toBe(String(absent));
  });

  it('are gone with a job that did not complete, which says how it ended', async () => {
    const { jobs, id } = await endedJob({ state: 'cancelled', reason: 'enough' });
    await expect(jobs.table(id, 'alice', query)).rejects.toMatchObject({
      code: 'section_not_found',
      message: expect.stringContaining('ended as cancelled'),
    });
  });

  it('that expires between its record and its tables is told as gone, not as one without tables', async () => {
    const { core, id } = await endedJob();
    const tables: TableStore = {
      ...core.tables,
      async read(...asked) {
        const job = core.memory.live(id);
        if (job) job.keptUntilMs = 0;
        return core.tables.read(...asked);
      },
    };
    const jobs = createJobs({ ...core, tables, now: Date.now });
    await expect(jobs.table(id, 'alice', query)).rejects.toMatchObject({ code: 'job_not_found' });
  });
});
