/** The verbs of the durable core over fakes, with short ways to put a job where a test needs it. */
import type { JobId } from '../../src/core/ids.js';
import type { JobSeed } from '../../src/core/job.js';
import { createJobs, type Jobs } from '../../src/jobs/jobs.js';
import type { SubmitRequest } from '../../src/jobs/submit.js';
import type { Retention } from '../../src/redis/context.js';
import { createFakeCore, type FakeCore } from '../support/fakes/fake-core.js';
import { echoContract } from '../support/tools.js';

/** What a test of the verbs stands on. */
export interface Setup {
  readonly core: FakeCore;
  readonly jobs: Jobs;
  readonly contract: ReturnType<typeof echoContract>;
  /** Submits a job of `alice` that says hello, or what is given instead. */
  submit(request?: Partial<SubmitRequest>): Promise<JobId>;
  /** Lets a worker begin the job as run `r1`. */
  begin(id: JobId): Promise<JobSeed>;
}

/** Builds the verbs over fresh fakes, which keep what is said; the clock stands at `nowMs` when given. */
export function setup(nowMs?: number, retention: Partial<Retention> = {}): Setup {
  const core = createFakeCore(retention);
  const { store, log, queue, mailbox, ledger, tables, redactor } = core;
  const jobs = createJobs({ store, log, queue, mailbox, ledger, tables, redactor, now: () => nowMs ?? Date.now() });
  const contract = echoContract();
  return {
    core,
    jobs,
    contract,
    async submit(request = {}) {
      const full = { principal: 'alice', args: { word: 'hello' }, allowedFolders: ['/srv'], ...request };
      return (await jobs.submit(contract, full)).id;
    },
    async begin(id) {
      const record = await store.get(id);
      if (!record) throw new Error(`there is no job ${id} to begin`);
      await store.begin(record.seed, { workerId: 'w1', run: 'r1' });
      return record.seed;
    },
  };
}
