/** A busy installation for pictures: real processes and real jobs of several callers; only the hour before is made up. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closeRedis, connectRedis } from '../../src/redis/connection.js';
import { createKeys } from '../../src/redis/keys.js';
import { until } from '../support/gate.js';
import { initializeBody, post, sessionAt, type WireSession } from '../support/http-wire.js';
import { openSite, type Site } from '../support/site.js';

/** The token of the operator. */
export const OPERATOR_TOKEN = 'the-operators-token-of-this-scene';

const CALLERS = {
  ann: 'anns-token-for-the-pictures',
  bob: 'bobs-token-for-the-pictures',
  ci: 'the-token-of-the-pipeline',
};
const TOOLS = fileURLToPath(new URL('./scene-tools.mjs', import.meta.url));

/** The scene. */
export interface Scene {
  readonly site: Site;
  /** Where operators look. */
  readonly ops: string;
  /** The id of a job that waits for its client. */
  readonly parked: string;
  close(): Promise<void>;
}

/** Sets it: a front end with two workers, callers with open sessions, jobs in every state. */
export async function setScene(): Promise<Scene> {
  const site = await openSite();
  const server = await site.http({
    workers: 2,
    args: ['--tools', TOOLS, '--ops-port', '0', '--ops-write', '--concurrency', 'analysis=3,review=10'],
    env: {
      LONGHAUL_HTTP_TOKENS: Object.entries(CALLERS)
        .map(([name, token]) => `${name}:${token}`)
        .join(','),
      LONGHAUL_OPS_TOKENS: `operator:${OPERATOR_TOKEN}`,
    },
  });
  const { ops } = await server.logged('listening for operators');
  const open = (caller: keyof typeof CALLERS, client: [string, string]) => openSession(server, CALLERS[caller], client);
  const ann = await open('ann', ['claude-code', '2.4.1']);
  const bob = await open('bob', ['vscode', '1.118']);
  const ci = await open('ci', ['pipeline', '3.0']);
  await rememberAnHour(site);
  await fill({ ann, bob, ci });
  const parked = await parkedJob(site);
  return { site, ops: String(ops), parked, close: () => site.close() };
}

async function openSession(
  server: { port: number },
  token: string,
  [name, version]: [string, string],
): Promise<WireSession> {
  const body = initializeBody({ sampling: {}, elicitation: {} }, '2025-11-25');
  const named = { ...body, params: { ...body.params, clientInfo: { name, version } } };
  const headers = { Authorization: `Bearer ${token}` };
  const opened = await post(server, named, headers);
  const { result = {} } = await opened.response('i');
  const id = String(opened.headers['mcp-session-id']);
  const session = sessionAt(server, { id, initialized: result, headers } as unknown as WireSession);
  await session.notify('notifications/initialized');
  return session;
}

async function fill({ ann, bob, ci }: Record<'ann' | 'bob' | 'ci', WireSession>): Promise<void> {
  const play = (session: WireSession, id: string, tool: string, args: object) => session.call(id, tool, args, id);
  await play(ci, 'f1', 'sync_mirror', { retryable: false, why: 'mirror.example.com answered 503 to the index' });
  await play(ci, 'f2', 'sync_mirror', { retryable: true, why: 'mirror.example.com answered 503 to the index' });
  await play(ann, 'a1', 'import_catalogue', { from: 0.72, phase: 'writing', what: 'articles' });
  await play(bob, 'b1', 'reindex_search', { from: 0.31, phase: 'reading' });
  await play(ci, 'c1', 'nightly_report', { from: 0.05, phase: 'counting orders' });
  await play(ann, 'a2', 'import_catalogue', { from: 0.93, phase: 'checking links', what: 'articles' });
  await play(bob, 'b2', 'nightly_report', { from: 0.48, phase: 'drawing', what: 'figures' });
  const code = 'export function add(a: number, b: number) {\n  return a - b;\n}\n';
  await play(ann, 'r1', 'review_code', { code, language: 'typescript' });
  await play(bob, 'r2', 'generate_tests', { code, language: 'typescript' });
  await play(bob, 'r3', 'review_code', { code: `${code}export default add;\n`, language: 'typescript' });
  for (let at = 0; at < 4; at += 1) {
    await play(ci, `w${at}`, 'reindex_search', { phase: 'reading' });
    await play(ann, `x${at}`, 'nightly_report', { phase: 'counting' });
  }
  await play(ci, 'g', 'where_can_i_work', {});
}

/** Minutes as they would have been kept. */
async function rememberAnHour(site: Site): Promise<void> {
  await withRedis(site, async (redis, keys) => {
    const now = Math.floor(Date.now() / 60_000);
    for (let back = 59; back > 0; back -= 1) {
      const wave = 9 + 6 * Math.sin(back / 7) + 3 * Math.sin(back / 2.3);
      const completed = Math.max(0, Math.round(wave));
      const failed = back % 13 === 0 ? 3 : Number(back % 5 === 0);
      const cancelled = Number(back % 11 === 0);
      const key = keys.minute(now - back);
      await redis.hset(key, {
        completed,
        failed,
        cancelled,
        started: completed,
        submitted: completed + failed + (back % 3),
      });
      if (failed > 0) await redis.hset(key, { [back % 10 === 0 ? 'code:timed_out' : 'code:handler_failed']: failed });
      await redis.pexpire(key, 7_200_000);
    }
  });
}

async function parkedJob(site: Site): Promise<string> {
  return withRedis(site, (redis, keys) =>
    until(
      async () => (await redis.zrange(keys.standing('parked:client'), '0', '-1')) as string[],
      (ids) => ids.length === 3,
      { what: 'three parked jobs', limitMs: 20_000 },
    ).then(([first = '']) => first),
  );
}

async function withRedis<T>(
  site: Site,
  use: (redis: ReturnType<typeof connectRedis>, keys: ReturnType<typeof createKeys>) => Promise<T>,
): Promise<T> {
  const redis = connectRedis({ socketPath: join(site.dataDir, 'redis.sock') }, 'work');
  try {
    return await use(redis, createKeys('longhaul'));
  } finally {
    closeRedis(redis);
  }
}
