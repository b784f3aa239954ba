/** The server that holds the queue is killed, in a cluster and under Sentinels: a replica takes over, and jobs go on. */
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import { init, jobIdOf, textOf, type WireResult, type WireSession } from '../support/http-wire.js';
import { clusterTopology, sentinelTopology, type Topology } from '../support/redis-topology.js';
import { openSite, type Site } from '../support/site.js';
import { findValkey } from '../support/valkey.js';

const LOGIN = { password: 'primary-s3cret', sentinelPassword: 'sentinel-s3cret' };

/** The cluster is of Valkey where that can be had, so that both products and both topologies are met in two runs. */
const valkey = await findValkey();
const cluster = typeof valkey === 'string' ? 'a cluster of Redis' : `a cluster of Valkey ${valkey.version}`;

const TOPOLOGIES: readonly (readonly [string, () => Promise<Topology>, Record<string, string>])[] = [
  [cluster, () => clusterTopology('{longhaul}', typeof valkey === 'string' ? {} : { binary: valkey }), {}],
  [
    'Sentinels and passwords',
    () => sentinelTopology(LOGIN),
    { LONGHAUL_REDIS_PASSWORD: LOGIN.password, LONGHAUL_REDIS_SENTINEL_PASSWORD: LOGIN.sentinelPassword },
  ],
];

it('Valkey 8 or newer is among those', ({ skip }) => {
  if (typeof valkey === 'string') return skip(valkey);
  expect(Number.parseInt(valkey.version, 10)).toBeGreaterThanOrEqual(8);
});

let site: Site | undefined;
let topology: Topology | undefined;
afterEach(async () => {
  await site?.close();
  await topology?.stop();
});

const echo = (session: WireSession, id: string): Promise<WireResult> => session.result(id, 'echo', { text: id });

/** Reads one time after the other until it succeeds again; returns the refusals. */
async function untilServed(session: WireSession): Promise<WireResult[]> {
  const answers: WireResult[] = [];
  await until(
    async () => answers.push(await session.result(`list ${answers.length}`, 'list_jobs', {})),
    () => answers.at(-1)?.isError !== true,
    { what: 'a call to be served', limitMs: 60_000, seen: () => answers.at(-1) },
  );
  return answers.slice(0, -1);
}

describe.each(TOPOLOGIES)('on %s whose primary is killed', (_name, start, env) => {
  it('jobs run before, what was accepted ends once, and calls go from a clear refusal to success', {
    timeout: 240_000,
  }, async () => {
    topology = await start();
    site = await openSite();
    const server = await site.http({ env: { ...env, LONGHAUL_REDIS_URL: topology.url } });
    const session = await init(server);
    // To find the primary may take longer than the first calls may.
    await untilServed(session);
    expect((await echo(session, 'before')).isError).not.toBe(true);

    const [gate, ledger] = [site.gate(), site.ledger()];
    const args = { gate: gate.path, ledger: ledger.path, progress: [10], after: [90] };
    // More than there are slots, so that some run and others wait.
    const ids = [1, 2, 3, 4];
    const calls = await Promise.all(ids.map((id) => session.call(id, 'gated', args, `t${id}`)));
    await until(ledger.lines, (lines) => lines.length >= 2, { what: 'two jobs to run' });
    await until(
      async () => [(await session.result('list', 'list_jobs', {})).structuredContent?.total_count],
      ([count]) => count === ids.length + 1,
      { what: 'all jobs to be accepted' },
    );
    await topology.replicated();

    const lost = await topology.primary();
    await lost.kill();
    const refused = [await echo(session, 'while it is away'), ...(await untilServed(session))];
    for (const result of refused) {
      expect(result._meta?.['longhaul/error']).toMatchObject({ code: 'queue_unavailable', retryable: true });
      expect(JSON.stringify(result)).not.toMatch(/127\.0\.0\.1|s3cret/);
    }

    await gate.open();
    for (const [at, call] of calls.entries()) {
      const { result } = await call.response(ids[at], 60_000);
      expect(textOf(result)).toContain('opened');
      expect(jobIdOf(result)).toMatch(/^job_/);
    }
    const ends = (await ledger.lines()).filter((line) => line.startsWith('end'));
    expect(new Set(ends).size).toBe(ids.length);
    expect(ends).toHaveLength(ids.length);
    expect((await echo(session, 'after')).isError).not.toBe(true);
    expect(server.stderr()).not.toContain('s3cret');
  });
});
