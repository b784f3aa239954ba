/** A session's way to what all front ends share of it: bounded in time, since no client is to wait for a store that is away. */
import { AppError } from '../core/errors.js';
import { settlesFairlyWithin } from '../core/lifecycle.js';
import type { SessionStore } from '../core/session-ports.js';
import type { SessionHint } from '../core/session-records.js';
import type { FrontEnd } from './front-end.js';

/** A request to a live session is answered in under a second, whatever the store does. */
const LIMIT_MS = 900;

/** One front end's part in one session. */
export interface SessionLink {
  /** The fingerprint of the session's id. */
  readonly session: string;
  /** Uses the store; rejects with `queue_unavailable` if it is away or slow. */
  use<T>(act: (store: SessionStore) => Promise<T>): Promise<T>;
  /** As `use`, for what must not hold anything up and may fail. */
  try(act: (store: SessionStore) => Promise<unknown>): void;
  /** Tells the other front ends. */
  tell(hint: HintWithoutSender): Promise<void>;
}

type WithoutSender<Hint> = Hint extends unknown ? Omit<Hint, 'session' | 'from'> : never;

/** A hint as its sender's link completes it. */
export type HintWithoutSender = WithoutSender<SessionHint>;

/** Builds the link; `from` names this front end. */
export function createSessionLink(
  frontEnd: Pick<FrontEnd, 'sessions' | 'log'>,
  { session, from }: { readonly session: string; readonly from: string },
): SessionLink {
  const link: SessionLink = {
    session,
    use: (act) => useStore(frontEnd, act),
    try(act) {
      link.use(act).catch((err: unknown) => frontEnd.log.debug({ err }, 'a session could not be kept up to date'));
    },
    tell: (hint) => link.use((store) => store.tell({ ...hint, session, from })),
  };
  return link;
}

/** Uses the store within the limit. */
export async function useStore<T>(
  frontEnd: Pick<FrontEnd, 'sessions'>,
  act: (store: SessionStore) => Promise<T>,
): Promise<T> {
  const used = frontEnd.sessions().then(act);
  if (await settlesFairlyWithin(used, LIMIT_MS)) return used;
  throw new AppError(
    'queue_unavailable',
    'Redis does not answer, so the session cannot be looked up. Try again shortly.',
  );
}
