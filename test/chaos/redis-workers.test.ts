/**
 * One front end, four workers and one Redis, as `docker compose up --scale worker=4` starts them: jobs spread over all
 * workers, watchers lose nothing when their wake-ups are cut off, and without Redis everything is answered at once.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newJobId } from '../../src/core/ids.js';
import { FRONT_END_TOOLS } from '../../src/mcp/front-end-tools.js';
import { BUILT_IN_CONTRACTS } from '../../src/tools/built-in.js';
import { hearCommands, youngerThan } from '../support/command-surface.js';
import { until } from '../support/gate.js';
import { init, type Reply, textOf, type WireMessage, type WireSession } from '../support/http-wire.js';
import { type RedisServer, redisServer } from '../support/redis-server.js';
import { type HttpServer, openSite, type Site, type SiteProcess } from '../support/site.js';
import { type StdioWire, startStdio } from '../support/stdio-wire.js';

const WORKERS = 4;
/** Each worker has this many slots, so that only all of them together can run so many jobs at once. */
const SLOTS = 2;
/** Far more than an answer without Redis takes, even on a busy machine; a call that waited for it would take for ever. */
const PROMPT_MS = 15_000;

let redis: RedisServer;
let admin: Redis;
let site: Site;
let server: HttpServer;
let session: WireSession;
let workers: SiteProcess;
let env: Record<string, string>;

beforeAll(async () => {
  redis = await redisServer({ appendonly: 'yes', appendfsync: 'no' });
  admin = redis.client();
  site = await openSite();
  // A part of its own for every file, so that even a small scan is shared.
  env = {
    LONGHAUL_REDIS_URL: `redis://${redis.host}`,
    LONGHAUL_CONCURRENCY: String(SLOTS),
    LONGHAUL_PART_FILES: '1',
  };
  server = await site.http({ workers: 0, env });
  workers = await site.worker({ workers: WORKERS, env });
  session = await init(server);
});
afterAll(async () => {
  await site?.close();
  await redis?.stop();
});

describe('four workers beside one front end', () => {
  it('share the jobs: all slots of all workers are taken at once', async () => {
    const [gate, ledger] = [site.gate(), site.ledger()];
    const ids = Array.from({ length: WORKERS * SLOTS }, (_, at) => at + 1);
    const calls = await Promise.all(
      ids.map((id) => session.call(id, 'gated', { gate: gate.path, ledger: ledger.path }, `t${id}`)),
    );
    await until(ledger.lines, (lines) => lines.length === ids.length, { what: 'all jobs to run', limitMs: 60_000 });
    await gate.open();
    for (const [at, call] of calls.entries()) expect(textOf((await call.response(ids[at])).result)).toContain('opened');
    expect((await ledger.lines()).filter((line) => line.startsWith('end'))).toHaveLength(ids.length);
    expect(workers.stderr()).not.toContain('a worker died');
  });
});

describe('what Redis is sent', () => {
  /** The client's own greeting, whose refusal by an older server it passes over; and what this test itself sends. */
  const PASSED_OVER = ['client|setinfo (7.2.0)'];

  it('is known to Redis 6.2, of which there is none to run: commands and options of scripts and clients', async () => {
    const folder = join(site.root, 'tree');
    await mkdir(folder);
    await Promise.all([1, 2, 3].map((at) => writeFile(join(folder, `${at}.js`), 'let a;\n')));
    const heard = await hearCommands(redis.port);
    // A scan in parts, a retry, a question, a cancel, the tables and the listings.
    const asking = await init(server, { sampling: {}, elicitation: {} });
    const scan = await asking.result('scan', 'analyze_codebase', { path: folder, idempotency_key: 'once' });
    expect(scan.isError).not.toBe(true);
    await asking.result('fail', 'failing', { message: 'x', kind: 'retryable' });
    const question = await asking.call('ask', 'review_code', { code: 'let a = 1;', language: 'javascript' }, 't');
    await question.message(({ method }) => method === 'sampling/createMessage' || method === 'elicitation/create');
    const list = await asking.result('list', 'list_jobs', { limit: 5 });
    for (const { job_id } of (list.structuredContent?.jobs ?? []) as { job_id: string }[]) {
      await asking.result(`show ${job_id}`, 'get_job', { job_id });
      await asking.request(`log ${job_id}`, 'resources/read', { uri: `job://${job_id}/log` });
      await asking.request(`files ${job_id}`, 'resources/read', { uri: `job://${job_id}/files` });
      await asking.result(`cancel ${job_id}`, 'cancel_job', { job_id });
    }
    await asking.delete();
    heard.stop();
    expect([...heard.sent.keys()]).toEqual(
      expect.arrayContaining(['evalsha', 'xadd', 'hset', 'bzpopmin', 'subscribe']),
    );
    // A server without streams would not do, so the question is not idle.
    expect(await youngerThan(admin, '4.0.0', heard)).toContain('xadd (5.0.0)');
    expect((await youngerThan(admin, '6.2.0', heard)).filter((one) => !PASSED_OVER.includes(one))).toEqual([]);
  });
});

