/** Who passed a job on, on Redis: noted in its record, so that it is forgotten with it. */
import type { Passes } from '../core/pass-on.js';
import type { RedisContext } from './context.js';
import { oneOf, texts } from './replies.js';
import { createScript } from './script.js';

/** A job whose record was lost is passed on blindly: whoever begins it makes the record anew. */
const passScript = createScript(`
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'completed' or state == 'failed' or state == 'cancelled' then return {'ended', 0, 0} end
local passed = cjson.decode(redis.call('HGET', KEYS[1], 'passedBy') or '{}')
if state and not passed[ARGV[1]] then
  if not next(passed) and ARGV[2] ~= '' then
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], '*', 'e', ARGV[2])
    redis.call('PEXPIRE', KEYS[2], ARGV[3])
    redis.call('PUBLISH', ARGV[5], 'event')
  end
  passed[ARGV[1]] = 1
  redis.call('HSET', KEYS[1], 'passedBy', cjson.encode(passed))
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
local asked = 0
for _ in pairs(passed) do asked = asked + 1 end
for i = 6, #ARGV do
  if ARGV[i] ~= ARGV[1] and not passed[ARGV[i]] then
    return {'passed', state and redis.call('HINCRBY', KEYS[1], 'passes', 1) or 1, 0}
  end
end
return {'nobody', asked, tonumber(redis.call('HGET', KEYS[1], 'attempt') or '0')}
`);

/** Builds the notes. KEYS record, events. ARGV worker, event or '', ttl, cap of the events, wake channel, peers. */
export function createPasses({ redis, keys, retention }: RedisContext): Passes {
  return {
    async pass(id, { workerId, peers, event }) {
      const kept = [retention.activeTtlMs, retention.eventsPerJob, keys.wake(id)];
      const args = [workerId, event ? JSON.stringify(event) : '', ...kept, ...peers];
      const reply = await passScript(redis, [keys.record(id), keys.events(id)], args);
      const [word, count, attempts] = texts(reply);
      const kind = oneOf(['ended', 'passed', 'nobody'], word);
      if (kind === 'passed') return { kind, times: Number(count) };
      return kind === 'ended' ? { kind } : { kind, asked: Number(count), begun: Number(attempts) > 0 };
    },
  };
}
