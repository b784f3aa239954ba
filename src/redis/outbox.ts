/** The outbox on Redis: which notification is due when, what it says, and how often it was tried. */
import { notificationSchema, type Outbox, type TakenNotification } from '../core/outbox.js';
import type { RedisContext } from './context.js';
import { settleScript, takeScript } from './outbox-scripts.js';
import { texts } from './replies.js';

/** Builds the outbox. */
export function createOutbox({ redis, keys }: RedisContext): Outbox {
  const { due, notes, tries, wanted } = keys.outbox();
  return {
    async take(limit, leaseMs) {
      const found = texts(await takeScript(redis, [due, notes, tries, wanted], [leaseMs, limit]));
      return found.flatMap((text, at) => (at % 2 === 0 ? takenFrom(text, Number(found[at + 1])) : []));
    },
    async settle(id, attempt, how) {
      const delayMs = how.kind === 'retry' ? Math.round(how.delayMs) : '';
      await settleScript(redis, [due, notes, tries], [id, attempt, delayMs, how.kind]);
    },
  };
}

/** What a newer version wrote in a form unknown here is left to it: the lease ends. */
function takenFrom(text: string, attempt: number): TakenNotification[] {
  const parsed = notificationSchema.safeParse(JSON.parse(text));
  return parsed.success ? [{ notification: parsed.data, attempt }] : [];
}