describe('a watcher', () => {
  const texts = Array.from({ length: 40 }, (_, at) => `line ${100 + at}`);
  const chatty = { lines: texts.map((text) => ({ level: 'info', text })), gap_ms: 25 };
  const logged = (call: Reply) =>
    call.messages().flatMap(({ method, params }) => (method === 'notifications/message' ? [String(params?.data)] : []));

  it.each([
    ['whose wake-ups are cut off again and again', () => admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')],
    ['whose every connection is cut', () => admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')],
    ['whose Redis pauses', () => admin.call('CLIENT', 'PAUSE', '300', 'ALL')],
  ])('%s hears every event once and in order', async (_name, disturb) => {
    const call = await session.call(`watch ${_name}`, 'chatty', chatty, 't');
    for (const share of [8, 16, 24]) {
      await until(
        () => logged(call).length,
        (count) => count >= share,
        { what: `${share} events`, limitMs: 60_000 },
      );
      await disturb();
    }
    const { result } = await call.response(`watch ${_name}`, 60_000);
    expect(textOf(result)).toBe('chatty done');
    const heard = logged(call);
    expect(heard.map((line) => texts.findIndex((text) => line.includes(text)))).toEqual(heard.map((_, at) => at));
    expect(heard).toHaveLength(texts.length);
  });
});

describe('without Redis', () => {
  let stdio: StdioWire;
  let attached: Reply;
  let folder: string;
  beforeAll(async () => {
    folder = join(site.root, 'code');
    await mkdir(folder);
    await writeFile(join(folder, 'a.js'), 'let a;\n');
    stdio = await startStdio({ site, workers: 0, env, args: ['--root', site.root] });
    await stdio.initialize();
    expect(textOf((await stdio.call('echo', { text: 'before' })).result)).toBe('before');
    const gate = site.gate('held');
    attached = await session.call('attached', 'gated', { gate: gate.path, progress: [1] }, 't');
    await attached.message(({ method }) => method === 'notifications/progress');
    await redis.kill();
  });
  afterAll(() => stdio?.dispose());

  const job_id = newJobId();
  /** What each tool of the product is called with. */
  const ARGUMENTS: Readonly<Record<string, () => object>> = {
    analyze_codebase: () => ({ path: folder }),
    analyze_repo: () => ({ repoPath: folder }),
    cancel_job: () => ({ job_id }),
    generate_tests: () => ({ code: 'let a;' }),
    get_job: () => ({ job_id }),
    list_jobs: () => ({}),
    refactor_directory: () => ({ rel_path: '.' }),
    review_code: () => ({ code: 'let a;', language: 'javascript' }),
    smart_review: () => ({ code: 'let a;', language: 'javascript' }),
    submit_review: () => ({ job_id, findings: [] }),
    where_can_i_work: () => ({}),
  };
  /** Tools that need no queue. */
  const SERVED = ['where_can_i_work'];

  const ask: Readonly<Record<string, (id: string, method: string, params: object) => Promise<WireMessage>>> = {
    http: async (id, method, params) => (await session.request(id, method, params)).response(id),
    stdio: (id, method, params) => stdio.request({ jsonrpc: '2.0', id, method, params } as { id: unknown }),
  };

  describe.each(Object.entries(ask))('over %s', (_transport, request) => {
    it.each(Object.entries(ARGUMENTS))('%s is answered at once', async (name, args) => {
      const startMs = performance.now();
      const { result } = await request(`call ${name}`, 'tools/call', { name, arguments: args() });
      expect(performance.now() - startMs).toBeLessThan(PROMPT_MS);
      if (SERVED.includes(name)) return expect(result?.isError).not.toBe(true);
      expect(result?.isError).toBe(true);
      expect(result?._meta?.['longhaul/error']).toMatchObject({ code: 'queue_unavailable', retryable: true });
      expect(JSON.stringify(result)).not.toContain('127.0.0.1');
    });

    it.each([
      ['resources/list', {}],
      ['resources/read', { uri: `job://${job_id}` }],
      ['resources/read', { uri: `job://${job_id}/log` }],
      ['resources/read', { uri: `job://${job_id}/files` }],
    ])('%s is answered at once: %j', async (method, params) => {
      const startMs = performance.now();
      const { error } = await request(`${method} ${JSON.stringify(params)}`, method, params);
      expect(performance.now() - startMs).toBeLessThan(PROMPT_MS);
      expect(error?.message).toContain('The job queue is unavailable');
      expect(error?.message).not.toContain('127.0.0.1');
    });

    it('every tool of the product is among them', async () => {
      const { result } = await request('tools', 'tools/list', {});
      const names = ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
      expect(names.filter((name) => PRODUCT.has(name)).sort()).toEqual(Object.keys(ARGUMENTS).sort());
    });
  });

  it('the call that was attached ends with its result when Redis is back', async () => {
    await redis.restart();
    await site.gate('held').open();
    expect(textOf((await attached.response('attached', 60_000)).result)).toContain('opened');
  });
});

const PRODUCT = new Set([...BUILT_IN_CONTRACTS.map(({ name }) => name), ...FRONT_END_TOOLS.keys()]);
