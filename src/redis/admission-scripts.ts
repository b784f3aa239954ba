/**
 * Fragments of Lua that count who may submit: the ids of the jobs that wait or will be tried again, and of each principal those
 * that have not ended. They are sets, so that no job counts twice; one whose record vanished, or that a process of an older
 * version ran, is left over in them and dropped by a recount, which is made only where somebody is about to be refused.
 * Parts of jobs are in neither: their job was let in.
 */

/** Milliseconds between two recounts of one set, which look at every job in it. */
const RECOUNT_MS = 10_000;

/**
 * Defines `isFull`, which tells whether a set has as many as it may, and `countIn`. Needs `final`; `records` is what the names of
 * records begin with.
 */
export const ADMISSION = `
local function recount(key, records, isQueue)
  if not redis.call('SET', key .. ':recount', 1, 'NX', 'PX', ${RECOUNT_MS}) then return end
  for _, id in ipairs(redis.call('SMEMBERS', key)) do
    local state = redis.call('HGET', records .. id, 'state')
    local gone = not state or final(state)
    if gone or (isQueue and state ~= 'waiting' and state ~= 'delayed') then redis.call('SREM', key, id) end
  end
end
local function isFull(key, limit, records, isQueue)
  if redis.call('SCARD', key) < limit then return false end
  recount(key, records, isQueue)
  return redis.call('SCARD', key) >= limit
end
local function countIn(key, id, ttl)
  redis.call('SADD', key, id)
  redis.call('PEXPIRE', key, ttl)
end
`;
