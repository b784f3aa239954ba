import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judge } from '../../src/ops/doctor.js';
import type { DoctorFacts, FolderFacts, HostFacts, RedisAway, RedisFacts } from '../../src/ops/doctor-facts.js';
import { troubleOf } from '../../src/redis/troubles.js';

const MIB = 1024 * 1024;
const FOLDER: FolderFacts = { path: '/data', kind: 'folder', writable: true, mode: 0o700, foreign: false };
const HOST: HostFacts = {
  nodeVersion: '22.1.0',
  gitVersion: '2.39.5',
  freeMemoryBytes: 4_096 * MIB,
  totalMemoryBytes: 8_192 * MIB,
  dataFolder: FOLDER,
  cacheFolder: { ...FOLDER, path: '/cache' },
};
const REDIS: RedisFacts = {
  reachable: true,
  product: 'Redis',
  version: '7.0.15',
  role: 'master',
  evictionPolicy: 'noeviction',
  aofEnabled: true,
  aofWritesOk: true,
  fsync: 'everysec',
  maxMemoryBytes: 0,
  usedMemoryBytes: 2 * MIB,
  systemMemoryBytes: 8_192 * MIB,
  pingMedianMs: 0.2,
  pingWorstMs: 1,
  clockAheadMs: -3,
  scriptFault: undefined,
  pubSubMs: 0.4,
};
const away = (why: string): RedisAway => ({ reachable: false, why, trouble: troubleOf(new Error(why)) });
const fault = (said: string) => ({ said, trouble: troubleOf(new Error(said)) });

interface Change {
  readonly host?: Partial<HostFacts>;
  readonly redis?: Partial<RedisFacts> | RedisAway;
  readonly facts?: Partial<DoctorFacts>;
}

function judged({ host, redis, facts }: Change) {
  const changed = redis && redis.reachable === false ? (redis as RedisAway) : { ...REDIS, ...(redis as RedisFacts) };
  return judge({ host: { ...HOST, ...host }, source: 'private Redis', isPrivate: true, redis: changed, ...facts });
}

type Row = readonly [says: string, change: Change, check: string, status: 'ok' | 'warn' | 'fail', mend?: RegExp];

