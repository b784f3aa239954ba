/** The claims of jobs on folders, on Redis: one hash for all, from which the claims of jobs that ended drop out. */
import { jobIdSchema } from '../core/ids.js';
import type { FolderClaims } from '../core/ports.js';
import type { RedisContext } from './context.js';
import { FENCED } from './job-scripts.js';
import { oneOf, texts } from './replies.js';
import { createScript } from './script.js';

/**
 * Claims a folder; repeating it changes nothing. KEYS record, folders. ARGV run, folder, id, record key prefix, ttl.
 */
const claimScript = createScript(`
local function fenced()
${FENCED}
return ''
end
local refused = fenced()
if refused ~= '' then return {refused, ''} end
local function within(inner, outer)
  return inner == outer or outer == '/' or string.sub(inner, 1, #outer + 1) == outer .. '/'
end
local held = redis.call('HGETALL', KEYS[2])
for i = 1, #held, 2 do
  local folder, owner = held[i], held[i + 1]
  if owner ~= ARGV[3] then
    local theirs = redis.call('HGET', ARGV[4] .. owner, 'state')
    if not theirs or theirs == 'completed' or theirs == 'failed' or theirs == 'cancelled' then
      redis.call('HDEL', KEYS[2], folder)
    elseif within(folder, ARGV[2]) or within(ARGV[2], folder) then
      return {'taken', owner}
    end
  end
end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return {'held', ''}
`);

/** Builds the claims. */
export function createFolderClaims({ redis, keys, retention }: RedisContext): FolderClaims {
  return {
    async claim(id, run, folder) {
      const record = keys.record(id);
      const args = [run, folder, id, record.slice(0, -id.length), retention.activeTtlMs];
      const [kind, by] = texts(await claimScript(redis, [record, keys.folders()], args));
      if (kind === 'taken') return { kind, by: jobIdSchema.parse(by) };
      return { kind: oneOf(['held', 'ended', 'superseded'], kind) };
    },
  };
}
