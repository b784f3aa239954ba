/** What a front end does for its sessions of its own accord: lets go of idle ones, holds those in use, hears the others. */
import type { SessionHint } from '../core/session-records.js';
import type { FrontEnd } from './front-end.js';
import { isInUse, type SessionEntry, type SessionOptions } from './session-entry.js';
import { useStore } from './session-link.js';
import { heed } from './session-relay.js';

/** Who holds a session says so this often or more, well within the lease of the store and the time in which idle ones end. */
const RENEW_MS = 10_000;
/** Sessions that could not be stored are tried again this often: until then no other front end knows them. */
const STORE_MS = 1_000;
const SHORTEST_SWEEP_MS = 250;
const LONGEST_SWEEP_MS = 30_000;

/** What the duties stand on. */
export interface DutyParts {
  readonly frontEnd: FrontEnd;
  readonly options: SessionOptions;
  readonly entries: ReadonlyMap<string, SessionEntry>;
  /** Names this front end among those that tell each other hints. */
  readonly from: string;
  leave(entry: SessionEntry, forGood: boolean): Promise<void>;
  /** Ends a session everywhere. */
  end(key: string): Promise<void>;
}

/** Begins; `stop` must be called. */
export function startDuties(parts: DutyParts): { stop(): void } {
  const { frontEnd, options, entries, from } = parts;
  const hear = (hint: SessionHint | 'resync'): void => {
    if (hint === 'resync') store();
    if (hint === 'resync') renew();
    const entry = hint === 'resync' || hint.from === from ? undefined : entries.get(hint.session);
    if (hint === 'resync' || !entry) return;
    if (hint.kind === 'ended') void parts.leave(entry, true);
    else heed(entry.session, hint);
  };
  const store = (): void => {
    for (const { session } of entries.values()) session.shared.store().catch(() => undefined);
  };
  const renew = (): void => {
    for (const entry of entries.values()) if (isInUse(entry)) hold(parts, entry);
  };
  let listening: Promise<() => void> | undefined;
  const listen = (): void => {
    listening ??= frontEnd.sessions().then((store) => store.onHint(hear));
    listening.catch(() => {
      listening = undefined;
    });
  };
  const expire = createExpiry(parts);
  const sweep = (): void => {
    listen();
    const horizonMs = performance.now() - options.idleMs;
    for (const entry of entries.values()) {
      if (!isInUse(entry) && entry.lastHeardMs < horizonMs) void parts.leave(entry, false);
    }
    void expire();
  };
  listen();
  const sweepMs = Math.max(SHORTEST_SWEEP_MS, Math.min(options.idleMs / 4, LONGEST_SWEEP_MS));
  const renewMs = Math.max(SHORTEST_SWEEP_MS, Math.min(options.idleMs / 4, RENEW_MS));
  const timers = [
    setInterval(sweep, sweepMs).unref(),
    setInterval(renew, renewMs).unref(),
    setInterval(store, STORE_MS).unref(),
  ];
  return {
    stop() {
      for (const timer of timers) clearInterval(timer);
      listening?.then(
        (stop) => stop(),
        () => undefined,
      );
    },
  };
}

function hold({ leave }: DutyParts, entry: SessionEntry): void {
  const { link, shared } = entry.session;
  entry.isHeld = true;
  link.try(async (store) => {
    await shared.store();
    if (!shared.isStored()) return;
    const now = await store.admit(link.session, { hold: isInUse(entry) });
    if (now.kind === 'live') shared.apply(now.state);
    if (now.kind === 'gone') await leave(entry, true);
  });
}

/** One round at a time, however long it takes. */
function createExpiry(parts: DutyParts): () => Promise<void> {
  let isUnderWay = false;
  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      await endExpired(parts);
    } catch (err) {
      parts.frontEnd.log.debug({ err }, 'expired sessions could not be ended');
    } finally {
      isUnderWay = false;
    }
  };
}

/** Also those of front ends that died: whoever sweeps first ends them for all. */
async function endExpired({ frontEnd, end }: DutyParts): Promise<void> {
  for (;;) {
    const keys = await useStore(frontEnd, (store) => store.expired());
    if (keys.length === 0) return;
    await Promise.all(keys.map(end));
  }
}
