/** Every client line through a proxy without affinity: nothing of a session may depend on where its requests go. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../support/gate.js';
import { textOf } from '../support/http-wire.js';
import { repliesIn } from '../support/questions-wire.js';
import { startRoundRobin } from '../support/round-robin.js';
import { CLIENT_LINES, connectClient } from '../support/sdk-clients.js';
import { openSite, type Site } from '../support/site.js';

let site: Site;
let ports: number[] = [];
beforeAll(async () => {
  site = await openSite();
  const servers = await Promise.all([1, 0, 0].map((workers) => site.http({ workers, alone: true })));
  ports = servers.map(({ port }) => port);
});
afterAll(() => site.close());

describe('through a proxy that hands each request to the next front end', () => {
  test.each(CLIENT_LINES)('a client of the line %s calls, is asked and is told of progress as ever', async (line) => {
    const proxy = await startRoundRobin(ports);
    onTestFinished(proxy.close);
    const offers = {
      sampling: () => ({ role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'here' } }),
    };
    const client = await connectClient(line, { url: `http://127.0.0.1:${proxy.port}/mcp` }, offers);
    const progress: number[] = [];
    const onprogress = (told: { progress: number }) => progress.push(told.progress);
    const asked = client.callTool('asking', { questions: [{ key: 'k', kind: 'sampling' }] });
    const gate = site.gate();
    const gated = client.callTool('gated', { gate: gate.path, progress: [10, 20] }, { onprogress });
    const echoes = Array.from({ length: 9 }, (_, n) => client.callTool('echo', { text: `${n}` }));
    expect((await Promise.all(echoes)).map(textOf)).toEqual(echoes.map((_, n) => `${n}`));
    // While the job stands at its gate: the clients drop a progress that arrives in one chunk with the response.
    await until(
      () => progress.at(-1),
      (last) => last === 20,
      { what: 'the progress of the job' },
    );
    await gate.open();
    expect(textOf(await gated)).toContain('opened');
    expect(repliesIn(await asked)).toMatchObject([{ kind: 'answered', value: { text: 'here' } }]);
    await client.close();
  });
});
