/** What a refused write means to the run that made it: its job ended, or belongs to another run. */
import { AbortReason } from '../src/core/abort.js';
import type { FencedWrite } from '../src/core/ports.js';

/** Throws the `AbortReason` of a run whose write was refused. */
export function fencedOrThrow(written: FencedWrite): void {
  if (written === 'written') return;
  throw notOurs(written);
}

/** Why a run stops whose job ended or was given away. */
export function notOurs(why: 'ended' | 'superseded'): AbortReason {
  return new AbortReason(why === 'ended' ? 'cancelled' : 'superseded', 'the job no longer belongs to this run');
}
