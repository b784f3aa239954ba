/** Keeps the order of the queues fair among principals; knows of BullMQ the keys in which jobs wait and run. */
import type { JobId } from '../core/ids.js';
import type { RedisContext } from './context.js';
import { leaveLineScript, placeScript, positionsScript, priorityScript } from './turn-scripts.js';

/** BullMQ's least priority but one, whose scores are still exact: jobs of it lie behind all that have their turn. */
const BEHIND_ALL = 2 ** 21 - 1;

/** BullMQ's scores are a priority times this, and a counter. */
const SCORES_OF_A_PRIORITY = 2 ** 32;

/** See `createTurns`. */
export interface Turns {
  /** The priority with which jobs are handed to BullMQ, to be placed thereafter. */
  readonly priority: number;
  /** Gives all jobs their turn that have none yet. A job that nobody places is only taken when no other waits. */
  place(queue: string): Promise<void>;
  /** Gives back the turn of a job that was removed. */
  giveBack(queue: string, id: JobId): Promise<void>;
  /** Lets a job go before all when it is handed back, and counts it among the others again once it was taken. */
  setFirst(queue: string, id: string, isFirst: boolean): Promise<void>;
  /** The places of jobs by id, 1 for the next to be taken; those that do not wait are left out. */
  positions(queue: string, ids: readonly JobId[]): Promise<ReadonlyMap<JobId, number>>;
}

/**
 * Many who ask while one act is under way share the next: it begins after all they did before, and one places all.
 */
function coalesced(act: (queue: string) => Promise<void>): (queue: string) => Promise<void> {
  const current = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  const begin = (queue: string): Promise<void> => {
    const acting = act(queue).finally(() => current.delete(queue));
    current.set(queue, acting);
    return acting;
  };
  return (queue) => {
    const running = current.get(queue);
    if (!running) return begin(queue);
    const shared =
      next.get(queue) ??
      running
        .catch(() => undefined)
        .then(() => {
          next.delete(queue);
          return begin(queue);
        });
    next.set(queue, shared);
    return shared;
  };
}

/** Builds the order: of each turn every principal has one job, so that many jobs of one delay another's by one at most. */
export function createTurns({ redis, keys, retention }: RedisContext): Turns {
  const keysOf = (queue: string) => [
    `${keys.queuePrefix}:${queue}:prioritized`,
    `${keys.queuePrefix}:${queue}:wait`,
    keys.turns(queue),
    `${keys.queuePrefix}:${queue}:active`,
  ];
  const argsOf = (queue: string) => [
    keys.linePrefix(queue),
    keys.recordPrefix,
    BEHIND_ALL * SCORES_OF_A_PRIORITY,
    retention.activeTtlMs,
  ];
  return {
    priority: BEHIND_ALL,
    place: coalesced(async (queue) => {
      await placeScript(redis, keysOf(queue), argsOf(queue));
    }),
    async giveBack(queue, id) {
      await leaveLineScript(redis, [keys.record(id)], [keys.linePrefix(queue), id]);
    },
    async setFirst(queue, id, isFirst) {
      await priorityScript(redis, [`${keys.queuePrefix}:${queue}:${id}`], [isFirst ? 0 : BEHIND_ALL]);
    },
    async positions(queue, ids) {
      const found = (await positionsScript(redis, keysOf(queue), [...argsOf(queue), ...ids])) as number[];
      return new Map(ids.flatMap((id, index) => (found[index] ? [[id, found[index]] as const] : [])));
    },
  };
}
