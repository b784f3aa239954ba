/** Every trouble a Redis can be in: named to the operator, told to clients as a thing that passes, and survived. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { createLogger } from '../../src/logger.js';
import { examine } from '../../src/operator.js';
import { until } from '../support/gate.js';
import { init, send, textOf, type WireSession } from '../support/http-wire.js';
import { type RedisServer, redisServer, type ServerSettings } from '../support/redis-server.js';
import { type HttpServer, type LogLine, openSite, type Site } from '../support/site.js';

const ADMIN = { password: 'admin-s3cret' };
const LOGIN = { LONGHAUL_REDIS_USERNAME: 'queue', LONGHAUL_REDIS_PASSWORD: 'queue-s3cret' };
const SETTINGS: ServerSettings = {
  // What the README asks to allow the queue's user, and no more.
  user: [
    `default on >${ADMIN.password} ~* &* +@all`,
    `queue on >${LOGIN.LONGHAUL_REDIS_PASSWORD} ~{longhaul}:* &{longhaul}:* +@all -@dangerous +info`,
  ],
  appendonly: 'yes',
  appendfsync: 'no',
  'enable-protected-configs': 'local',
  'busy-reply-threshold': '100',
};
/** Loads each key so slowly that there is time to look three times, on a machine that stands still for a second or two in between. */
const SLOW_LOADING = { 'key-load-delay': '30000', 'loading-process-events-interval-bytes': '1024' };
const FILLERS = 250;

let redis: RedisServer;
let admin: Redis;
let site: Site;
let server: HttpServer;
let session: WireSession;
let env: Record<string, string>;

beforeAll(async () => {
  redis = await redisServer(SETTINGS);
  admin = redis.client(ADMIN);
  site = await openSite();
  env = { ...LOGIN, LONGHAUL_REDIS_URL: `redis://${redis.host}` };
  server = await site.http({ env });
  session = await init(server);
});
afterAll(async () => {
  await site?.close();
  await redis?.stop();
});

const config = (name: string, value: string) => () => admin.call('CONFIG', 'SET', name, value);
const acl = (...rules: string[]) => admin.call('ACL', 'SETUSER', 'queue', ...rules);

interface Row {
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** Which check of the doctor names it, and how. */
  readonly check: string;
  readonly seen: RegExp;
  /** What a call hears; absent where calls are served all the same. */
  readonly refusal?: RegExp;
}

const TROUBLES: Readonly<Record<string, Row>> = {
  'a Redis that is gone': {
    begin: () => redis.kill(),
    end: () => redis.restart(),
    check: 'Redis',
    seen: /cannot be reached/,
    refusal: /Redis cannot be reached/,
  },
  'a Redis that is loading': {
    begin: loadSlowly,
    end: loaded,
    check: 'Redis',
    seen: /still loading/,
    refusal: /The job queue is unavailable/,
  },
  'a stopped Redis': {
    begin: () => redis.kill('SIGSTOP'),
    end: () => redis.kill('SIGCONT'),
    check: 'Redis',
    seen: /does not answer/,
    refusal: /Redis does not answer/,
  },
  'a Redis without memory': {
    begin: config('maxmemory', '1'),
    end: config('maxmemory', '0'),
    check: 'Scripts',
    seen: /no memory left/,
    refusal: /Redis has no memory left/,
  },
  'a read-only replica': {
    begin: () => admin.call('REPLICAOF', '127.0.0.1', '1'),
    end: () => admin.call('REPLICAOF', 'NO', 'ONE'),
    check: 'Redis role',
    seen: /replica/,
    refusal: /The job queue is unavailable/,
  },
  'a Redis whose replicas are gone': {
    begin: config('min-replicas-to-write', '1'),
    end: config('min-replicas-to-write', '0'),
    check: 'Scripts',
    seen: /too few replicas/,
    refusal: /too few replicas/,
  },
  'a changed password': {
    begin: async () => {
      await acl('resetpass', '>another');
      await admin.call('CLIENT', 'KILL', 'USER', 'queue');
    },
    end: () => acl('resetpass', `>${LOGIN.LONGHAUL_REDIS_PASSWORD}`),
    check: 'Redis',
    seen: /refuses the login/,
    refusal: /Redis refuses the login|cannot be reached/,
  },
  'a user that may not run scripts': {
    begin: () => acl('-@scripting'),
    end: () => acl('+@scripting'),
    check: 'Scripts',
    seen: /does not let this user/,
    refusal: /does not let this user/,
  },
  'a disk that takes no snapshot': {
    begin: failSnapshot,
    end: mendSnapshot,
    check: 'Redis',
    seen: /cannot save them to its disk/,
    refusal: /cannot save them to its disk/,
  },
  'a script of somebody else': {
    begin: spinScript,
    end: () => admin.call('SCRIPT', 'KILL'),
    check: 'Redis',
    seen: /busy with a script/,
    refusal: /busy with a script|The job queue is unavailable/,
  },
  'a Redis that evicts': {
    begin: config('maxmemory-policy', 'allkeys-lru'),
    end: config('maxmemory-policy', 'noeviction'),
    check: 'Eviction policy',
    seen: /silently drop jobs/,
  },
  'a Redis without an append-only file': {
    begin: config('appendonly', 'no'),
    end: config('appendonly', 'yes'),
    check: 'Persistence',
    seen: /a crash would lose accepted jobs/,
  },
};

interface ReadyAnswer {
  readonly http: number;
  readonly status: string;
  readonly complaints: readonly { check: string; status: string; seen: string; mend: string }[];
}

async function readyz(): Promise<ReadyAnswer> {
  const reply = await send(server, { method: 'GET', path: '/readyz' });
  return { http: reply.status, ...JSON.parse(await reply.text()) };
}

