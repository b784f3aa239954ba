/** What a server that starts tells its operator without being asked. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { weakRedis } from '../ops/weak-redis.js';
import { until } from '../support/gate.js';
import { init } from '../support/http-wire.js';
import { type LogLine, openSite, type Site } from '../support/site.js';

let site: Site;
beforeEach(async () => {
  site = await openSite();
});
afterEach(() => site.close());

it('warns of a configured Redis that would lose jobs, and serves all the same', async () => {
  const { host } = await weakRedis({ appendonly: 'no', 'maxmemory-policy': 'allkeys-lru' });
  const server = await site.http({ env: { LONGHAUL_REDIS_URL: `redis://${host}` } });
  // On a busy machine it may first have been one that does not answer in time.
  const warnings = () => server.log.filter(({ msg }) => msg === 'Redis is in trouble; see longhaul doctor');
  const isIt = ({ check }: LogLine) => check === 'Eviction policy';
  const warned = await until(warnings, (all) => all.some(isIt), { what: 'the warning' });
  expect(warned.find(isIt)).toMatchObject({ level: 40 });
  const { structuredContent } = await (await init(server)).result(1, 'echo', { text: 'well' });
  expect(structuredContent).toEqual({ text: 'well' });
});

it('warns of an allowed folder that is not there', async () => {
  const server = await site.http({ args: ['--root', '/not/there'], workers: 0 });
  expect(await server.logged('an allowed folder is not there; check --root')).toMatchObject({ root: '/not/there' });
});
