/** Calls whose job is parked for its parts, in both eras on both transports: they follow it to its outcome. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/gate.js';
import { callBody, init, m26, textOf, type WireMessage, type WireSession } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';
import { openStdio } from '../support/stdio-wire.js';
import { modernMessage } from '../support/wire-messages.js';

const TOOLS = ['--tools', fileURLToPath(new URL('../support/fan-tools.mjs', import.meta.url))];
/** A client that could be asked anything, so that nothing but the parts keeps it from being asked. */
const ABLE = { sampling: {}, elicitation: {}, roots: {} };

let site: Site;
let server: HttpServer;
let observer: WireSession;
beforeAll(async () => {
  site = await openSite();
  server = await site.http({ args: TOOLS });
  observer = await init(server);
});
afterAll(() => site.close());

/** A call under the id `p` that was sent, as its client sees it. */
interface Sent {
  messages(): readonly WireMessage[];
  response(): Promise<WireMessage>;
}

type Send = (args: Readonly<Record<string, unknown>>) => Promise<Sent>;

async function overStdio(message: (args: object) => { readonly id: unknown }, shakeHands: boolean, args: object) {
  const wire = await openStdio({ site, workers: 0, args: TOOLS });
  if (shakeHands) await wire.initialize(ABLE);
  const answer = wire.request(message(args), 30_000);
  // A test that fails before it looks is told of the first fault.
  answer.catch(() => undefined);
  return { messages: () => wire.seen.map((seen) => seen.message), response: () => answer };
}

const modern = (args: object) => modernMessage('p', 'tools/call', { name: 'fanning', arguments: args }, capable);
const capable = { 'io.modelcontextprotocol/clientCapabilities': ABLE };
const legacy = (args: object) => callBody('p', 'fanning', args);

const CLIENTS: readonly (readonly [name: string, send: Send])[] = [
  [
    'HTTP and 2025-11-25',
    async (args) => {
      const reply = await (await init(server, ABLE)).call('p', 'fanning', args);
      return { messages: reply.messages, response: () => reply.response('p', 30_000) };
    },
  ],
  [
    'HTTP and 2026-07-28',
    async (args) => {
      const request = ['tools/call', { name: 'fanning', arguments: args }] as const;
      const reply = await m26(server, 'p', request, { capabilities: ABLE });
      return { messages: reply.messages, response: () => reply.response('p', 30_000) };
    },
  ],
  ['stdio and 2025-11-25', (args) => overStdio(legacy, true, args)],
  ['stdio and 2026-07-28', (args) => overStdio(modern, false, args)],
];

it.each(CLIENTS)('a call over %s waits with its parked job for the parts, and is asked nothing', async (_, send) => {
  const gate = site.gate();
  const sending = send({ tool: 'gated', parts: [{ gate: gate.path }, { gate: gate.path }] });
  sending.catch(() => undefined);
  const parked = async () =>
    (await observer.result('look', 'list_jobs', { states: ['parked'] })).structuredContent?.total_count;
  await until(parked, (count) => count === 1, { what: 'a parked job', limitMs: 20_000 });
  await gate.open();
  const sent = await sending;
  const { result } = await sent.response();
  expect(result?.isError).toBeUndefined();
  expect(textOf(result).match(/opened/g)).toHaveLength(2);
  expect(result?.resultType ?? 'complete').toBe('complete');
  expect(result?._meta).not.toHaveProperty('longhaul/handOff');
  const asked = sent.messages().filter(({ id, method }) => id !== undefined && method !== undefined);
  // Folders are asked for before there is a job.
  expect(asked.map(({ method }) => method).filter((method) => method !== 'roots/list')).toEqual([]);
});
