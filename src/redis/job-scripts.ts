/** The atomic changes of a job's record, as Lua; what each guards is said above it. */
import { ADMISSION } from './admission-scripts.js';
import { MINUTE } from './minute-scripts.js';
import { NOTIFY } from './outbox-scripts.js';
import { createScript } from './script.js';
import { STANDING, TALLY } from './tally-scripts.js';

const FINAL = `
local function final(state) return state == 'completed' or state == 'failed' or state == 'cancelled' end
`;

/** Keeps how a run ended short of an outcome, among the last 20 of its job. */
const ADD_FAULT = `
local function addFault(fault)
  local faults = cjson.decode(redis.call('HGET', KEYS[1], 'faults') or '[]')
  faults[#faults + 1] = fault
  if #faults > 20 then table.remove(faults, 1) end
  redis.call('HSET', KEYS[1], 'faults', cjson.encode(faults))
end
local function addCrash(error, found)
  redis.call('HINCRBY', KEYS[1], 'crashes', 1)
  tally('runs_lost ' .. found, 1)
  local lostRun = field(KEYS[1], 'run') .. ' ' .. field(KEYS[1], 'runAtMs')
  redis.call('HSET', KEYS[1], 'lostRun', lostRun)
  local attempt = tonumber(redis.call('HGET', KEYS[1], 'attempt'))
  addFault({attempt = attempt, atMs = clockMs(), error = cjson.decode(error)})
  return lostRun
end
`;

/** A job is looked at some time after it came; one that is in order is left alone. */
const UNFINISHED = `
local function addUnfinished(key, id, ttl)
  redis.call('ZADD', key, 'NX', clockMs() + 10000, id)
  redis.call('PEXPIRE', key, ttl)
end
`;

/** Opens a script that goes on only for the run that holds the job: KEYS[1] is its record, ARGV[1] the run. */
export const FENCED = `${FINAL}
local state = redis.call('HGET', KEYS[1], 'state')
if not state or final(state) then return 'ended' end
if redis.call('HGET', KEYS[1], 'run') ~= ARGV[1] then return 'superseded' end
`;

/**
 * Stores a waiting job unless the idempotency key stands for a job that still exists, or there are as many as there may be.
 * KEYS record, idempotency or the record again, index of the owner, index of all, unfinished, queued, open of the owner. ARGV seed, id, created, ttl, index cap,
 * args fingerprint, record key prefix, ttl of what must outlive every record it names, tool, 1 for a part,
 * queue, version, owner, most queued, most open, brief.
 */
export const createJobScript = createScript(`${FINAL}${ADMISSION}${TALLY}${STANDING}${MINUTE}${UNFINISHED}
local function refused(by)
  tally('jobs_refused ' .. by, 1)
  return 'full ' .. by
end
if KEYS[2] ~= KEYS[1] then
  local held = redis.call('GET', KEYS[2])
  if held then
    local id = string.match(held, '^(%S+)')
    if redis.call('EXISTS', ARGV[7] .. id) == 1 then return held end
  end
end
local isKnown = redis.call('EXISTS', KEYS[1]) == 1
if not isKnown and ARGV[10] ~= '1' then
  if isFull(KEYS[7], tonumber(ARGV[15]), ARGV[7], false) then return refused('caller') end
  if isFull(KEYS[6], tonumber(ARGV[14]), ARGV[7], true) then return refused('queue') end
end
if KEYS[2] ~= KEYS[1] then redis.call('SET', KEYS[2], ARGV[2] .. ' ' .. ARGV[6], 'PX', ARGV[8]) end
if isKnown then return '' end
local group = 'waiting:' .. ARGV[11]
redis.call('HSET', KEYS[1], 'seed', ARGV[1], 'tool', ARGV[9], 'state', 'waiting', 'attempt', 0, 'crashes', 0, 'queue', ARGV[11],
  'v', ARGV[12], 'who', ARGV[13], 'createdAtMs', ARGV[3], 'brief', ARGV[16], 'stands', group)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
addUnfinished(KEYS[5], ARGV[2], ARGV[8])
moveStand(KEYS[1], nil, group)
if ARGV[10] == '1' then
  redis.call('HSET', KEYS[1], 'part', 1)
  return ''
end
tally('jobs_accepted' .. labelled(ARGV[9], ARGV[11]), 1)
inMinute('submitted')
for i = 6, 7 do countIn(KEYS[i], ARGV[2], ARGV[8]) end
for i = 3, 4 do
  redis.call('ZADD', KEYS[i], ARGV[3], ARGV[2])
  redis.call('ZREMRANGEBYRANK', KEYS[i], 0, -1 - tonumber(ARGV[5]))
  redis.call('PEXPIRE', KEYS[i], ARGV[8])
end
return ''
`);

/**
 * Takes a job for one run. A record still 'active' means that the last run ended without a word, as when its worker died:
 * a crash, not an attempt. Who is late, and no longer holds the job in the queue, must not take it from who does.
 * KEYS record, events, owner index, all index, hold or the record again, unfinished, queued, journal, inputs. ARGV seed, id, created, ttl,
 * worker, run, wake channel, index ttl, tool, 1 for a part, token of the hold or '', error of a crash as JSON,
 * queue, version, owner, brief. Answers also which run was lost before, and with 1 if earlier runs left steps or questions.
 */
