/**
 * Whose turn is next among the principals, as Lua over BullMQ's set of prioritized jobs. Every principal has a line of its
 * own; its jobs get one turn after another, and a job is placed by its turn, so that of each turn every principal has one.
 * A score is `turn * UNIT + number`, the number settling the order within a turn.
 */
import { createScript } from './script.js';
import { STANDING, TALLY } from './tally-scripts.js';

/** Numbers within a turn before they begin anew, which only mixes the order of different principals in it. */
const UNIT = 2 ** 22;

/** Turns are counted from 0 again after this many without a pause, far below where a score would lose digits. */
const TURNS = 2 ** 28;

/** Running jobs that are looked at when the past is forgotten; where more run, it is kept, and costs somebody one turn at most. */
const RUNNING = 4;

/**
 * Places those that BullMQ has put behind all others, because they are new or because their time has come.
 * The current turn is one before that of the first in the queue, and never falls: who comes new is placed right behind the
 * jobs of this turn, whoever waits longer behind its own. What a principal had is looked up in its line; jobs in it that do
 * not wait any more were taken, unless their turn is yet to come. Where nobody waits the past is forgotten: those whose jobs
 * run have had the turn that begins.
 */
const PLACE = `${TALLY}${STANDING}
local UNIT, behind = ${UNIT}, tonumber(ARGV[3])
local turn, top
local function lineOf(id) return ARGV[1] .. (redis.call('HGET', ARGV[2] .. id, 'who') or '') end
local function note(line, its, id)
  redis.call('ZADD', line, its, id)
  redis.call('PEXPIRE', line, ARGV[4])
end
local function forgetPast()
  turn = math.max(turn, top) + 1
  for _, id in ipairs(redis.call('LRANGE', KEYS[4], 0, -1)) do note(lineOf(id), turn, id) end
end
local function startAnew(first)
  local waiting = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[3], 'WITHSCORES')
  local emptied = {}
  top = 0
  for i = 1, #waiting, 2 do
    local line = lineOf(waiting[i])
    if not emptied[line] then redis.call('DEL', line) end
    emptied[line] = true
    local score = tonumber(waiting[i + 1]) - first * UNIT
    redis.call('ZADD', KEYS[1], string.format('%.0f', score), waiting[i])
    note(line, math.floor(score / UNIT), waiting[i])
    top = math.max(top, math.floor(score / UNIT))
  end
end
local function waitsInTurn(id)
  local score = tonumber(redis.call('ZSCORE', KEYS[1], id) or ARGV[3])
  return score < behind
end
local function lastTurn(line)
  local last = redis.call('ZREVRANGE', line, 0, 0, 'WITHSCORES')
  while last[1] do
    local its = tonumber(last[2])
    if its <= turn + 1 or waitsInTurn(last[1]) then return its end
    redis.call('ZREM', line, last[1])
    last = redis.call('ZREVRANGE', line, 0, 0, 'WITHSCORES')
  end
  return turn - 1
end
local function place(id)
  local record = ARGV[2] .. id
  local found = redis.call('HMGET', record, 'who', 'state', 'queue', 'stands')
  local line = ARGV[1] .. (found[1] or '')
  local its = math.max(turn, lastTurn(line) + 1)
  local number = redis.call('HINCRBY', KEYS[3], 'number', 1) % UNIT
  redis.call('ZADD', KEYS[1], string.format('%.0f', its * UNIT + number), id)
  top = math.max(top, its)
  note(line, its, id)
  redis.call('ZREMRANGEBYSCORE', line, '-inf', '(' .. turn)
  local isIdle = found[2] == 'waiting' or found[2] == 'parked' or found[2] == 'delayed'
  if isIdle and found[4] ~= 'waiting:' .. (found[3] or '') then waits(record) end
end
local unplaced = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[3], '+inf', 'LIMIT', 0, 1000)
if #unplaced > 0 then
  local before = redis.call('HMGET', KEYS[3], 'turn', 'top')
  turn, top = tonumber(before[1] or '0'), tonumber(before[2] or '0')
  local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  if tonumber(first[2]) < behind then
    turn = math.max(turn, math.floor(first[2] / UNIT) - 1)
  elseif redis.call('LLEN', KEYS[2]) == 0 and redis.call('LLEN', KEYS[4]) <= ${RUNNING} then
    forgetPast()
  end
  if turn > ${TURNS} then
    startAnew(turn)
    turn = 0
  end
  for _, id in ipairs(unplaced) do place(id) end
  redis.call('HSET', KEYS[3], 'turn', string.format('%.0f', turn), 'top', string.format('%.0f', top))
  redis.call('PEXPIRE', KEYS[3], ARGV[4])
end
`;

/** Takes a removed job out of its principal's line, so that its turn is not counted as taken. KEYS record. ARGV line key prefix, id. */
export const leaveLineScript = createScript(`
return redis.call('ZREM', ARGV[1] .. (redis.call('HGET', KEYS[1], 'who') or ''), ARGV[2])
`);

/** Changes the priority of a job that BullMQ knows. KEYS job. ARGV priority. */
export const priorityScript = createScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'priority', ARGV[1]) end
return 1
`);

/**
 * Places all that are not placed yet; says how many were.
 * KEYS prioritized, wait, turns, active. ARGV line key prefix, record key prefix, score from which on nobody is placed, ttl.
 */
export const placeScript = createScript(`${PLACE}
return #unplaced
`);

/**
 * Places, then tells for each job how many are before it, itself counted; 0 for one that does not wait. What a worker had and
 * gave back waits in a list of its own, which is taken from the right and before all others.
 * KEYS and ARGV as of \`placeScript\`, then ids.
 */
export const positionsScript = createScript(`${PLACE}
local atOnce = redis.call('LLEN', KEYS[2])
local found = {}
for i = 5, #ARGV do
  local rank = redis.call('ZRANK', KEYS[1], ARGV[i])
  local place = rank and atOnce + rank + 1
  if not place and atOnce > 0 then
    local at = redis.call('LPOS', KEYS[2], ARGV[i])
    place = at and atOnce - at
  end
  found[#found + 1] = place or 0
end
return found
`);
