/** The atomic changes of a job's questions, as Lua. A question lies under `q:key`, its reply under `a:key`, a later deadline under `d:key`, its kind and when it was asked under `t:key`. */
import { createScript } from './script.js';
import { TALLY } from './tally-scripts.js';

const FINAL = `
local state = redis.call('HGET', KEYS[1], 'state')
local ended = not state or state == 'completed' or state == 'failed' or state == 'cancelled'
`;

/**
 * Stores questions of the run that holds the job; a key that exists is neither changed nor announced again. A hand-off that
 * is still open is noted in the record, and whether a client or parts are waited for, and of which kinds the open questions are.
 * KEYS record, inputs, events. ARGV run, ttl, cap, wake channel, then by threes key, question JSON and its kind.
 */
export const askScript = createScript(`${FINAL}${TALLY}
local function countAsked(key, kind)
  if kind == 'part' then return end
  redis.call('HSET', KEYS[2], 't:' .. key, kind .. ' ' .. string.format('%.0f', clockMs()))
  tally('questions_asked ' .. kind, 1)
end
if ended then return 'ended' end
if redis.call('HGET', KEYS[1], 'run') ~= ARGV[1] then return 'superseded' end
local awaits
local asks = ''
for i = 5, #ARGV, 3 do
  if ARGV[i + 2] ~= 'submission' and (ARGV[i + 2] ~= 'part' or not awaits) then
    awaits = ARGV[i + 2] == 'part' and 'parts' or 'client'
  end
  if redis.call('HSETNX', KEYS[2], 'q:' .. ARGV[i], ARGV[i + 1]) == 1 then
    redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[3], '*', 'e', cjson.encode({type = 'question', key = ARGV[i]}))
    countAsked(ARGV[i], ARGV[i + 2])
  end
  local isOpen = redis.call('HEXISTS', KEYS[2], 'a:' .. ARGV[i]) == 0
  if isOpen and not string.find(asks, ARGV[i + 2], 1, true) then asks = asks .. ' ' .. ARGV[i + 2] end
  if ARGV[i + 2] == 'submission' and isOpen then
    redis.call('HSET', KEYS[1], 'handOff', 'awaited', 'handOffKey', ARGV[i])
  end
end
if awaits then redis.call('HSET', KEYS[1], 'awaits', awaits) end
redis.call('HSET', KEYS[1], 'asks', asks)
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
redis.call('PUBLISH', ARGV[4], 'event')
return 'written'
`);

/**
 * Stores a question of the run that holds the job together with its reply; a key that exists is not changed.
 * KEYS record, inputs. ARGV run, ttl, key, question JSON, reply JSON.
 */
export const decideScript = createScript(`${FINAL}
if ended then return 'ended' end
if redis.call('HGET', KEYS[1], 'run') ~= ARGV[1] then return 'superseded' end
if redis.call('HSETNX', KEYS[2], 'q:' .. ARGV[3], ARGV[4]) == 1 then
  redis.call('HSET', KEYS[2], 'a:' .. ARGV[3], ARGV[5])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 'written'
`);

/** Moves the deadline of questions that are open. KEYS record, inputs. ARGV deadline, then keys. */
export const postponeScript = createScript(`${FINAL}
if ended then return 0 end
for i = 2, #ARGV do
  local open = redis.call('HEXISTS', KEYS[2], 'q:' .. ARGV[i]) == 1 and redis.call('HEXISTS', KEYS[2], 'a:' .. ARGV[i]) == 0
  if open then redis.call('HSET', KEYS[2], 'd:' .. ARGV[i], ARGV[1]) end
end
return 1
`);

/**
 * Stores the first reply to a question, and in the record what it means if this was the hand-off.
 * Of a part's outcome the run that holds the part must be the author.
 * KEYS record, inputs, events, record of the part or the record again. ARGV key, reply JSON, cap, wake channel, state of a
 * hand-off after this, run of the part or '', kind of the reply. What is only said again is not late.
 */
export const answerScript = createScript(`${FINAL}${TALLY}
local kind, askedAtMs = string.match(redis.call('HGET', KEYS[2], 't:' .. ARGV[1]) or '', '^(%a+) (%d+)$')
if ARGV[6] ~= '' then
  local part = redis.call('HMGET', KEYS[4], 'state', 'run')
  if not part[1] or part[1] == 'completed' or part[1] == 'failed' or part[1] == 'cancelled' then return 'ended' end
  if part[2] ~= ARGV[6] then return 'ended' end
end
if ended then return 'ended' end
if redis.call('HEXISTS', KEYS[2], 'q:' .. ARGV[1]) == 0 then return 'unknown' end
if redis.call('HSETNX', KEYS[2], 'a:' .. ARGV[1], ARGV[2]) == 0 then
  local isRepeat = redis.call('HGET', KEYS[2], 'a:' .. ARGV[1]) == ARGV[2]
  if kind and not isRepeat then tally('answers_late ' .. kind, 1) end
  return 'late'
end
if kind then
  tally('questions_answered ' .. kind .. ' ' .. ARGV[7], 1)
  observe('question', ' ' .. kind, clockMs() - tonumber(askedAtMs))
end
redis.call('HSET', KEYS[1], 'answered', 1)
if redis.call('HGET', KEYS[1], 'handOffKey') == ARGV[1] then redis.call('HSET', KEYS[1], 'handOff', ARGV[5]) end
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[3], '*', 'e', cjson.encode({type = 'answer', key = ARGV[1]}))
redis.call('PUBLISH', ARGV[4], 'event')
return 'stored'
`);

/**
 * Takes or renews the claim to ask; the lease is judged by Redis' own clock.
 * KEYS record. ARGV asker, lease in ms, 1 to take over.
 */
export const claimScript = createScript(`${FINAL}
if ended then return 0 end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local held = redis.call('HGET', KEYS[1], 'asker')
if held and ARGV[3] ~= '1' then
  local asker, untilMs = string.match(held, '^(%S+) (%d+)$')
  if asker ~= ARGV[1] and tonumber(untilMs) > now then return 0 end
end
redis.call('HSET', KEYS[1], 'asker', ARGV[1] .. ' ' .. string.format('%.0f', now + tonumber(ARGV[2])))
return 1
`);

/** Gives a claim up if the asker still holds it. KEYS record. ARGV asker. */
export const unclaimScript = createScript(`
local held = redis.call('HGET', KEYS[1], 'asker')
if held and string.match(held, '^(%S+)') == ARGV[1] then redis.call('HDEL', KEYS[1], 'asker') end
return 1
`);