const VERDICTS: readonly Row[] = [
  ['Node 18 fails', { host: { nodeVersion: '18.19.0' } }, 'Node.js', 'fail', /Node\.js 20/],
  ['Node 20.11 fails', { host: { nodeVersion: '20.11.1' } }, 'Node.js', 'fail', /Node\.js 20\.12/],
  ['Node 20.12 is enough', { host: { nodeVersion: '20.12.0' } }, 'Node.js', 'ok'],
  ['a worker that loads is well', { host: { worker: { fault: undefined } } }, 'Workers', 'ok'],
  [
    'a worker that does not start fails, with its words',
    { host: { worker: { fault: 'Cannot find module x' } } },
    'Workers',
    'fail',
    /LONGHAUL_TOOLS/,
  ],
  ['a missing git is a warning', { host: { gitVersion: undefined } }, 'git', 'warn', /apt-get install git/],
  [
    'little free memory is a warning',
    { host: { freeMemoryBytes: 100 * MIB } },
    'Memory of the host',
    'warn',
    /--concurrency/,
  ],
  [
    'a folder others can write to fails',
    { host: { dataFolder: { ...FOLDER, mode: 0o770 } } },
    'Data folder',
    'fail',
    /^chmod 700 '\/data'$/,
  ],
  [
    'a folder others can read is a warning',
    { host: { dataFolder: { ...FOLDER, mode: 0o755 } } },
    'Data folder',
    'warn',
    /chmod 700/,
  ],
  [
    'a read-only folder fails',
    { host: { dataFolder: { ...FOLDER, writable: false } } },
    'Data folder',
    'fail',
    /LONGHAUL_DATA_DIR/,
  ],
  [
    "another user's folder fails",
    { host: { dataFolder: { ...FOLDER, foreign: true } } },
    'Data folder',
    'fail',
    /chown/,
  ],
  [
    'a file in place of a folder fails',
    { host: { dataFolder: { ...FOLDER, kind: 'other' } } },
    'Data folder',
    'fail',
    /Remove it/,
  ],
  [
    'a folder that can be made is fine',
    { host: { cacheFolder: { path: '/c', kind: 'missing', writable: true } } },
    'Cache folder',
    'ok',
  ],
  [
    'a folder that cannot be made fails',
    { host: { cacheFolder: { path: '/c', kind: 'missing', writable: false } } },
    'Cache folder',
    'fail',
    /install -d -m 700/,
  ],
  [
    'a data folder is not needed with a Redis elsewhere',
    { facts: { isPrivate: false }, host: { dataFolder: { ...FOLDER, mode: 0o777 } } },
    'Data folder',
    'ok',
  ],
  ['Redis 6.0 fails', { redis: { version: '6.0.16' } }, 'Redis', 'fail', /6\.2/],
  ['Redis 6.2 is enough', { redis: { version: '6.2.0' } }, 'Redis', 'ok'],
  ['Redis 10 is newer than 6.2', { redis: { version: '10.0.0' } }, 'Redis', 'ok'],
  ['any Valkey will do', { redis: { product: 'Valkey', version: '1.0.0' } }, 'Redis', 'ok'],
  ['an unknown version is a warning', { redis: { version: undefined } }, 'Redis', 'warn', /INFO/],
  [
    'a Redis that is away fails',
    { redis: away('connect ECONNREFUSED'), facts: { isPrivate: false } },
    'Redis',
    'fail',
    /LONGHAUL_REDIS_URL/,
  ],
  [
    'a refused login fails with the login as remedy',
    { redis: away('WRONGPASS invalid'), facts: { isPrivate: false } },
    'Redis',
    'fail',
    /USER:PASSWORD/,
  ],
  [
    'a Redis that was not found fails',
    { redis: away('no server'), facts: { source: undefined } },
    'Redis',
    'fail',
    /./,
  ],
  ['a replica fails', { redis: { role: 'slave' } }, 'Redis role', 'fail', /primary/],
  [
    'eviction fails',
    { redis: { evictionPolicy: 'allkeys-lru' } },
    'Eviction policy',
    'fail',
    /CONFIG SET maxmemory-policy noeviction/,
  ],
  [
    'an untold eviction policy is a warning',
    { redis: { evictionPolicy: undefined } },
    'Eviction policy',
    'warn',
    /managed service/,
  ],
  ['no append-only file fails', { redis: { aofEnabled: false } }, 'Persistence', 'fail', /CONFIG SET appendonly yes/],
  ['failing writes of it fail', { redis: { aofWritesOk: false } }, 'Persistence', 'fail', /free space/],
  ['syncing at leisure is a warning', { redis: { fsync: 'no' } }, 'Persistence', 'warn', /appendfsync everysec/],
  ['a forbidden CONFIG is no fault', { redis: { fsync: undefined } }, 'Persistence', 'ok'],
  ['a slow Redis is a warning', { redis: { pingMedianMs: 11 } }, 'Latency', 'warn', /nearer/],
  ['clocks more than a second apart are a warning', { redis: { clockAheadMs: -1_001 } }, 'Clocks', 'warn', /set-ntp/],
  ['clocks a second apart are fine', { redis: { clockAheadMs: 1_000 } }, 'Clocks', 'ok'],
  [
    'scripts that cannot run fail',
    { redis: { scriptFault: fault('NOPERM this user') } },
    'Scripts',
    'fail',
    /ACL SETUSER/,
  ],
  [
    'scripts of a full server fail',
    { redis: { scriptFault: fault('OOM command') } },
    'Scripts',
    'fail',
    /Raise maxmemory/,
  ],
  ['scripts of a replica fail', { redis: { scriptFault: fault('READONLY You') } }, 'Scripts', 'fail', /to the primary/],
  ['a lost message fails', { redis: { pubSubMs: undefined } }, 'Pub/sub', 'fail', /\+@pubsub/],
  [
    'a nearly full Redis is a warning',
    { redis: { maxMemoryBytes: 100 * MIB, usedMemoryBytes: 80 * MIB } },
    'Memory of Redis',
    'warn',
    /maxmemory/,
  ],
  [
    'a full Redis fails',
    { redis: { maxMemoryBytes: 100 * MIB, usedMemoryBytes: 96 * MIB } },
    'Memory of Redis',
    'fail',
    /maxmemory/,
  ],
  [
    'a limit beyond the host is a warning',
    { redis: { maxMemoryBytes: 9_000 * MIB } },
    'Memory of Redis',
    'warn',
    /Lower maxmemory/,
  ],
];

describe('the doctor', () => {
  it('finds nothing amiss in a good installation', () => {
    expect(judged({}).filter(({ status, mend }) => status !== 'ok' || mend !== undefined)).toEqual([]);
  });

  it.each(VERDICTS.map(([says, ...row]) => ({ says, row })))('judges that $says', ({ row }) => {
    const [change, check, status, mend] = row;
    const found = judged(change).find((candidate) => candidate.check === check);
    expect(found?.status).toBe(status);
    if (mend) expect(found?.mend).toMatch(mend);
    else expect(found?.mend).toBeUndefined();
  });

  it('judges nothing of a Redis that is away but that it is', () => {
    const checks = judged({ redis: away('gone') }).map(({ check }) => check);
    expect(checks).toEqual(['Node.js', 'git', 'Memory of the host', 'Data folder', 'Cache folder', 'Redis']);
  });
});

it('asks for the Node.js that package.json and the README name', () => {
  const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  const oldest = /"node": ">=(\d+\.\d+)"/.exec(read('package.json'))?.[1];
  expect(read('README.md')).toContain(`Node ≥ ${oldest} `);
  const node = (nodeVersion: string) => judged({ host: { nodeVersion } }).find(({ check }) => check === 'Node.js');
  expect(node(`${oldest}.0`)).toMatchObject({ status: 'ok' });
  const [major, minor] = String(oldest).split('.').map(Number);
  expect(node(`${major}.${Number(minor) - 1}.9`)).toMatchObject({ status: 'fail' });
});
