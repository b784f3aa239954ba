/**
 * The atomic changes of a session's token budget, as Lua. Its hash holds the totals `used` and `reserved`, and a field
 * `id key` for each question of a living job: `r 4096` while it is reserved, `s` once it is settled.
 */
import { FENCED } from './job-scripts.js';
import { createScript } from './script.js';

/**
 * Reserves for a question of the run that holds the job; a question that is reserved already has its amount replaced.
 * KEYS record, budget, line. ARGV run, session, id, question key, tokens, limit, ttl.
 */
export const reserveScript = createScript(`
local used = tonumber(redis.call('HGET', KEYS[2], 'used') or '0')
local state = redis.call('HGET', KEYS[1], 'state')
if not state or state == 'completed' or state == 'failed' or state == 'cancelled' then return {'ended', used} end
if redis.call('HGET', KEYS[1], 'run') ~= ARGV[1] then return {'superseded', used} end
redis.call('HSET', KEYS[1], 'session', ARGV[2])
local field = ARGV[3] .. ' ' .. ARGV[4]
local held = redis.call('HGET', KEYS[2], field)
if held == 's' then return {'reserved', used} end
local mine = held and tonumber(string.sub(held, 3)) or 0
local reserved = tonumber(redis.call('HGET', KEYS[2], 'reserved') or '0') - mine
local tokens, limit = tonumber(ARGV[5]), tonumber(ARGV[6])
local wish = ARGV[3] .. ' ' .. ARGV[5] .. ' ' .. ARGV[6] .. ' ' .. ARGV[4]
local verdict = 'reserved'
if used + tokens > limit then
  verdict = 'spent'
elseif used + reserved + tokens > limit then
  verdict = 'full'
  local waits = false
  for _, entry in ipairs(redis.call('LRANGE', KEYS[3], 0, -1)) do waits = waits or entry == wish end
  if not waits then redis.call('RPUSH', KEYS[3], wish) end
  redis.call('PEXPIRE', KEYS[3], ARGV[7])
else
  redis.call('HSET', KEYS[2], field, 'r ' .. ARGV[5])
  reserved = reserved + tokens
end
if verdict ~= 'full' then redis.call('LREM', KEYS[3], 0, wish) end
if verdict ~= 'reserved' and held then redis.call('HDEL', KEYS[2], field) end
redis.call('HSET', KEYS[2], 'reserved', string.format('%.0f', reserved))
redis.call('PEXPIRE', KEYS[2], ARGV[7])
return {verdict, used}
`);

/**
 * Settles reservations of the run that holds the job, each once.
 * KEYS record, budget. ARGV run, id, then pairs of question key and tokens.
 */
export const settleScript = createScript(`${FENCED}
for i = 3, #ARGV, 2 do
  local field = ARGV[2] .. ' ' .. ARGV[i]
  local held = redis.call('HGET', KEYS[2], field)
  if held and held ~= 's' then
    redis.call('HSET', KEYS[2], field, 's')
    redis.call('HINCRBY', KEYS[2], 'reserved', '-' .. string.sub(held, 3))
    redis.call('HINCRBY', KEYS[2], 'used', ARGV[i + 1])
  end
end
return 'written'
`);

/**
 * Takes from the line whoever fits or never will; jobs that ended do not stand in anybody's way. Whoever fits has its share
 * reserved at once, lest somebody else takes it before the job runs.
 * KEYS budget, line. ARGV record key prefix.
 */
export const nextScript = createScript(`
local used = tonumber(redis.call('HGET', KEYS[1], 'used') or '0')
local reserved = tonumber(redis.call('HGET', KEYS[1], 'reserved') or '0')
local woken = {}
while true do
  local head = redis.call('LINDEX', KEYS[2], 0)
  if not head then return woken end
  local id, tokens, limit, key = string.match(head, '^(%S+) (%d+) (%d+) (.*)$')
  tokens, limit = tonumber(tokens), tonumber(limit)
  local state = redis.call('HGET', ARGV[1] .. id, 'state')
  if state and state ~= 'completed' and state ~= 'failed' and state ~= 'cancelled' then
    if used + tokens <= limit then
      if used + reserved + tokens > limit then return woken end
      reserved = redis.call('HINCRBY', KEYS[1], 'reserved', tokens)
      redis.call('HSET', KEYS[1], id .. ' ' .. key, 'r ' .. string.format('%.0f', tokens))
    end
    woken[#woken + 1] = id
  end
  redis.call('LPOP', KEYS[2])
end
`);
