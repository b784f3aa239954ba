/**
 * The atomic changes of a session, as Lua. Its hash holds `record`, `level`, `ready`, `roots`, `rootsChanges` and `bytes` (of its
 * events); an open call lies under `c:id` with its owner under `o:id` and its id under `s:stream`, an open question under `q:wire id`.
 * Every session has a record, which may be large, and a number of changes, by which scripts that read others of its fields see that it is there.
 * KEYS of all: session, events, sessions. The first ARGV of all: session, idle ms, lease ms, ttl ms.
 */
import { createScript } from './script.js';

const HEAD = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function isHeard()
  local heard = redis.call('ZSCORE', KEYS[3], ARGV[1])
  return heard and tonumber(heard) + tonumber(ARGV[2]) >= now
end
local function lives() return isHeard() and redis.call('HEXISTS', KEYS[1], 'record') == 1 end
local function keep()
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[4]) end
end
`;

/** ARGV then record JSON, level or '', 1 if ready, roots JSON or '', changes of roots. */
export const createSessionScript = createScript(`${HEAD}
if lives() then return 'known' end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'record', ARGV[5], 'rootsChanges', ARGV[9])
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'level', ARGV[6]) end
if ARGV[7] == '1' then redis.call('HSET', KEYS[1], 'ready', '1') end
if ARGV[8] ~= '' then redis.call('HSET', KEYS[1], 'roots', ARGV[8]) end
redis.call('ZADD', KEYS[3], now, ARGV[1])
keep()
return 'created'
`);

/** ARGV then 1 to hold, call id or '', owner, call JSON, stream, start of owners that give way or ''. */
export const admitScript = createScript(`${HEAD}
local field = ARGV[6]
local state = redis.call('HMGET', KEYS[1], 'level', 'ready', 'roots', 'rootsChanges', 'o:' .. field)
if not state[4] or not isHeard() then return {'gone'} end
if field ~= '' then
  local owner = state[5]
  if owner then
    if ARGV[10] == '' or string.sub(owner, 1, #ARGV[10]) ~= ARGV[10] then return {'duplicate'} end
    local old = redis.call('HGET', KEYS[1], 'c:' .. field)
    if old then redis.call('HDEL', KEYS[1], 's:' .. cjson.decode(old).stream) end
  end
  redis.call('HSET', KEYS[1], 'o:' .. field, ARGV[7], 'c:' .. field, ARGV[8], 's:' .. ARGV[9], field)
end
redis.call('ZADD', KEYS[3], 'GT', ARGV[5] == '1' and now + ARGV[3] or now, ARGV[1])
keep()
return {'live', state[1] or '', state[2] or '', state[3] or '', state[4]}
`);

/** Lets a session lie idle from now on, unless a call of it is open at whichever front end: that one holds it. */
const REST = `
local function rest()
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 2) == 'c:' then return end
  end
  redis.call('ZADD', KEYS[3], 'XX', now, ARGV[1])
end
`;

export const restScript = createScript(`${HEAD}${REST}
if lives() then rest() end
return 1
`);

/** ARGV then what changes, its value and, for roots, at which number of changes they were asked. */
export const changeScript = createScript(`${HEAD}
if not lives() then return 0 end
if ARGV[5] == 'level' then redis.call('HSET', KEYS[1], 'level', ARGV[6])
elseif ARGV[5] == 'initialized' then redis.call('HSET', KEYS[1], 'ready', '1')
elseif ARGV[5] == 'roots_changed' then
  redis.call('HINCRBY', KEYS[1], 'rootsChanges', 1)
  redis.call('HDEL', KEYS[1], 'roots')