export const beginJobScript = createScript(`${FINAL}${TALLY}${STANDING}${MINUTE}${ADD_FAULT}${UNFINISHED}
local had = redis.call('HMGET', KEYS[1], 'state', 'attempt', 'crashes', 'run', 'stands', 'lostRun', 'part', 'createdAtMs', 'startedAtMs')
local state, attempt, crashes = had[1], tonumber(had[2] or '0'), tonumber(had[3] or '0')
if state and final(state) then return {'ended', state} end
if ARGV[11] ~= '' and redis.call('GET', KEYS[5]) ~= ARGV[11] then return {'superseded', ''} end
local resumes = redis.call('EXISTS', KEYS[8], KEYS[9]) > 0 and '1' or ''
if not state then
  redis.call('HSET', KEYS[1], 'seed', ARGV[1], 'tool', ARGV[9], 'attempt', 0, 'crashes', 0, 'who', ARGV[15])
  redis.call('HSET', KEYS[1], 'createdAtMs', ARGV[3], 'brief', ARGV[16])
  if ARGV[10] == '1' then redis.call('HSET', KEYS[1], 'part', 1) end
  for i = 3, ARGV[10] == '1' and 2 or 4 do
    redis.call('ZADD', KEYS[i], ARGV[3], ARGV[2])
    redis.call('PEXPIRE', KEYS[i], ARGV[8])
  end
  state = 'waiting'
end
if state == 'active' and had[4] == ARGV[6] then return {'run', attempt, crashes, '', resumes} end
local lostRun = had[6] or ''
if state == 'active' then
  lostRun = addCrash(ARGV[12], 'redelivery')
  crashes = crashes + 1
end
if state == 'delayed' or attempt == 0 then attempt = attempt + 1 end
local now = clockMs()
redis.call('HSET', KEYS[1], 'state', 'active', 'attempt', attempt, 'workerId', ARGV[5], 'run', ARGV[6], 'queue', ARGV[13], 'v', ARGV[14],
  'runAtMs', now, 'startedAtMs', had[9] or now)
redis.call('HDEL', KEYS[1], 'answered', 'untilMs', 'stands', 'lostRun')
moveStand(KEYS[1], had[5], nil)
addUnfinished(KEYS[6], ARGV[2], ARGV[8])
redis.call('SREM', KEYS[7], ARGV[2])
if not had[9] and not had[7] and ARGV[10] ~= '1' then
  observeSince('job_wait', labelled(ARGV[9], ARGV[13]), had[8] or ARGV[3])
  inMinute('started')
end
redis.call('XADD', KEYS[2], '*', 'e', '{"type":"state","state":"active","attempt":' .. attempt .. '}')
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('PUBLISH', ARGV[7], 'event')
return {'run', attempt, crashes, lostRun, resumes}
`);

/**
 * Leaves a run without an outcome; a run leaves once, so the same wish again is a repeat after a lost reply.
 * KEYS record, events, queued. ARGV run, state, fault JSON or '', ttl, wake channel, cap, time to run it again or '', id.
 */
export const leaveJobScript =
  createScript(`${FENCED}${TALLY}${STANDING}${ADD_FAULT}${ADMISSION}if state == ARGV[2] then return 'written' end
local of = redis.call('HMGET', KEYS[1], 'tool', 'queue', 'runAtMs', 'attempt', 'part')
observeSince('run', labelled(of[1], of[2]), of[3])
if ARGV[2] == 'delayed' then tally('retries ' .. (of[1] or ''), 1) end
redis.call('HSET', KEYS[1], 'state', ARGV[2])
if ARGV[3] ~= '' then addFault(cjson.decode(ARGV[3])) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'untilMs', ARGV[7]) end
if ARGV[2] == 'parked' then parks(KEYS[1]) elseif ARGV[2] == 'waiting' then waits(KEYS[1]) end
if ARGV[2] ~= 'parked' and not of[5] then countIn(KEYS[3], ARGV[8], ARGV[4]) end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[6], '*', 'e',
  '{"type":"state","state":"' .. ARGV[2] .. '","attempt":' .. of[4] .. '}')
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('PUBLISH', ARGV[5], 'event')
return 'written'
`);

/**
 * Takes a job from the worker that died in the middle of it. Without a run, whatever that worker still writes is refused.
 * KEYS record, events. ARGV worker, error of a crash as JSON, ttl, wake channel, cap, run or '' for any.
 */
export const revokeScript = createScript(`${FINAL}${TALLY}${STANDING}${ADD_FAULT}
if redis.call('HGET', KEYS[1], 'state') ~= 'active' then return 0 end
if redis.call('HGET', KEYS[1], 'workerId') ~= ARGV[1] then return 0 end
if ARGV[6] ~= '' and redis.call('HGET', KEYS[1], 'run') ~= ARGV[6] then return 0 end
addCrash(ARGV[2], 'recovery')
redis.call('HSET', KEYS[1], 'state', 'waiting', 'run', '')
waits(KEYS[1])
local attempt = redis.call('HGET', KEYS[1], 'attempt')
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[5], '*', 'e', '{"type":"state","state":"waiting","attempt":' .. attempt .. '}')
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('PUBLISH', ARGV[4], 'event')
return 1
`);

