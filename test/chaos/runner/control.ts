/** Looks at and cancels jobs from aside, at whichever front end answers, as another client of the same user does. */
import { pause } from '../../../src/core/lifecycle.js';
import { init, m26, type WireResult } from '../../support/http-wire.js';
import type { Installation } from './installation.js';
import { noteOutcome, outcomeOfJob, type Witness } from './witness.js';

/** See `createControl`. */
export interface Control {
  /** Says what `get_job` says, with the result; waits up to so many seconds for the end. */
  look(id: string, waitSeconds?: number): Promise<Readonly<Record<string, unknown>>>;
  /** Cancels the job; answers with the state it is in now. */
  cancel(id: string): Promise<string>;
  /** Looks through a new session of 2025. */
  lookInSession(id: string): Promise<Readonly<Record<string, unknown>>>;
}

/** Longer than any fault lasts. */
const PATIENCE_MS = 90_000;
const AGAIN_MS = 150;

/** Builds the control; every call goes to the next front end, until one answers. */
export function createControl({ frontEnds }: Installation): Control {
  let turn = 0;
  const nextPort = (): number => frontEnds[turn++ % frontEnds.length]?.port ?? 0;
  const call = (name: string, args: object) =>
    patiently(name, async () => {
      const reply = await m26({ port: nextPort() }, `control-${++turn}`, ['tools/call', { name, arguments: args }]);
      return contentOf((await reply.message(({ method }) => method === undefined, 15_000)).result);
    });
  return {
    look: (id, waitSeconds = 0) => call('get_job', { job_id: id, wait_seconds: waitSeconds }),
    cancel: async (id) => String((await call('cancel_job', { job_id: id, reason: 'chaos' })).state),
    lookInSession: (id) =>
      patiently('get_job', async () => {
        const session = await init({ port: nextPort() });
        const seen = contentOf(await session.result(1, 'get_job', { job_id: id }));
        await session.delete();
        return seen;
      }),
  };
}

/** Waits for the end of a job by asking for it; its outcome goes into the witness. */
export async function watchFromAside(control: Control, witness: Witness, limitMs: number): Promise<void> {
  const giveUpAtMs = Date.now() + limitMs;
  while (witness.jobId !== undefined && Date.now() < giveUpAtMs) {
    const outcome = outcomeOfJob(witness, await control.look(witness.jobId, 2));
    if (outcome) return noteOutcome(witness, outcome, 'get_job');
  }
}

async function patiently<T>(what: string, act: () => Promise<T>): Promise<T> {
  const giveUpAtMs = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > giveUpAtMs) throw new Error(`no front end did ${what} in ${PATIENCE_MS} ms`, { cause: error });
      await pause(AGAIN_MS);
    }
  }
}

function contentOf(result: WireResult | undefined): Readonly<Record<string, unknown>> {
  if (!result || result.isError) throw new Error(`refused: ${JSON.stringify(result)?.slice(0, 300)}`);
  return result.structuredContent ?? {};
}
