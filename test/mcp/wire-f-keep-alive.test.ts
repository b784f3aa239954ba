/** Streams on which nothing happens, behind a proxy that gives up on silent ones: case 66 of the acceptance list. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { init, m26, type Reply, textOf } from '../support/http-wire.js';
import { type IdleProxy, startIdleProxy } from '../support/idle-proxy.js';
import { PATIENCE } from '../support/patience-lane.js';
import { openSite, type Site } from '../support/site.js';

let site: Site;
let proxy: IdleProxy;
beforeAll(async () => {
  site = await openSite();
  // Jobs that nobody takes are as silent as any, for as long as is wished.
  const server = await site.http({ workers: 0, env: PATIENCE.settings });
  proxy = await startIdleProxy(server.port, PATIENCE.giveUpMs);
});
afterAll(async () => {
  await proxy.close();
  await site.close();
});

test('66: idle streams of every kind outlive the patience of a proxy by comments alone', {
  timeout: PATIENCE.idleMs + 60_000,
}, async () => {
  const session = await init(proxy);
  await session.request('quiet', 'logging/setLevel', { level: 'error' });
  const gate = site.gate();
  const resumable = await session.call('resumed', 'gated', { gate: gate.path });
  await until(
    () => resumable.events.at(-1),
    (event) => event?.id !== undefined,
    { what: 'an event to resume from' },
  );
  resumable.destroy();
  const streams: Record<string, Reply> = {
    standalone: await session.stream(),
    call: await session.call('call', 'gated', { gate: gate.path }),
    resumed: await session.stream(resumable.events.at(-1)?.id),
    modern: await m26(proxy, 'modern', ['tools/call', { name: 'gated', arguments: { gate: gate.path } }]),
  };
  const fromMs = Date.now();
  const idled = ({ commentsAtMs }: Reply) => (commentsAtMs.at(-1) ?? 0) - fromMs;
  const names = () => Object.entries(streams).filter(([, stream]) => idled(stream) < PATIENCE.idleMs);
  await until(names, ({ length }) => length === 0, {
    what: `comments for ${PATIENCE.idleMs} ms on every stream`,
    limitMs: PATIENCE.idleMs + 20_000,
  });
  expect(proxy.cut()).toBe(0);
  expect(Object.values(streams).flatMap((stream) => stream.messages())).toEqual([]);
  await gate.open();
  await site.worker();
  for (const id of ['call', 'resumed', 'modern']) {
    expect(textOf((await streams[id]?.response(id))?.result)).toContain('opened');
  }
  streams.standalone?.destroy();
});
