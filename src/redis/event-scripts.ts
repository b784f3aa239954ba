/** The appending of events, as Lua; what each script guards is said above it. */
import { FENCED } from './job-scripts.js';
import { createScript } from './script.js';

/**
 * Appends a batch of events of the run that holds the job; progress that does not rise is left out. A run appends one
 * batch after another, so the batch that was appended last is a repeat after a lost reply.
 * KEYS record, events. ARGV run, ttl, cap, wake channel, batch, then pairs of progress value or '' and event JSON.
 */
export const appendEventsScript =
  createScript(`${FENCED}if redis.call('HGET', KEYS[1], 'batch') == ARGV[5] then return 'written' end
redis.call('HSET', KEYS[1], 'batch', ARGV[5])
local last = tonumber(redis.call('HGET', KEYS[1], 'p') or '-1')
for i = 6, #ARGV, 2 do
  local value = tonumber(ARGV[i])
  if not value or value > last then
    redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[3], '*', 'e', ARGV[i + 1])
    if value then
      last = value
      redis.call('HSET', KEYS[1], 'p', ARGV[i], 'progress', ARGV[i + 1])
    end
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
redis.call('PUBLISH', ARGV[4], 'event')
return 'written'
`);

/**
 * Appends events of the run of a part to the log of its job. Progress is the units this part has done: the highest it
 * ever had counts, and their sum over all parts becomes the job's progress, if it rises.
 * KEYS record of the part, record of the job, events and inputs of the job. ARGV run, ttl, cap, wake channel of the job,
 * batch, key, group, share as JSON, then pairs of units or '' and event JSON.
 */
export const appendForPartScript = createScript(`${FENCED}
if redis.call('HGET', KEYS[1], 'batch') == ARGV[5] then return 'written' end
redis.call('HSET', KEYS[1], 'batch', ARGV[5])
local owner = redis.call('HGET', KEYS[2], 'state')
if not owner or final(owner) then return 'ended' end
local share = cjson.decode(ARGV[8])
local function grouped(n)
  local text = string.format('%.0f', n):reverse():gsub('(%d%d%d)', '%1,'):reverse()
  return (text:gsub('^,', ''))
end
local function sumWith(units)
  local had = tonumber(redis.call('HGET', KEYS[4], 'p:' .. ARGV[6]) or '0')
  if units <= had then return end
  redis.call('HSET', KEYS[4], 'p:' .. ARGV[6], string.format('%.17g', units))
  return tonumber(redis.call('HINCRBYFLOAT', KEYS[4], 's:' .. ARGV[7], string.format('%.17g', units - had)))
end
local function report(units)
  local sum = sumWith(units)
  local part = sum and share.total > 0 and math.min(1, sum / share.total)
  local value = part and share.from + (share.to - share.from) * part
  if not value or value <= tonumber(redis.call('HGET', KEYS[2], 'p') or '-1') then return end
  local message = share.before .. grouped(sum) .. share.after
  local event = cjson.encode({type = 'progress', progress = value, total = share.outOf, message = message})
  redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[3], '*', 'e', event)
  redis.call('HSET', KEYS[2], 'p', string.format('%.17g', value), 'progress', event)
end
for i = 9, #ARGV, 2 do
  if ARGV[i] ~= '' then report(tonumber(ARGV[i]))
  else redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[3], '*', 'e', ARGV[i + 1]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
for i = 2, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
redis.call('PUBLISH', ARGV[4], 'event')
return 'written'
`);
