/** A fragment of Lua that counts what happens to jobs in a minute, for the plots and lists that operators see of the last hour. */
import { MINUTE_KEY } from './keys.js';

/** An hour is shown; what is older goes by itself. */
const MINUTE_TTL_MS = 2 * 3_600_000;

/**
 * Defines \`inMinute(fields)\`, which counts up fields of the current minute, and \`failedInMinute(code, id)\`. Parts are their
 * job's business and not counted. Needs \`TALLY\`.
 */
export const MINUTE = `
local function minuteKey() return base .. '${MINUTE_KEY}' .. string.format('%.0f', math.floor(clockMs() / 60000)) end
local function inMinute(...)
  local key = minuteKey()
  for _, name in ipairs({...}) do
    -- Each minute has a key of its own, which is written for that minute only.
    if redis.call('HINCRBY', key, name, 1) == 1 then redis.call('PEXPIRE', key, ${MINUTE_TTL_MS}) end
  end
end
local function failedInMinute(code, id)
  inMinute('code:' .. code)
  redis.call('HSET', minuteKey(), 'job:' .. code, id)
end
`;
