/** The line of a session's questions on Redis: who may be put to the client, whichever front end wants to put it. */
import type { Redis } from 'ioredis';
import type { SessionStore } from '../core/session-ports.js';
import type { Keys } from './keys.js';
import { oneOf } from './replies.js';
import { createScript } from './script.js';

/** Builds the line. It is a hash of `e:name` to number, end of the lease and owner, with the last number under `n`. */
export function createQuestionLine(redis: Redis, keys: Keys): Pick<SessionStore, 'stand' | 'stepAside'> {
  return {
    async stand(session, { name, owner, limit, leaseMs, isPut }) {
      const args = [name, owner, limit, leaseMs, isPut ? 1 : 0];
      return oneOf(['placed', 'waiting'], await standScript(redis, [keys.sessionLine(session)], args));
    },
    async stepAside(session, name, owner = '') {
      return Number(await stepAsideScript(redis, [keys.sessionLine(session)], [name, owner])) > 0;
    },
  };
}

/**
 * ARGV: name, owner, limit, lease ms, 1 if the question lies with the client. Entries whose lease is over are dropped, so what
 * a killed front end left behind holds nobody up for longer; the key goes with the last lease.
 */
const standScript = createScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local own = 'e:' .. ARGV[1]
local numbers = {}
local number
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local turn, ends = string.match(all[i + 1], '^(%d+) (%d+) ')
  if turn and tonumber(ends) < now then redis.call('HDEL', KEYS[1], all[i])
  elseif all[i] == own then number = tonumber(turn)
  elseif turn then numbers[#numbers + 1] = tonumber(turn) end
end
if ARGV[5] == '1' then number = 0 end
number = number or redis.call('HINCRBY', KEYS[1], 'n', 1)
redis.call('HSET', KEYS[1], own, string.format('%d %.0f %s', number, now + ARGV[4], ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local before = 0
for _, other in ipairs(numbers) do if other < number then before = before + 1 end end
return before < tonumber(ARGV[3]) and 'placed' or 'waiting'
`);

/** ARGV: name, owner or ''. Answers how many others there are. */
const stepAsideScript = createScript(`
local own = 'e:' .. ARGV[1]
local entry = redis.call('HGET', KEYS[1], own)
local owner = entry and string.match(entry, '^%d+ %d+ (.*)$')
if owner and (ARGV[2] == '' or owner == ARGV[2]) then redis.call('HDEL', KEYS[1], own) end
local left = redis.call('HLEN', KEYS[1]) - redis.call('HEXISTS', KEYS[1], 'n')
if left == 0 then redis.call('DEL', KEYS[1]) end
return left
`);
