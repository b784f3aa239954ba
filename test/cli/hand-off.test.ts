/** A job that is handed over, from the command line: each command is a server of its own, so the job outlives all of them. */
import { expect, it } from 'vitest';
import { HAND_OFF } from '../support/hand-off-wire.js';
import { cliHome } from './run-cli.js';

it('a job handed over is told, listed and shown as such, and finished by a later command', async () => {
  const home = await cliHome();
  const run = async (...args: readonly string[]) => {
    const end = await home.run(args, { env: HAND_OFF });
    expect(end).toMatchObject({ code: 0, signal: null });
    return end.stdout;
  };
  const told = await run('call', 'hand_over', '--args', '{}');
  expect(told).toMatch(/^handed_over packet 1/);
  const [, id = ''] = /preliminary: job (\S+) waits until/.exec(told) ?? [];

  expect(await run('jobs', 'list')).toContain('parked (submit_review)');
  const shown = await run('jobs', 'show', id);
  expect(shown).toMatch(/^Waits for +submit_review$/m);
  expect(shown).toMatch(/^Submit by +20\d\d-/m);
  expect(shown).toMatch(/Preliminary result\n\{\n {2}"job_id"/);
  expect(JSON.parse(await run('jobs', 'show', id, '--json'))).toMatchObject({
    state: 'parked',
    waits_for: 'submit_review',
    preliminary: { status: 'handed_over' },
  });

  const args = JSON.stringify({ job_id: id, findings: ['x'] });
  expect(JSON.parse(await run('call', 'submit_review', '--args', args, '--json'))).toEqual({
    job_id: id,
    status: 'finished',
    replies: [{ findings: ['x'] }],
  });
  expect(await run('jobs', 'show', id)).not.toContain('Waits for');
});
