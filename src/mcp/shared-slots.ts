/** The places for questions to the client of a session that any front end may serve: one here, and one in the session's line. */
import { type Bell, createBell } from '../core/bell.js';
import { createPromise, createQuestionSlots, type QuestionSlots, type Slot } from './question-slots.js';
import type { SessionLink } from './session-link.js';

/** A front end that dies leaves its places to others after this long; a live one keeps its own by asking again. */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
/** Places of the dead are told of by nobody. */
const RETRY_MS = 1_000;

/** What the places stand on. */
export interface SharedSlotParts {
  /** Questions that lie with the client at a time, at most. */
  readonly limit: number;
  readonly link: SessionLink;
  /** Names this front end's part in the session. */
  readonly owner: string;
}

/** Builds the places. The calls here take turns among each other; those of all front ends stand in line one behind the other. */
export function createSharedSlots(parts: SharedSlotParts): QuestionSlots {
  const here = createQuestionSlots(parts.limit);
  const waiting = new Set<Bell>();
  const look = (): void => {
    for (const bell of waiting) bell.ring();
  };
  return {
    look,
    request(call, name) {
      const slot = here.request(call, name);
      return inLine({ slot, name, parts, waiting, look });
    },
  };
}

interface Standing {
  readonly slot: Slot;
  readonly name: string;
  readonly parts: SharedSlotParts;
  readonly waiting: Set<Bell>;
  look(): void;
}

/** A place that is granted once the question is one of the first in the session's line, and kept until it is freed. */
function inLine({ slot, name, parts, waiting, look }: Standing): Slot {
  const { link, owner, limit } = parts;
  const left = new AbortController();
  const bell = createBell();
  const [judged, granted] = [createPromise<void>(), createPromise<'at_once' | 'in_turn'>()];
  let state: 'new' | 'waiting' | 'granted' | 'freed' = 'new';
  const stand = async (): Promise<void> => {
    const entry = { name, owner, limit, leaseMs: LEASE_MS, isPut: state === 'granted' };
    const came = await link.use((store) => store.stand(link.session, entry)).catch(() => 'waiting' as const);
    if (state === 'granted' || state === 'freed') return;
    const how = state === 'new' ? slot.granted : ('in_turn' as const);
    state = came === 'placed' ? 'granted' : 'waiting';
    if (state === 'granted') granted.resolve(await how);
    judged.resolve();
  };
  const hold = async (): Promise<void> => {
    await slot.granted;
    waiting.add(bell);
    while (!left.signal.aborted) {
      bell.reset();
      await stand();
      if (state === 'granted') waiting.delete(bell);
      await bell.heard(state === 'granted' ? RENEW_MS : RETRY_MS, left.signal);
    }
    waiting.delete(bell);
    await leaveLine(link, name, owner);
    // Not before: the next one here would stand behind this one.
    slot.free();
    look();
  };
  if (slot.isWaiting()) judged.resolve();
  void hold();
  return {
    judged: judged.promise,
    granted: granted.promise,
    isGranted: () => state === 'granted',
    isWaiting: () => slot.isWaiting() || state === 'waiting',
    free() {
      state = 'freed';
      left.abort();
      if (!slot.isGranted()) slot.free();
    },
  };
}

/** Gives a question's place up, of whomever unless an owner is named, and tells those that wait for one. */
export async function leaveLine(link: SessionLink, name: string, owner?: string): Promise<void> {
  // A store that is away forgets the place by itself.
  const others = await link.use((store) => store.stepAside(link.session, name, owner)).catch(() => false);
  if (others) await link.tell({ kind: 'place' }).catch(() => undefined);
}
