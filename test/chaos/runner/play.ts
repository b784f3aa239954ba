/** Plays one planned job: calls its tool, answers what it asks, and cancels it or loses its connection when the plan says so. */
import { pause } from '../../../src/core/lifecycle.js';
import { type Attendance, attend } from './attend.js';
import { type Control, watchFromAside } from './control.js';
import type { Lane } from './lane.js';
import { argsOf, isHandedOver, KINDS, type Places, type PlannedJob } from './plan.js';
import { createWitness, type Witness } from './witness.js';

/** Who plays, and with what. */
export interface Stage {
  readonly lane: Lane;
  readonly control: Control;
  readonly places: Places;
  /** Ends the playing, where the run is over. */
  readonly over: AbortSignal;
}

/** A cancel that its front end took to the grave is seen by its job going on for so long. */
const CANCEL_LIMIT_MS = 5_000;
const CHECK_MS = 50;
const LAST_LOOK_MS = 120_000;
/** A job that has not ended by then is lost, and its client goes on to the next. */
const JOB_LIMIT_MS = 300_000;

/** Plays the job to its end; the witness tells what was seen. */
export async function playJob({ lane, control, places, over }: Stage, job: PlannedJob): Promise<Witness> {
  const witness = createWitness(job);
  const [ended, lost] = [new AbortController(), new AbortController()];
  const limit = setTimeout(() => lost.abort(), JOB_LIMIT_MS);
  const giveUp = AbortSignal.any([over, lost.signal]);
  const attendance: Attendance = {
    ...{ lane, witness, giveUp },
    tool: KINDS[job.kind].tool,
    args: argsOf(job, places),
    client: isHandedOver(job) ? 'without a model' : 'asked',
    line: undefined,
  };
  const mischief = [dropInTime(attendance, ended.signal), cancelInTime(attendance, control, ended.signal)];
  await attend(attendance);
  // A call that was given up says nothing more, and its cancel may have been lost with its front end.
  if (witness.gaveUp && !witness.outcome) await settle(control, attendance);
  clearTimeout(limit);
  ended.abort();
  await Promise.all(mischief);
  return witness;
}

async function settle(control: Control, attendance: Attendance): Promise<void> {
  const { witness } = attendance;
  if (witness.jobId === undefined) {
    // Its id was never heard: the call is made again to hear it, and cancelled from aside.
    witness.gaveUp = false;
    const heard = attend(attendance);
    await Promise.race([heard, idKnown(witness, attendance.giveUp)]);
    if (witness.jobId !== undefined && !witness.outcome) await cancelFromAside(control, witness);
    await heard;
    // Its first cancel may have been taken note of only now, and have ended this call as well.
    if (!witness.outcome) await watchFromAside(control, witness, LAST_LOOK_MS);
    return;
  }
  await watchFromAside(control, witness, CANCEL_LIMIT_MS);
  if (!witness.outcome) await cancelFromAside(control, witness);
  if (!witness.outcome) await watchFromAside(control, witness, LAST_LOOK_MS);
}

async function cancelFromAside(control: Control, witness: Witness): Promise<void> {
  witness.askedToCancel = true;
  const state = await control.cancel(witness.jobId ?? '');
  witness.cancelled = { atMs: Date.now(), state };
}

async function idKnown(witness: Witness, signal: AbortSignal): Promise<void> {
  while (witness.jobId === undefined && !witness.outcome && !signal.aborted) await pause(CHECK_MS, signal);
}

async function dropInTime(attendance: Attendance, ended: AbortSignal): Promise<void> {
  const { dropAfterMs } = attendance.witness.job;
  if (dropAfterMs === undefined) return;
  await pause(dropAfterMs, ended);
  attendance.line?.drop();
}

async function cancelInTime(attendance: Attendance, control: Control, ended: AbortSignal): Promise<void> {
  const { witness } = attendance;
  const { cancel } = witness.job;
  if (!cancel) return;
  await pause(cancel.afterMs, ended);
  if (cancel.way === 'tool') {
    await idKnown(witness, ended);
    if (!ended.aborted && !witness.outcome) await cancelFromAside(control, witness);
    return;
  }
  while (!ended.aborted && !witness.outcome) {
    if (await attendance.line?.giveUp()) return;
    await pause(CHECK_MS, ended);
  }
}
