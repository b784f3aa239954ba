/** Kills each process of an installation while a job is handed over: the packet is there again, and its submission counts once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import { expectPreliminary, HAND_OFF, handOver, jobOf, submit } from '../support/hand-off-wire.js';
import { init, type WireResult, type WireSession } from '../support/http-wire.js';
import { killInstallationOf, killRedisOf, nothingRuns, processesOf, workersOf } from '../support/processes.js';
import { type FileGate, type Ledger, openSite, type Site } from '../support/site.js';
import { openStdio } from '../support/stdio-wire.js';

const FINDINGS = [{ line: 1, quote: 'x' }];
/** Bounds of what follows a kill: processes come up again in about a second here, slower on a busy machine. */
const AFTER_KILL_MS = 60_000;

let site: Site;
let ledger: Ledger;
let gate: FileGate;
beforeEach(async () => {
  site = await openSite();
  ledger = site.ledger();
  gate = site.gate();
});
afterEach(() => site.close());

async function killWorkers(): Promise<void> {
  for (const pid of await workersOf(site.dataDir)) process.kill(pid, 'SIGKILL');
}

/** What really ran: the step once, and the job to its end once. */
async function expectWorkOnce(): Promise<void> {
  const lines = await ledger.lines();
  expect(lines.filter((line) => line === 'prepared')).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('done'))).toHaveLength(1);
}

async function expectHandedOver(session: WireSession, id: string): Promise<void> {
  const job = await until(
    () => jobOf(session, id),
    (seen) => seen.waits_for === 'submit_review',
    { what: 'the job to wait', limitMs: AFTER_KILL_MS },
  );
  expect(job).toMatchObject({ preliminary: { status: 'handed_over', packet: 'packet 1 ' } });
}

async function expectFinished(session: WireSession, id: string, findings: readonly unknown[] = FINDINGS) {
  // While Redis comes up again a call may be told to try again, which a submission may be harmlessly.
  const retryable = ({ _meta }: WireResult) => Object(_meta?.['longhaul/error']).retryable === true;
  const { structuredContent } = await until(
    () => submit(session, id, findings),
    (result) => !retryable(result),
    { what: 'the submission to be taken', limitMs: AFTER_KILL_MS },
  );
  expect(structuredContent).toEqual({ job_id: id, status: 'finished', replies: [{ findings: FINDINGS }] });
  await expectWorkOnce();
}

describe('a worker that is killed', () => {
  it('while its job is handed over costs nothing', async () => {
    const session = await init(await site.http({ env: HAND_OFF }));
    const id = await handOver(session, { ledger: ledger.path });
    await killWorkers();
    await expectHandedOver(session, id);
    await expectFinished(session, id);
  });

  it('while it works on the submission does not lose it', async () => {
    const session = await init(await site.http({ env: HAND_OFF }));
    const id = await handOver(session, { ledger: ledger.path, gate: gate.path });
    const call = await session.call('s', 'submit_review', { job_id: id, findings: FINDINGS });
    await ledger.line('at the gate');
    await killWorkers();
    await gate.open();
    const { result } = await call.response('s', AFTER_KILL_MS);
    expect(result?.structuredContent).toMatchObject({ status: 'finished', replies: [{ findings: FINDINGS }] });
    await expectWorkOnce();
  });
});

describe('a front end that is killed', () => {
  it('while a job is handed over leaves it to any other', async () => {
    await site.worker({ env: HAND_OFF });
    const first = await site.http({ env: HAND_OFF, workers: 0 });
    const id = await handOver(await init(first), { ledger: ledger.path });
    await first.stop('SIGKILL');
    const session = await init(await site.http({ env: HAND_OFF, workers: 0 }));
    await expectHandedOver(session, id);
    await expectFinished(session, id);
  });

  it('while it follows what was submitted loses nothing: submitting again gives the result', async () => {
    await site.worker({ env: HAND_OFF });
    const first = await site.http({ env: HAND_OFF, workers: 0 });
    const before = await init(first);
    const id = await handOver(before, { ledger: ledger.path, gate: gate.path });
    await before.call('s', 'submit_review', { job_id: id, findings: FINDINGS });
    await ledger.line('at the gate');
    await first.stop('SIGKILL');
    await gate.open();
    await expectFinished(await init(await site.http({ env: HAND_OFF, workers: 0 })), id, ['others']);
  });

  it('on stdio leaves the job to the next process of its host, by the same key', async () => {
    const args = { ledger: ledger.path, idempotency_key: 'stdio' };
    const first = await openStdio({ site, env: HAND_OFF });
    await first.initialize();
    const id = expectPreliminary((await first.call('hand_over', args)).result);
    await first.process.stop('SIGKILL');
    const second = await openStdio({ site, env: HAND_OFF });
    await second.initialize();
    expect(expectPreliminary((await second.call('hand_over', args, AFTER_KILL_MS)).result)).toBe(id);
    const { result } = await second.call('submit_review', { job_id: id, findings: FINDINGS }, AFTER_KILL_MS);
    expect(result?.structuredContent).toMatchObject({ status: 'finished', replies: [{ findings: FINDINGS }] });
    await expectWorkOnce();
  });

  it('with its workers and Redis leaves the job to an installation that starts again', async () => {
    const before = await init(await site.http({ env: HAND_OFF }));
    const id = await handOver(before, { ledger: ledger.path });
    await expectHandedOver(before, id);
    await killInstallationOf(site.dataDir);
    await nothingRuns(site.dataDir, AFTER_KILL_MS);
    const session = await init(await site.http({ env: HAND_OFF }));
    await expectHandedOver(session, id);
    await expectFinished(session, id);
  });
});

describe('a Redis that is killed', () => {
  it('while a job is handed over comes back with it', async () => {
    const session = await init(await site.http({ env: HAND_OFF }));
    const id = await handOver(session, { ledger: ledger.path });
    await expectHandedOver(session, id);
    const redis = async () =>
      (await processesOf(site.dataDir)).find(({ command }) => /(redis|valkey)-server/.test(command))?.pid;
    const dead = await killRedisOf(site.dataDir);
    const alive = (pid: number | undefined) => pid !== undefined && pid !== dead;
    await until(redis, alive, { what: 'another Redis', limitMs: AFTER_KILL_MS });
    await expectHandedOver(session, id);
    await expectFinished(session, id);
  });
});
