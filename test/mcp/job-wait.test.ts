/** `get_job` that waits, over fakes: on the wire a test cannot choose when the server collects its garbage. */
import { expect, it } from 'vitest';
import { JOB_TOOLS } from '../../src/mcp/job-tools.js';
import { setup } from '../jobs/setup.js';
import { collectGarbage } from '../support/garbage.js';
import { until, within } from '../support/gate.js';

it('a wait for a job ends in time even when garbage is collected meanwhile', async () => {
  const { core, jobs, submit } = setup();
  const id = await submit();
  const tool = JOB_TOOLS.find(({ contract }) => contract.name === 'get_job');
  const { signal } = new AbortController();
  const asked = tool?.answer({ job_id: id, wait_seconds: 1 }, async () => ({ jobs, principal: 'alice', signal }));
  await until(
    () => core.memory.listeners.size,
    (size) => size === 1,
    { what: 'a listener' },
  );
  collectGarbage();
  const answer = await within(Promise.resolve(asked), { what: 'the end of the wait' });
  expect(answer).toMatchObject({ structuredContent: { job_id: id, state: 'waiting' } });
});
