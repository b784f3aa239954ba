/**
 * The atomic changes and readings of a job's tables, as Lua. Of the hash's fields `s <section>` holds the columns,
 * `b <section> <place> <block>` a block, `n …` of the same name its number of rows, negative if it was left out, and
 * `bytes` the size of all blocks.
 */
import { FENCED } from './job-scripts.js';
import { createScript } from './script.js';

/**
 * Stores some blocks of a slice, which takes the place of an earlier one: what that had beyond is removed.
 * KEYS record, record of the job the tables belong to, tables. ARGV run, ttl, cap in bytes, section, columns as JSON, what
 * the names of the slice's blocks begin with, number of the first block, blocks of the slice, then pairs of rows and data.
 */
export const writeTableScript = createScript(`${FENCED}
local owner = redis.call('HGET', KEYS[2], 'state')
if not owner or final(owner) then return 'ended' end
redis.call('HSET', KEYS[3], 's ' .. ARGV[4], ARGV[5])
redis.call('PEXPIRE', KEYS[3], ARGV[2])
local function name(block) return ARGV[6] .. string.format('%010d', block) end
local function drop(block)
  local size = redis.call('HSTRLEN', KEYS[3], 'b ' .. name(block))
  if size > 0 then redis.call('HINCRBY', KEYS[3], 'bytes', -size) end
  redis.call('HDEL', KEYS[3], 'b ' .. name(block), 'n ' .. name(block))
end
local beyond = tonumber(ARGV[8])
while redis.call('HEXISTS', KEYS[3], 'n ' .. name(beyond)) == 1 do
  drop(beyond)
  beyond = beyond + 1
end
for i = 9, #ARGV, 2 do
  local block = ARGV[7] + (i - 9) / 2
  drop(block)
  local fits = (redis.call('HGET', KEYS[3], 'bytes') or 0) + #ARGV[i + 1] <= tonumber(ARGV[3])
  redis.call('HSET', KEYS[3], 'n ' .. name(block), fits and ARGV[i] or '-' .. ARGV[i])
  if fits then
    redis.call('HSET', KEYS[3], 'b ' .. name(block), ARGV[i + 1])
    redis.call('HINCRBY', KEYS[3], 'bytes', #ARGV[i + 1])
  end
end
return 'written'
`);

/** Lists the sections, sorted: name, columns, rows, rows left out, one after the other. KEYS tables. */
export const sectionsScript = createScript(`
local names, rows, left = {}, {}, {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local kind, section = string.match(field, '^(%S+) (%S+)')
  if kind == 's' then names[#names + 1] = section end
  if kind == 'n' then
    local some = tonumber(redis.call('HGET', KEYS[1], field))
    rows[section] = (rows[section] or 0) + math.max(some, 0)
    left[section] = (left[section] or 0) + math.max(-some, 0)
  end
end
table.sort(names)
local reply = {}
for _, section in ipairs(names) do
  reply[#reply + 1] = section
  reply[#reply + 1] = redis.call('HGET', KEYS[1], 's ' .. section)
  reply[#reply + 1] = rows[section] or 0
  reply[#reply + 1] = left[section] or 0
end
return reply
`);

/**
 * Finds the blocks that hold some rows of a section: its columns, rows in all, rows left out, rows of the first block that
 * come before those wanted, and the names of the blocks. An empty reply means that there is no such section.
 * KEYS tables. ARGV section, offset, limit.
 */
export const readTableScript = createScript(`
local columns = redis.call('HGET', KEYS[1], 's ' .. ARGV[1])
if not columns then return {} end
local begins = 'n ' .. ARGV[1] .. ' '
local fields = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, #begins) == begins then fields[#fields + 1] = field end
end
table.sort(fields)
local from, total, left = tonumber(ARGV[2]), 0, 0
local till = from + ARGV[3]
local reply = {columns, 0, 0, 0}
for _, field in ipairs(fields) do
  local rows = tonumber(redis.call('HGET', KEYS[1], field))
  if rows > 0 and total < till and total + rows > from then
    if #reply == 4 then reply[4] = from - total end
    reply[#reply + 1] = 'b' .. string.sub(field, 2)
  end
  total = total + math.max(rows, 0)
  left = left + math.max(-rows, 0)
end
reply[2] = total
reply[3] = left
return reply
`);
