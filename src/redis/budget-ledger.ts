/** The token budgets of sessions on Redis: one hash a session, and a list of the jobs that wait for a share. */
import { jobIdSchema } from '../core/ids.js';
import type { BudgetLedger } from '../core/ports.js';
import { nextScript, reserveScript, settleScript } from './budget-scripts.js';
import type { RedisContext } from './context.js';
import { fencedWrite, oneOf, texts } from './replies.js';

const RESERVINGS = ['reserved', 'full', 'spent', 'ended', 'superseded'] as const;

/** Builds the ledger; what a job still holds when it ends is freed by the job store. */
export function createBudgetLedger({ redis, keys, retention }: RedisContext): BudgetLedger {
  return {
    async reserve({ session, id, run, key, tokens, limit }) {
      const reply = await reserveScript(
        redis,
        [keys.record(id), keys.budget(session), keys.budgetLine(session)],
        [run, session, id, key, tokens, limit, retention.activeTtlMs],
      );
      const [kind, used] = texts(reply);
      return { kind: oneOf(RESERVINGS, kind), used: Number(used) };
    },
    async settle(session, { id, run }, used) {
      const args = [run, id, ...[...used].flat()];
      return fencedWrite(await settleScript(redis, [keys.record(id), keys.budget(session)], args));
    },
    async next(session) {
      const woken = await nextScript(redis, [keys.budget(session), keys.budgetLine(session)], [keys.recordPrefix]);
      return texts(woken).map((id) => jobIdSchema.parse(id));
    },
    async isWaiting(session, id) {
      const line = await redis.lrange(keys.budgetLine(session), 0, -1);
      return line.some((entry) => entry.startsWith(`${id} `));
    },
  };
}
