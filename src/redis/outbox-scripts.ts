/** The notifications that wait to be delivered, as Lua: one is written by the script that ends its job. */
import { OUTBOX_CAP } from '../core/outbox.js';
import { OUTBOX_KEYS } from './keys.js';
import { createScript } from './script.js';
import { TALLY } from './tally-scripts.js';

/** What nobody delivers is forgotten. */
const OUTBOX_TTL_MS = 3 * 24 * 3_600_000;
/** Whoever delivers does so once in that time, or nothing is collected any more. */
const WANTED_TTL_MS = 7 * 24 * 3_600_000;

/** Defines `notify(state, code, id)`, for a job, and no part of one, whose record says by now when it ended. Needs `TALLY`. */
export const NOTIFY = `
local function notify(state, code, id)
  if redis.call('EXISTS', base .. '${OUTBOX_KEYS.wanted}') == 0 then return end
  local due, notes = base .. '${OUTBOX_KEYS.due}', base .. '${OUTBOX_KEYS.notes}'
  if redis.call('ZCARD', due) >= ${OUTBOX_CAP} then return tally('notifications dropped', 1) end
  local note = {id = id, state = state}
  if code ~= '' then note.code = code end
  for _, name in ipairs({'tool', 'attempt', 'crashes', 'createdAtMs', 'startedAtMs', 'endedAtMs'}) do
    local value = redis.call('HGET', KEYS[1], name)
    if value then note[name] = value end
  end
  redis.call('HSET', notes, id, cjson.encode(note))
  redis.call('ZADD', due, clockMs(), id)
  for _, key in ipairs({due, notes}) do redis.call('PEXPIRE', key, ${OUTBOX_TTL_MS}) end
end
`;

/**
 * Takes what is due, for a while. KEYS due, notes, tries, wanted. ARGV lease in ms, limit. The reply holds a note and the number of
 * its try by turns.
 */
export const takeScript = createScript(`${TALLY}
redis.call('SET', KEYS[4], 1, 'PX', ${WANTED_TTL_MS})
local now, taken = clockMs(), {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])) do
  local note = redis.call('HGET', KEYS[2], id)
  if note then
    taken[#taken + 1] = note
    taken[#taken + 1] = redis.call('HINCRBY', KEYS[3], id, 1)
    redis.call('ZADD', KEYS[1], now + ARGV[1], id)
  else
    redis.call('ZREM', KEYS[1], id)
  end
end
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ${OUTBOX_TTL_MS}) end
return taken
`);

/** Settles a try. KEYS due, notes, tries. ARGV id, number of the try, delay until the next in ms or '', what it is counted as. */
export const settleScript = createScript(`${TALLY}
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[2] then return 0 end
tally('notifications ' .. ARGV[4], 1)
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[1], clockMs() + ARGV[3], ARGV[1])
  return 1
end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
return 1
`);
