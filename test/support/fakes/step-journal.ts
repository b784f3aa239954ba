/** The step journal in memory. */
import type { StepJournal } from '../../../src/core/ports.js';
import { fence, jsonCopy, type Memory } from './memory.js';

/** Builds the journal over a shared memory. */
export function createFakeStepJournal(memory: Memory): StepJournal {
  return {
    async read(id) {
      await memory.reach();
      return new Map(memory.journals.get(id));
    },
    async write(id, run, step, value) {
      await memory.reach();
      const allowed = fence(memory.live(id), run);
      if (allowed !== 'written') return allowed;
      const journal = memory.journals.get(id) ?? new Map();
      if (!journal.has(step)) journal.set(step, jsonCopy(value));
      memory.journals.set(id, journal);
      return 'written';
    },
  };
}