/** Frees what a job still holds of its session's budget; an answer that no run has settled counts by its size. */
const RELEASE = `
local function release(session, id)
  local budget = ARGV[6] .. session
  for _, field in ipairs(redis.call('HKEYS', budget)) do
    if string.sub(field, 1, #id + 1) == id .. ' ' then
      local held = redis.call('HGET', budget, field)
      local reply = redis.call('HGET', KEYS[5], 'a:' .. string.sub(field, #id + 2)) or ''
      if held ~= 's' then redis.call('HINCRBY', budget, 'reserved', '-' .. string.sub(held, 3)) end
      if held ~= 's' and string.find(reply, '"kind":"answered"', 1, true) then
        redis.call('HINCRBY', budget, 'used', math.ceil(#reply / tonumber(ARGV[8])))
      end
      redis.call('HDEL', budget, field)
    end
  end
end
`;

/** Counts an end by how it came about; the run that ended the job, if one did, is over as well. */
const COUNT_END = `
local function countEnd(state, isPart, of)
  local labels = labelled(of.tool, of.queue)
  if ARGV[1] ~= '' and state == 'active' then observeSince('run', labels, of.runAtMs) end
  if isPart then return tally('parts_ended ' .. (of.tool or '') .. ' ' .. ARGV[2], 1) end
  tally('jobs_ended' .. labels .. ' ' .. ARGV[2], 1)
  observeSince('job', labels, of.createdAtMs)
  inMinute(ARGV[2])
  if ARGV[11] ~= '' then failedInMinute(ARGV[11], ARGV[7]) end
  if ARGV[11] ~= '' then tally('jobs_failed ' .. (of.tool or '') .. ' ' .. ARGV[11], 1) end
  if ARGV[2] == 'cancelled' then tally('jobs_cancelled ' .. state, 1) end
  if ARGV[12] ~= '' then tally('scanned_files read', ARGV[12]) end
  if ARGV[13] ~= '' then tally('scanned_files cache', ARGV[13]) end
end
`;

/**
 * Ends a job; the first outcome wins, so a cancelled job stays cancelled whatever its worker says later.
 * The outcome event is appended last and nothing is appended after it, so trimming never reaches it.
 * KEYS record, events, outcome, journal, inputs, tables, unfinished, queued. ARGV run or '', state, outcome JSON, ttl, wake channel, budget key
 * prefix, id, bytes a token, ttl of an ended part, what the name of an owner's open jobs begins with, error code or '',
 * files of a scan that were read and that were known, or ''. Answers also with 1 if the job ever stood for a share of its session's budget.
 */
export const endJobScript = createScript(`${FINAL}${TALLY}${STANDING}${MINUTE}${RELEASE}${COUNT_END}${NOTIFY}
local had = redis.call('HMGET', KEYS[1], 'state', 'run', 'part', 'session', 'stands', 'who', 'tool', 'queue', 'runAtMs', 'createdAtMs')
local state, part, session = had[1], had[3], had[4]
if not state then return {'missing', ''} end
if final(state) then return {'already', state} end
if ARGV[1] ~= '' and had[2] ~= ARGV[1] then return {'superseded', state} end
local now = clockMs()
-- The outcome of a part is its job's by now.
local ttl = part and math.min(tonumber(ARGV[4]), tonumber(ARGV[9])) or tonumber(ARGV[4])
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'endedAtMs', now, 'expiresAtMs', now + ttl)
redis.call('SET', KEYS[3], ARGV[3], 'PX', ttl)
redis.call('XADD', KEYS[2], '*', 'e', '{"type":"outcome","state":"' .. ARGV[2] .. '"}')
if session then release(session, ARGV[7]) end
redis.call('DEL', KEYS[4], KEYS[5])
if had[5] then
  moveStand(KEYS[1], had[5], nil)
  redis.call('HDEL', KEYS[1], 'stands')
end
countEnd(state, part, {tool = had[7], queue = had[8], runAtMs = had[9], createdAtMs = had[10]})
if not part then notify(ARGV[2], ARGV[11], ARGV[7]) end
redis.call('ZREM', KEYS[7], ARGV[7])
redis.call('SREM', KEYS[8], ARGV[7])
redis.call('SREM', ARGV[10] .. (had[6] or ''), ARGV[7])
if ARGV[2] == 'completed' then redis.call('PEXPIRE', KEYS[6], ttl) else redis.call('DEL', KEYS[6]) end
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('PEXPIRE', KEYS[2], ttl)
redis.call('PUBLISH', ARGV[5], 'ended')
return {'ended', ARGV[2], session and '1' or ''}
`);

/** Journals a step of the run that holds the job. KEYS record, journal. ARGV run, ttl, step, value JSON. */
export const writeStepScript = createScript(`${FENCED}redis.call('HSETNX', KEYS[2], ARGV[3], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 'written'
`);