/** The server's file is never held back by a sync, of which the doctor warns. */
const isWell = ({ http, complaints }: ReadyAnswer): boolean =>
  http === 200 && complaints.every(({ status }) => status === 'warn');

/** Waits until the front end says of itself what is expected. */
const untilReadyz = (holds: (answer: ReadyAnswer) => boolean, what: string) =>
  until(readyz, holds, { what, limitMs: 60_000 });

describe.each(Object.entries(TROUBLES))('%s', (_name, { begin, end, check, seen, refusal }) => {
  it('is named by /readyz, doctor and log, is told to calls as retryable, and is survived', {
    timeout: 240_000,
  }, async () => {
    await untilReadyz(isWell, 'a front end that is ready');
    const gate = site.gate();
    const ledger = site.ledger();
    const attached = await session.call(`job ${check}`, 'gated', { gate: gate.path, ledger: ledger.path }, 't');
    await ledger.line('start');
    const logged = server.log.length;

    let mended = false;
    onTestFinished(async () => {
      if (!mended) await end();
    });
    await begin();
    const names = (answer: ReadyAnswer) => answer.complaints.some((one) => one.check === check && seen.test(one.seen));
    const named = await untilReadyz(names, `${check} to be named`);
    expect(named.http).toBe(named.complaints.some((one) => /^Redis|Scripts|Pub/.test(one.check)) ? 503 : 200);
    expect(named.complaints.find((one) => one.check === check)?.mend).not.toBe('');
    const [told, doctor] = await Promise.all([callDuring(), examine(loadConfig(env), createLogger('test', 'silent'))]);
    if (refusal) {
      expect(told.error).toMatchObject({ code: 'queue_unavailable', retryable: true });
      expect(told.text).toMatch(refusal);
    } else expect(told.text).toBe('during');
    expect(doctor.find((one) => one.check === check && one.status === 'fail')?.seen).toMatch(seen);
    expect(JSON.stringify([named, told])).not.toMatch(/127\.0\.0\.1|s3cret/);
    const lines = () => server.log.slice(logged);
    const isOf = (line: LogLine, msg: string) => line.msg === msg && line.check === check;
    const inTrouble = (line: LogLine) => isOf(line, 'Redis is in trouble; see longhaul doctor');
    await until(lines, (all) => all.some((line) => inTrouble(line) && seen.test(String(line.seen))), {
      what: `${check} to be logged`,
      limitMs: 60_000,
    });
    // Its end falls into the trouble: it can be written down only afterwards.
    await gate.open();

    await end();
    mended = true;
    await untilReadyz(isWell, 'the end of the trouble');
    const { result } = await attached.response(`job ${check}`, 60_000);
    expect(textOf(result)).toContain('opened');
    const after = await until(
      () => session.result('after', 'echo', { text: 'after' }),
      (answer) => answer.isError !== true,
      { what: 'a call to be served again', limitMs: 60_000 },
    );
    expect(textOf(after)).toBe('after');
    await until(lines, (all) => all.some((line) => isOf(line, 'Redis is out of trouble')), {
      what: 'the end to be logged',
      limitMs: 60_000,
    });
  });
});

it('no process had to be started again, none shows a password, and /livez was never in doubt', async () => {
  expect(server.child.exitCode).toBeNull();
  expect(server.stderr()).not.toContain('a worker died');
  expect(server.stderr()).not.toContain('s3cret');
  expect((await send(server, { method: 'GET', path: '/livez' })).status).toBe(200);
});

/** What a call hears that comes while the trouble lasts. */
async function callDuring() {
  const result = await session.result('during', 'echo', { text: 'during' });
  return { text: textOf(result), error: result._meta?.['longhaul/error'] };
}

async function loadSlowly(): Promise<void> {
  for (let at = 0; at < FILLERS; at += 1) await admin.set(`filler:${at}`, 'x'.repeat(2_000));
  await admin.call('BGREWRITEAOF');
  await until(
    () => admin.info('persistence'),
    (info) => /aof_rewrite_in_progress:0/.test(info) && /aof_rewrite_scheduled:0/.test(info),
    { what: 'the file to be rewritten' },
  );
  await redis.restart({ ...SETTINGS, ...SLOW_LOADING }, { loading: true });
}

async function loaded(): Promise<void> {
  await until(
    () => admin.info('persistence').catch(String),
    (info) => info.includes('loading:0'),
    { what: 'the data to be loaded', limitMs: 60_000 },
  );
}

/** A folder in the place of the snapshot is what even root cannot write over. */
async function failSnapshot(): Promise<void> {
  await mkdir(join(redis.dir, 'in-the-way'), { recursive: true });
  await admin.call('CONFIG', 'SET', 'save', '3600 1');
  await admin.call('CONFIG', 'SET', 'dbfilename', 'in-the-way');
  await admin.call('BGSAVE');
  await snapshotIs('err');
}

async function mendSnapshot(): Promise<void> {
  await admin.call('CONFIG', 'SET', 'dbfilename', 'dump.rdb');
  await admin.call('BGSAVE');
  await snapshotIs('ok');
  await admin.call('CONFIG', 'SET', 'save', '');
}

async function snapshotIs(status: string): Promise<void> {
  await until(
    () => admin.info('persistence'),
    (info) => info.includes(`rdb_last_bgsave_status:${status}`),
    { what: `the snapshot to be ${status}` },
  );
}

/** Ends with the client that asked for it, or by SCRIPT KILL. */
async function spinScript(): Promise<void> {
  redis
    .client({ ...ADMIN, retryStrategy: () => null })
    .eval('while true do end', 0)
    .catch(() => undefined);
  await until(
    () => admin.ping().catch(String),
    (said) => said.includes('BUSY'),
    { what: 'the script to be in the way' },
  );
}
