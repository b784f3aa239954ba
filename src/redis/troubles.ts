/** Knows Redis' troubles by its own words, its client's and the system's; one table for clients, doctor and log. */
import type { Trouble } from '../core/trouble.js';

type Row = readonly [pattern: RegExp, code: string, words: string, mend: string];

/** An error inside a script starts with the server's own words on Redis 6.2, and with the error itself since 7.0. */
const reply = (codes: string) => new RegExp(`(?:^|: ?-)(?:${codes})(?: |$)`);

const URL_SETTING = 'LONGHAUL_REDIS_URL';

/** What a server says in an error reply. */
const REPLIES: readonly Row[] = [
  [
    reply('OOM'),
    'out_of_memory',
    'Redis has no memory left',
    'Raise maxmemory, or keep results for less long: LONGHAUL_RESULT_TTL_SECONDS',
  ],
  [
    reply('READONLY'),
    'read_only',
    'Redis takes no writes (a read-only replica)',
    `Set ${URL_SETTING} to the primary, or to redis+sentinel:// or redis+cluster://, which follow it`,
  ],
  [
    reply('MISCONF'),
    'not_saved',
    'Redis takes no writes, since it cannot save them to its disk',
    'Look at the free space and the rights of its disk, and its log: redis-cli INFO persistence',
  ],
  [
    reply('NOREPLICAS'),
    'too_few_replicas',
    'Redis takes no writes, since too few replicas follow it',
    'Bring the replicas back: redis-cli INFO replication',
  ],
  [
    reply('LOADING'),
    'loading',
    'Redis is still loading its data',
    'Wait for it: redis-cli INFO persistence tells how far it is',
  ],
  [reply('BUSY'), 'busy', 'Redis is busy with a script of somebody else', 'redis-cli SCRIPT KILL'],
  [
    reply('WRONGPASS|NOAUTH'),
    'login_refused',
    'Redis refuses the login',
    `Put the right user and password into ${URL_SETTING}: redis://USER:PASSWORD@HOST:6379 (or LONGHAUL_REDIS_USERNAME and LONGHAUL_REDIS_PASSWORD)`,
  ],
  [
    reply('NOPERM'),
    'not_permitted',
    'Redis does not let this user do what the queue needs',
    'Allow the user scripts and all keys: ACL SETUSER name +@all ~* &*',
  ],
  [
    /^ERR DB index/,
    'no_database',
    `Redis has no database of the number in ${URL_SETTING}`,
    `Change the number at the end of ${URL_SETTING}, or raise databases in redis.conf`,
  ],
  [
    reply('CLUSTERDOWN|MOVED|ASK|TRYAGAIN|CROSSSLOT|MASTERDOWN'),
    'cluster_down',
    'the Redis Cluster does not serve the keys of this installation just now',
    `redis-cli --cluster check HOST:PORT; on a cluster, ${URL_SETTING} must be redis+cluster://HOST:PORT,HOST:PORT`,
  ],
  [
    /cluster support disabled/,
    'no_cluster',
    'Redis is no cluster',
    `Write redis:// instead of redis+cluster:// into ${URL_SETTING}, or set cluster-enabled yes`,
  ],
  [
    /max number of clients/,
    'too_many_clients',
    'Redis takes no more connections',
    'Raise maxclients in redis.conf, or close other clients',
  ],
  [
    /^-?DENIED .*protected mode/,
    'protected',
    'Redis takes no connections from other hosts',
    'Set a password (requirepass) or bind it to the right address',
  ],
  [
    /unknown (?:redis )?command/i,
    'command_missing',
    'Redis does not know a command that the queue needs',
    'Install Redis 6.2 or newer or any Valkey; do not rename commands',
  ],
];

/** What the client or the system says when there is no reply. */
const SILENCES: readonly Row[] = [
  [
    /sentinels are unreachable/i,
    'no_primary',
    'no Sentinel names a primary',
    `Check that the Sentinels run and know the name at the end of ${URL_SETTING}: redis-cli -p 26379 SENTINEL MASTERS`,
  ],
  [
    /EPIPE|ECONNRESET|hung up/,
    'hung_up',
    'Redis hangs up on its connections',
    'See its log and INFO clients (maxclients); use rediss:// only where Redis speaks TLS, and only it where it does',
  ],
  [
    /timed out|ETIMEDOUT|Socket timeout|does not answer/i,
    'silent',
    'Redis does not answer',
    'See whether its process is stopped, paused or swamped: redis-cli --latency; redis-cli SLOWLOG GET',
  ],
  [
    /certificate|self-signed|SSL routines|wrong version number|ERR_TLS|altnames/i,
    'not_secure',
    'no secure connection to Redis comes about',
    `Use rediss:// only where Redis speaks TLS, and name its authority: LONGHAUL_REDIS_TLS_CA`,
  ],
];

const UNREACHABLE: Trouble = {
  code: 'unreachable',
  words: 'Redis cannot be reached',
  mend: `Start it, or set ${URL_SETTING} (--redis) right; unset, a private Redis is used`,
};
const UNKNOWN_REPLY: Trouble = {
  code: 'refused',
  words: 'Redis refuses a command',
  mend: 'The log has its own words; longhaul doctor tells more',
};

/** The trouble that an error of a Redis command or connection tells of. */
export function troubleOf(error: unknown): Trouble {
  const message = error instanceof Error ? error.message : '';
  const row = [...REPLIES, ...SILENCES].find(([pattern]) => pattern.test(message));
  if (row) return { code: row[1], words: row[2], mend: row[3] };
  return error instanceof Error && error.name === 'ReplyError' ? UNKNOWN_REPLY : UNREACHABLE;
}

/** Whether Redis itself said what is wrong; its client's words only tell that a command could not be sent. */
export function isTelling(error: Error | undefined): boolean {
  return REPLIES.some(([pattern]) => pattern.test(error?.message ?? ''));
}
