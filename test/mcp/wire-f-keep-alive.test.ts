/** Streams on which nothing happens: case 66 of the acceptance list. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import { init, m26, type Reply, textOf } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
});
afterAll(() => site.close());

/** Proxies and clients give up on a stream that is silent for a minute or more; half of that leaves room. */
const LONGEST_SILENCE_MS = 25_000;
const COMMENTS = 2;

test('66: idle streams of every kind carry a comment at least every 25 s and stay alive', {
  timeout: 70_000,
}, async () => {
  const session = await init(server);
  const gate = site.gate();
  const openedMs = Date.now();
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
    modern: await m26(server, 'modern', ['tools/call', { name: 'gated', arguments: { gate: gate.path } }]),
  };
  await until(
    () =>
      Object.entries(streams)
        .filter(([, { commentsAtMs }]) => commentsAtMs.length < COMMENTS)
        .map(([name]) => name),
    (without) => without.length === 0,
    { what: `${COMMENTS} comments on every stream`, limitMs: COMMENTS * LONGEST_SILENCE_MS },
  );
  for (const [name, { commentsAtMs }] of Object.entries(streams)) {
    const gapsMs = commentsAtMs.map((atMs, n) => atMs - (commentsAtMs[n - 1] ?? openedMs));
    expect({ name, tooLong: gapsMs.filter((gapMs) => gapMs > LONGEST_SILENCE_MS) }).toEqual({ name, tooLong: [] });
  }
  await gate.open();
  for (const id of ['call', 'resumed', 'modern']) {
    expect(textOf((await streams[id]?.response(id))?.result)).toContain('opened');
  }
  streams.standalone?.destroy();
});
