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
 * bounded, but what was counted by earlier versions, or for tools that are gone, stays.
 */
export const TALLY = `${NOW}
local base = string.match(KEYS[1], '^{[^}]*}:')
local totals = base .. '${TOTALS_KEY}'
local isKept = false
local function tally(field, by)
  local isNew = redis.call('HINCRBY', totals, field, by) == tonumber(by)
  if isNew and redis.call('HLEN', totals) > ${TOTALS_CAP} then
    redis.call('HDEL', totals, field)
    redis.call('HINCRBY', totals, '${DROPPED}', 1)
  end
  if not isKept then redis.call('PEXPIRE', totals, ${TOTALS_TTL_MS}) end
  isKept = true
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
local labelled
local function toolAndQueue(record)
  local of = not labelled and redis.call('HMGET', record, 'tool', 'queue')
  labelled = labelled or ' ' .. (of[1] or '') .. ' ' .. (of[2] or '')
  return labelled
end
local function isPart(record) return redis.call('HEXISTS', record, 'part') == 1 end
local function observeSince(record, name, since)
  local from = tonumber(redis.call('HGET', record, since) or '')
  if from then observe(name, toolAndQueue(record), clockMs() - from) end
end
`;

/** Defines \`stand(record, group)\`: since when a job stands in a group; in none without one. Needs \`TALLY\`. */
export const STANDING = `
local function stand(record, group)
  local before = redis.call('HGET', record, 'stands')
  if before == (group or false) then return end
  local id = string.sub(record, #base + 5)
  if before then redis.call('ZREM', base .. '${STANDING_KEY}' .. before, id) end
  if not group then
    redis.call('HDEL', record, 'stands')
    return
  end
  redis.call('ZADD', base .. '${STANDING_KEY}' .. group, clockMs(), id)
  redis.call('PEXPIRE', base .. '${STANDING_KEY}' .. group, ${STANDING_TTL_MS})
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
