/**
 * Fragments of Lua that count in the same script that changes a job's record, so that what is counted is what happened, once,
 * whoever dies: totals, and since when each job stands where it does. Their keys are found from the name of the first key.
 */
import { BUCKETS_MS, DROPPED, LONGER, TOTALS_CAP } from '../core/totals.js';
import { STANDING_KEY, TOTALS_KEY } from './keys.js';

/** An installation that did nothing for so long counts from zero again, which whoever reads counters is used to. */
const TOTALS_TTL_MS = 35 * 24 * 3_600_000;
/** A day longer than an unfinished job is remembered. */
const STANDING_TTL_MS = 8 * 24 * 3_600_000;

const NOW = `
local clock
local function clockMs()
  if clock then return clock end
  local t = redis.call('TIME')
  clock = t[1] * 1000 + math.floor(t[2] / 1000)
  return clock
end
`;

/**
 * Defines `tally(field, by)` and `observe(name, labels, ms)`. A field that finds no room is counted as dropped: labels are
 * bounded, but what was counted by earlier versions, or for tools that are gone, stays. The totals are kept by whoever publishes,
 * every few seconds; here only what is counted first has to see that they do not stay for ever.
 */
export const TALLY = `${NOW}
local base = string.match(KEYS[1], '^{[^}]*}:')
local totals = base .. '${TOTALS_KEY}'
local function keepTotals() redis.call('PEXPIRE', totals, ${TOTALS_TTL_MS}) end
local function tally(field, by)
  if redis.call('HINCRBY', totals, field, by) ~= tonumber(by) then return end
  if redis.call('HLEN', totals) > ${TOTALS_CAP} then
    redis.call('HDEL', totals, field)
    redis.call('HINCRBY', totals, '${DROPPED}', 1)
  end
  keepTotals()
end
local bounds = {${BUCKETS_MS.join(', ')}}
local function observe(name, labels, ms)
  local whole, bucket = math.max(0, math.floor(ms + 0.5)), '${LONGER}'
  for _, bound in ipairs(bounds) do
    if whole <= bound then
      bucket = string.format('%.0f', bound)
      break
    end
  end
  tally(name .. ':' .. bucket .. labels, 1)
  tally(name .. ':sum' .. labels, whole)
end
local function field(record, name) return redis.call('HGET', record, name) or '' end
local function labelled(tool, queue) return ' ' .. (tool or '') .. ' ' .. (queue or '') end
local function observeSince(name, labels, since)
  local from = tonumber(since or '')
  if from then observe(name, labels, clockMs() - from) end
end
`;

/**
 * Defines `moveStand(record, before, group)`: since when a job stands in a group, and no longer in the one before; either may be none.
 * The field `stands` of its record names the group, which is the caller's to write, or `stand(record, group)`'s. Needs `TALLY`.
 */
export const STANDING = `
local function moveStand(record, before, group)
  if before == group then return end
  local id = string.sub(record, #base + 5)
  if before then redis.call('ZREM', base .. '${STANDING_KEY}' .. before, id) end
  if not group then return end
  redis.call('ZADD', base .. '${STANDING_KEY}' .. group, clockMs(), id)
  redis.call('PEXPIRE', base .. '${STANDING_KEY}' .. group, ${STANDING_TTL_MS})
end
local function stand(record, group)
  local before = redis.call('HGET', record, 'stands')
  if before == group then return end
  moveStand(record, before, group)
  redis.call('HSET', record, 'stands', group)
end
local function waits(record) stand(record, 'waiting:' .. field(record, 'queue')) end
local function parks(record)
  local isHandedOver = field(record, 'handOff') == 'awaited'
  local awaits = redis.call('HGET', record, 'awaits') or 'client'
  stand(record, 'parked:' .. (isHandedOver and 'submit_review' or awaits))
end
`;

/**
 * Tells how many stand in each group, and for how long the first of them has. Those at the head that are gone, or that a process of
 * an older version moved on, are left over and dropped.
 * KEYS totals. ARGV record key prefix, then groups.
 */
export const STANDINGS = `${TALLY}
local function isThere(id, group)
  local record = redis.call('HMGET', ARGV[1] .. id, 'state', 'stands')
  if record[2] ~= group then return false end
  return record[1] == 'parked' or (string.sub(group, 1, 7) == 'waiting' and (record[1] == 'waiting' or record[1] == 'delayed'))
end
local function standing(group)
  local key = base .. '${STANDING_KEY}' .. group
  for _ = 1, 500 do
    local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
    if not first[1] then return 0, 0 end
    if isThere(first[1], group) then return redis.call('ZCARD', key), math.max(0, clockMs() - tonumber(first[2])) end
    redis.call('ZREM', key, first[1])
  end
  return redis.call('ZCARD', key), 0
end
local found = {}
for i = 2, #ARGV do
  local jobs, oldest = standing(ARGV[i])
  found[#found + 1] = string.format('%.0f', jobs)
  found[#found + 1] = string.format('%.0f', oldest)
end
return found
`;
