/** A consumer whose every job is held until the test says what becomes of it. */
import type { Delivery, JobConsumer, Verdict } from '../../src/core/ports.js';
import { createGate, type Gate, until, within } from './gate.js';
import type { Core } from './places.js';

/** A job in the hands of a scripted consumer. */
export interface HeldJob {
  readonly delivery: Delivery;
  /** Ends the run with this verdict. */
  decide(verdict: Verdict): void;
}

/** A started consumer and what it was given, in order. */
export interface ScriptedConsumer {
  readonly service: JobConsumer;
  readonly taken: readonly HeldJob[];
  /** Waits for the job that is taken as number `count` (from 1). */
  take(count: number): Promise<HeldJob>;
}

/** Starts a consumer; what is still held when the test's core closes is given back. */
export async function startScripted(core: Core, workerId: string, concurrency = 1): Promise<ScriptedConsumer> {
  const taken: HeldJob[] = [];
  const gates: Gate<Verdict>[] = [];
  const run = (delivery: Delivery): Promise<Verdict> => {
    const gate = createGate<Verdict>();
    gates.push(gate);
    taken.push({ delivery, decide: gate.open });
    return gate.opened;
  };
  const inner = core.consumer({ queue: 'analysis', concurrency, workerId, run });
  await within(inner.start(), { what: `consumer ${workerId} to start` });
  core.beforeClose(() => {
    for (const gate of gates) gate.open({ kind: 'done' });
  });
  return {
    service: inner,
    taken,
    async take(count) {
      const ids = () => taken.map((job) => job.delivery.id);
      await until(ids, (seen) => seen.length >= count, { what: `${workerId} to take job number ${count}` });
      const job = taken[count - 1];
      if (!job) throw new Error(`${workerId} took no job number ${count}`);
      return job;
    },
  };
}
