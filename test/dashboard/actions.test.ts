import { expect, it } from 'vitest';
import type { ProcessLog } from '../../src/core/process-log.js';
import { actionRoutes } from '../../src/dashboard/actions.js';
import type { DashboardParts } from '../../src/dashboard/parts.js';

/** Has an operator act on a job that `jobs` answers for, and gives what was answered and logged. */
async function acted(act: string, jobs: object) {
  const logged: string[] = [];
  const log = { info: (_fields: object, said: string) => logged.push(said) } as unknown as ProcessLog;
  const parts = { core: async () => ({ jobs }) } as unknown as DashboardParts;
  const route = actionRoutes(parts, log).find(({ path }) => path.endsWith(act));
  const headers = { accept: 'application/json' };
  const url = new URL(`http://localhost/jobs/job_1/${act}`);
  const reply = await route?.handle({ url, headers, params: { id: 'job_1' }, operator: 'olga' });
  return { told: JSON.parse(String(reply?.body)).told, logged };
}

it.each([
  ['cancel', { cancel: async () => ({ kind: 'cancelled' }) }, 'Cancelled.'],
  ['retry', { retry: async () => ({ id: 'job_2' }) }, 'Runs again as job_2.'],
  ['promote', { promote: async () => ({ kind: 'promoted' }) }, 'It is tried now.'],
])('the log says of a %s who changed a job', async (act, jobs, told) => {
  expect(await acted(act, jobs)).toEqual({ told, logged: ['an operator changed a job'] });
});

it.each([
  ['cancel', { cancel: async () => ({ kind: 'already_ended', state: 'failed' }) }, 'It had ended before: failed.'],
  [
    'promote',
    { promote: async () => ({ kind: 'not_delayed', state: 'active' }) },
    'It waits for no time: it is active.',
  ],
])('the log does not claim a change for a %s that came too late', async (act, jobs, told) => {
  expect(await acted(act, jobs)).toEqual({ told, logged: ['an operator came too late to change a job'] });
});