elseif redis.call('HGET', KEYS[1], 'rootsChanges') == ARGV[7] then redis.call('HSET', KEYS[1], 'roots', ARGV[6]) end
return 1
`);

/** ARGV then call id, owner, call JSON. */
export const noteScript = createScript(`${HEAD}
if redis.call('HGET', KEYS[1], 'o:' .. ARGV[5]) ~= ARGV[6] then return 0 end
redis.call('HSET', KEYS[1], 'c:' .. ARGV[5], ARGV[7])
return 1
`);

/**
 * Appends an event; the oldest make room. ARGV then most events, most bytes, call id, owner or '', 1 if last, 1 if in use,
 * question's wire id or '', question JSON, then stream, number, message, cursor, progress.
 */
export const appendSessionEventScript = createScript(`${HEAD}${REST}
local held = redis.call('HMGET', KEYS[1], 'rootsChanges', 'o:' .. ARGV[7])
if not held[1] then return 'gone' end
local own = ARGV[8] ~= ''
if own and held[2] ~= ARGV[8] then return 'lost' end
redis.call('XADD', KEYS[2], '*', 's', ARGV[13], 'n', ARGV[14], 'm', ARGV[15], 'c', ARGV[16], 'p', ARGV[17])
local bytes = redis.call('HINCRBY', KEYS[1], 'bytes', #ARGV[15])
local length = redis.call('XLEN', KEYS[2])
while length > 1 and (length > tonumber(ARGV[5]) or bytes > tonumber(ARGV[6])) do
  local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[2], oldest[1])
  bytes = redis.call('HINCRBY', KEYS[1], 'bytes', -#oldest[2][6])
  length = length - 1
end
if ARGV[11] ~= '' then redis.call('HSET', KEYS[1], 'q:' .. ARGV[11], ARGV[12]) end
if own and ARGV[9] == '1' then redis.call('HDEL', KEYS[1], 'o:' .. ARGV[7], 'c:' .. ARGV[7], 's:' .. ARGV[13]) end
if ARGV[9] == '1' and ARGV[10] ~= '1' then rest() end
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return 'written'
`);

/** Walks the events of the stream \`name\`. */
const WALK = `
local function walk(name, each)
  local from = '-'
  while true do
    local page = redis.call('XRANGE', KEYS[2], from, '+', 'COUNT', 100)
    for _, entry in ipairs(page) do
      if entry[2][2] == name then each(tonumber(entry[2][4]), entry[2]) end
    end
    if #page < 100 then return end
    from = '(' .. page[#page][1]
  end
end
`;

/** ARGV then stream, number. Answers false, or numbers and messages in turn. */
export const replayScript = createScript(`${HEAD}${WALK}
if not lives() then return false end
local after = tonumber(ARGV[6])
local first, seen
local found = {}
walk(ARGV[5], function(number, fields)
  first = first or number
  seen = seen or number == after
  if number > after then
    found[#found + 1] = number
    found[#found + 1] = fields[6]
  end
end)
if not first and redis.call('HEXISTS', KEYS[1], 's:' .. ARGV[5]) == 0 then return false end
if first and not seen and first > after + 1 then return false end
return found
`);

/** ARGV then stream, owner. Answers false, or the call, its last number, cursor and progress, then its questions. */
export const takeOverScript = createScript(`${HEAD}${WALK}
if not lives() then return false end
local id = redis.call('HGET', KEYS[1], 's:' .. ARGV[5])
local call = id and redis.call('HGET', KEYS[1], 'c:' .. id)
if not call then return false end
redis.call('HSET', KEYS[1], 'o:' .. id, ARGV[6])
local last, cursor, progress = 0, '', ''
local function later(a, b)
  local am, as = string.match(a, '^(%d+)-(%d+)$')
  local bm, bs = string.match(b, '^(%d+)-(%d+)$')
  if not am or not bm then return b == '' end
  if am ~= bm then return tonumber(am) > tonumber(bm) end
  return tonumber(as) > tonumber(bs)
end
walk(ARGV[5], function(number, fields)
  last = number
  if fields[8] ~= '' and later(fields[8], cursor) then cursor = fields[8] end
  if fields[10] ~= '' then progress = fields[10] end
end)
local answer = {call, last, cursor, progress}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 2) == 'q:' then answer[#answer + 1] = all[i + 1] end
end
return answer
`);

/** ARGV then call id, owner or '' for any. Answers the call, or false. */
export const dropScript = createScript(`${HEAD}
local call = redis.call('HGET', KEYS[1], 'c:' .. ARGV[5])
if not call then return false end
if ARGV[6] ~= '' and redis.call('HGET', KEYS[1], 'o:' .. ARGV[5]) ~= ARGV[6] then return false end
redis.call('HDEL', KEYS[1], 'o:' .. ARGV[5], 'c:' .. ARGV[5], 's:' .. cjson.decode(call).stream)
return call
`);

/** ARGV then wire id. Answers the question, or false. */
export const settleScript = createScript(`${HEAD}
local question = redis.call('HGET', KEYS[1], 'q:' .. ARGV[5])
if question then redis.call('HDEL', KEYS[1], 'q:' .. ARGV[5]) end
return question
`);

/** Answers false, or the record, then field and value of each open call and question in turn. */
export const endScript = createScript(`${HEAD}
local all = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
if #all == 0 then return false end
local answer = {}
for i = 1, #all, 2 do
  local kind = string.sub(all[i], 1, 2)
  if all[i] == 'record' or kind == 'c:' or kind == 'q:' then
    answer[#answer + 1] = all[i]
    answer[#answer + 1] = all[i + 1]
  end
end
return answer
`);

/** Which session must end before one more is opened. ARGV then limit. Answers '' if none, 'full', or its name after a colon. */
export const roomScript = createScript(`${HEAD}
if redis.call('ZCARD', KEYS[3]) < tonumber(ARGV[5]) then return '' end
local oldest = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, 1)[1]
return oldest and (':' .. oldest) or 'full'
`);

/** Names of sessions whose time is over. ARGV then how many at most. */
export const expiredScript = createScript(`${HEAD}
return redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', '(' .. string.format('%.0f', now - tonumber(ARGV[2])), 'LIMIT', 0, ARGV[5])
`);
