/** The token budgets of sessions in memory. */
import type { JobId } from '../../../src/core/ids.js';
import type { BudgetLedger } from '../../../src/core/ports.js';
import { BYTES_PER_TOKEN } from '../../../src/core/sampling-limits.js';
import { fence, type Memory, type MemoryBudget, type MemoryWish } from './memory.js';

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0);
const reservedIn = (budget: MemoryBudget) => sum(budget.reserved.values());

/** Builds the ledger over a shared memory. */
export function createFakeBudgetLedger(memory: Memory): BudgetLedger {
  const of = (session: string): MemoryBudget => {
    const budget = memory.budgets.get(session) ?? { used: 0, reserved: new Map(), settled: new Set(), line: [] };
    memory.budgets.set(session, budget);
    return budget;
  };
  return {
    async reserve({ session, id, run, key, tokens, limit }) {
      await memory.reach();
      const budget = of(session);
      const { used } = budget;
      const allowed = fence(memory.live(id), run);
      if (allowed !== 'written') return { kind: allowed, used };
      const field = `${id} ${key}`;
      if (budget.settled.has(field)) return { kind: 'reserved', used };
      budget.reserved.delete(field);
      const full = used + reservedIn(budget) + tokens > limit;
      const isSame = (wish: MemoryWish) => wish.id === id && wish.key === key && wish.tokens === tokens;
      const waits = budget.line.some(isSame);
      if (full && used + tokens <= limit) {
        if (!waits) budget.line.push({ id, key, tokens, limit });
        return { kind: 'full', used };
      }
      budget.line = budget.line.filter((wish) => !isSame(wish));
      if (full) return { kind: 'spent', used };
      budget.reserved.set(field, tokens);
      return { kind: 'reserved', used };
    },
    async settle(session, { id, run }, used) {
      await memory.reach();
      const allowed = fence(memory.live(id), run);
      if (allowed !== 'written') return allowed;
      const budget = of(session);
      for (const [key, tokens] of used) {
        const field = `${id} ${key}`;
        if (!budget.reserved.delete(field)) continue;
        budget.settled.add(field);
        budget.used += tokens;
      }
      return 'written';
    },
    async next(session) {
      await memory.reach();
      return takeNext(memory, of(session));
    },
    async isWaiting(session, id) {
      await memory.reach();
      return of(session).line.some((wish) => wish.id === id);
    },
  };
}

function takeNext(memory: Memory, budget: MemoryBudget): JobId[] {
  const woken: JobId[] = [];
  for (let head = budget.line[0]; head; head = budget.line[0]) {
    const job = memory.live(head.id);
    const lives = fence(job, job?.run ?? '') !== 'ended';
    const fits = budget.used + reservedIn(budget) + head.tokens <= head.limit;
    if (lives && !fits && budget.used + head.tokens <= head.limit) return woken;
    if (lives && fits) budget.reserved.set(`${head.id} ${head.key}`, head.tokens);
    if (lives) woken.push(head.id);
    budget.line.shift();
  }
  return woken;
}

/** What the job store does for the ledger when a job ends. */
export function releaseBudgets(memory: Memory, id: JobId): boolean {
  let hadShare = false;
  for (const budget of memory.budgets.values()) {
    const fields = [...budget.settled, ...budget.reserved.keys()];
    hadShare ||= fields.some((field) => field.startsWith(`${id} `)) || budget.line.some((wish) => wish.id === id);
    for (const field of budget.settled) if (field.startsWith(`${id} `)) budget.settled.delete(field);
    for (const field of budget.reserved.keys()) {
      if (!field.startsWith(`${id} `)) continue;
      budget.reserved.delete(field);
      const reply = memory.inputs.get(id)?.get(field.slice(id.length + 1))?.reply;
      if (reply?.kind === 'answered') {
        budget.used += Math.ceil(Buffer.byteLength(JSON.stringify(reply)) / BYTES_PER_TOKEN);
      }
    }
  }
  return hadShare;
}
