/** The step journal on Redis: one hash a job, first value of a step wins. */
import type { JsonValue } from '../core/json.js';
import type { StepJournal } from '../core/ports.js';
import type { RedisContext } from './context.js';
import { writeStepScript } from './job-scripts.js';
import { fencedWrite } from './replies.js';

/** Builds the step journal. */
export function createStepJournal({ redis, keys, retention }: RedisContext): StepJournal {
  return {
    async read(id) {
      const hash = await redis.hgetall(keys.journal(id));
      return new Map(Object.entries(hash).map(([step, text]): [string, JsonValue] => [step, JSON.parse(text)]));
    },
    async write(id, run, step, value) {
      const args = [run, retention.activeTtlMs, step, JSON.stringify(value)];
      return fencedWrite(await writeStepScript(redis, [keys.record(id), keys.journal(id)], args));
    },
  };
}
