/** Callers over HTTP with tokens: who is let in, and that nobody finds what is another's. */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/gate.js';
import {
  ACCEPT,
  callBody,
  init,
  initializeBody,
  jobIdOf,
  MODERN,
  m26,
  post,
  type Reply,
  send,
  textOf,
} from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const ANN = 'ann-0123456789abcdef';
const BOB = 'bob-0123456789abcdef==';
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

let site: Site;
let server: HttpServer;
let tokensFile: string;
beforeAll(async () => {
  site = await openSite();
  tokensFile = join(site.root, 'tokens');
  await writeFile(tokensFile, `# who may call\n\nbob:${BOB}\n`);
  server = await site.http({
    args: ['--concurrency', '1'],
    env: { LONGHAUL_HTTP_TOKENS: `ann:${ANN}`, LONGHAUL_HTTP_TOKENS_FILE: tokensFile },
  });
});
afterAll(() => site.close());

describe('a caller', () => {
  const strangers: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['without a token', {}, 'Bearer'],
    ['with a wrong token', bearer('wrong-0123456789abcdef'), 'Bearer error="invalid_token"'],
    ['with the beginning of a token', bearer(ANN.slice(0, -1)), 'Bearer error="invalid_token"'],
    ['with a token and more', bearer(`${ANN}x`), 'Bearer error="invalid_token"'],
    ['with another scheme', { Authorization: `Basic ${ANN}` }, 'Bearer'],
    ['with the pair instead of the token', bearer(`ann:${ANN}`), 'Bearer error="invalid_token"'],
  ];

  test.each(strangers)(
    '%s gets 401 with a challenge and a JSON-RPC error, whatever it asks',
    async (_what, headers, challenge) => {
      const replies = [
        await post(server, initializeBody({}, '2025-11-25'), headers),
        await m26(server, 1, ['tools/list'], { headers }),
        await send(server, { method: 'GET', headers: { Accept: ACCEPT, 'Mcp-Session-Id': 'x', ...headers } }),
        await send(server, { method: 'DELETE', headers: { 'Mcp-Session-Id': 'x', ...headers } }),
      ];
      for (const reply of replies) {
        expect(reply.status).toBe(401);
        expect(reply.headers['www-authenticate']).toBe(challenge);
        expect(await reply.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32001 } });
      }
    },
  );

  test('with the token in the URL gets 401', async () => {
    const path = `/mcp?access_token=${ANN}`;
    const headers = { 'Content-Type': 'application/json', Accept: ACCEPT };
    const reply = await send(server, { path, headers, body: initializeBody({}, '2025-11-25') });
    expect(reply.status).toBe(401);
  });

  test('may name the scheme in any case', async () => {
    const reply = await m26(server, 1, ['tools/list'], { headers: { Authorization: `bearer ${BOB}` } });
    expect((await reply.response(1)).result?.tools).toBeDefined();
  });

  test('in a browser may ask before it has a token', async () => {
    const headers = { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': 'POST' };
    const reply = await send(server, { method: 'OPTIONS', headers });
    expect(reply.status).toBe(204);
    expect(reply.headers['access-control-allow-headers']).toContain('Authorization');
  });
});

describe('a session', () => {
  test('is its maker’s: for another principal it is exactly as one that never was', async () => {
    const ann = await init(server, {}, '2025-11-25', bearer(ANN));
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const asked = async (id: string, token: string) => {
      const headers = { ...ann.headers, 'Mcp-Session-Id': id, ...bearer(token) };
      const replies = [
        await post(server, ping, headers),
        await send(server, { method: 'GET', headers: { Accept: ACCEPT, ...headers } }),
        await send(server, { method: 'DELETE', headers }),
      ];
      return Promise.all(replies.map(async (reply) => [reply.status, await reply.text()]));
    };
    const foreign = await asked(ann.id, BOB);
    expect(foreign).toEqual(await asked('never-was', BOB));
    expect(foreign.map(([status]) => status)).toEqual([404, 404, 404]);
    expect((await ann.request(2, 'ping')).status).toBe(200);
  });
});

describe('a job', () => {
  test('is found by its owner in either era, and by nobody else', async () => {
    const ann = await init(server, {}, '2025-11-25', bearer(ANN));
    const bob = await init(server, {}, '2025-11-25', bearer(BOB));
    const id = jobIdOf(await ann.result(1, 'echo', { text: 'mine' }));
    const unknown = `job_${'0'.repeat(26)}`;
    const of = async (tool: string, job: string, more: object = {}) =>
      textOf(await bob.result(tool, tool, { job_id: job, ...more })).replaceAll(job, 'JOB');

    for (const tool of ['get_job', 'cancel_job']) expect(await of(tool, id)).toBe(await of(tool, unknown));
    expect(textOf(await bob.result(2, 'list_jobs', {}))).toBe('No jobs match.');
    for (const uri of [`job://${id}`, `job://${id}/log`]) {
      const { error } = await (await bob.request(uri, 'resources/read', { uri })).response(uri);
      expect(error).toBeDefined();
    }
    const { result: none } = await (await bob.request(3, 'resources/list')).response(3);
    expect(none?.resources).toEqual([]);

    const modern = await m26(server, 4, ['tools/call', { name: 'get_job', arguments: { job_id: id } }], {
      headers: bearer(ANN),
    });
    expect((await modern.response(4)).result).toMatchObject({ structuredContent: { job_id: id, state: 'completed' } });
    const stranger = await m26(server, 5, ['tools/call', { name: 'get_job', arguments: { job_id: id } }], {
      headers: bearer(BOB),
    });
    expect((await stranger.response(5)).result?.isError).toBe(true);
  });

  test('of an idempotency key is the principal’s own', async () => {
    const make = async (token: string) => {
      const session = await init(server, {}, '2025-11-25', bearer(token));
      return jobIdOf(await session.result(1, 'analyze_repo', { repoPath: site.root, idempotency_key: 'shared' }));
    };
    const [ann, again, bob] = [await make(ANN), await make(ANN), await make(BOB)];
    expect(again).toBe(ann);
    expect(bob).not.toBe(ann);
  });
});

describe('a job that waits', () => {
  test('tells its caller how many are before it, also where principals take turns', async () => {
    const ann = await init(server, {}, '2025-11-25', bearer(ANN));
    const bob = await init(server, {}, '2025-11-25', bearer(BOB));
    const gate = site.gate();
    const held = await ann.call(1, 'gated', { gate: gate.path, progress: [1] }, 'token');
    await held.message(({ params }) => params?.progress === 1);
    const others: Reply[] = [];
    for (const id of [2, 3, 4]) {
      const other = await ann.call(id, 'echo', { text: `number ${id}` }, id);
      await other.message(({ params }) => /^queued, position/.test(String(params?.message)));
      others.push(other);
    }
    const call = await bob.call(5, 'echo', { text: 'only one' }, 'token');
    const heard = await call.message(({ params }) => /^queued/.test(String(params?.message)));
    expect(heard.params?.message).toBe('queued, position 1');
    const listed = await ann.result(6, 'list_jobs', { states: ['waiting'] });
    const jobs = (listed.structuredContent?.jobs ?? []) as { job_id: string; position: number }[];
    expect(jobs.map(({ position }) => position)).toEqual([4, 3, 2]);
    expect(textOf(listed)).toContain('position 4 in the queue');
    const seen = await ann.result(7, 'get_job', { job_id: jobs[0]?.job_id });
    expect(seen.structuredContent).toMatchObject({ state: 'waiting', position: 4 });
    await gate.open();
    // None is left unfinished for the tests after this one.
    await Promise.all([held.response(1), call.response(5), ...others.map((other, at) => other.response(at + 2))]);
  });
});

describe('a token', () => {
  test('is in no line of the log', async () => {
    await post(server, callBody(1, 'echo', {}), { ...bearer(ANN), 'MCP-Protocol-Version': MODERN });
    for (const token of [ANN, BOB, 'wrong-0123456789abcdef']) expect(server.stderr()).not.toContain(token);
  });
});

describe('the file of tokens', () => {
  const CYD = 'cyd-0123456789abcdef';
  const DAN = 'dan-0123456789abcdef';
  const asks = async (target: HttpServer, token: string) =>
    (await m26(target, 1, ['tools/call', { name: 'list_jobs', arguments: {} }], { headers: bearer(token) })).status;
  const saying = (target: HttpServer, msg: RegExp) => target.log.filter((line) => msg.test(line.msg)).length;
  const READ = /^the file of tokens was read/;
  const UNUSABLE = /^the file of tokens cannot be used/;

  test('counts as it is, also while the server runs; one that cannot be used changes nothing, and the log says so', async () => {
    const path = join(site.root, 'changing-tokens');
    const env = { LONGHAUL_HTTP_TOKENS: `ann:${ANN}`, LONGHAUL_HTTP_TOKENS_FILE: path };
    await writeFile(path, `bob:${BOB}\ncyd:${CYD}\n`);
    // Each front end reads the file for itself.
    const changing = await site.http({ workers: 0, env, alone: true });
    const write = async (text: string, told: RegExp) => {
      const before = saying(changing, told);
      await writeFile(path, text);
      await until(
        () => saying(changing, told),
        (count) => count > before,
        { what: `a line ${told}` },
      );
    };
    const open = await init(changing, {}, '2025-11-25', bearer(CYD));
    const stream = await open.stream();
    const kept = await (await init(changing, {}, '2025-11-25', bearer(BOB))).stream();

    await write(`bob:${BOB}\ndan:short\n`, UNUSABLE);
    expect(await Promise.all([ANN, BOB, CYD].map((token) => asks(changing, token)))).toEqual([200, 200, 200]);

    await write(`bob:${BOB}\ndan:${DAN}\n`, READ);
    expect(await Promise.all([ANN, BOB, CYD, DAN].map((token) => asks(changing, token)))).toEqual([200, 200, 401, 200]);
    // What was open for a token that is gone is open no more.
    expect(await stream.ended).toBe('cut');
    expect((await open.request(2, 'ping')).status).toBe(401);

    const before = saying(changing, UNUSABLE);
    await rm(path);
    await until(
      () => saying(changing, UNUSABLE),
      (count) => count > before,
      { what: 'a word on the file that is gone' },
    );
    expect(await Promise.all([BOB, DAN].map((token) => asks(changing, token)))).toEqual([200, 200]);
    for (const token of [BOB, CYD, DAN]) expect(changing.stderr()).not.toContain(token);
    kept.destroy();
    await changing.stop();
  });
});

describe('a caller with as many unfinished jobs as it may have', () => {
  test('is told to come back later, while another is served; large arguments are refused by their size', async () => {
    const env = {
      LONGHAUL_HTTP_TOKENS: `ann:${ANN},bob:${BOB}`,
      LONGHAUL_MAX_JOBS_PER_CALLER: '1',
      LONGHAUL_MAX_ARGUMENT_BYTES: '1024',
    };
    const narrow = await site.http({ workers: 0, env });
    const ann = await init(narrow, {}, '2025-11-25', bearer(ANN));
    const bob = await init(narrow, {}, '2025-11-25', bearer(BOB));
    const gate = site.gate();
    const first = await ann.call(1, 'gated', { gate: gate.path }, 'token');
    await first.message(({ method }) => method === 'notifications/progress');
    const refused = await ann.result(2, 'echo', { text: 'one too many' });
    const error = refused._meta?.['longhaul/error'];
    expect(error).toMatchObject({ code: 'overloaded', retryable: true, retry_after_seconds: expect.any(Number) });
    expect(textOf(refused)).toMatch(/^Overloaded: .* try again in \d+ seconds/);
    const large = await bob.result(3, 'echo', { text: 'x'.repeat(2_000) });
    expect(large._meta?.['longhaul/error']).toMatchObject({ code: 'arguments_too_large', retryable: false });
    await gate.open();
    expect((await bob.result(4, 'echo', { text: 'another' })).isError).toBeUndefined();
    await first.response(1);
  });
});

describe('longhaul http', () => {
  const refusals: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[], string])[] = [
    ['an address beyond loopback without tokens', {}, ['--host', '0.0.0.0'], '--host 0.0.0.0'],
    ['a token too short', { LONGHAUL_HTTP_TOKENS: 'ann:short' }, [], 'entry 1: the token of ann is shorter than 16'],
    [
      'one token of two',
      { LONGHAUL_HTTP_TOKENS: `ann:${ANN},bob:${ANN}` },
      [],
      'the token of bob is that of ann as well',
    ],
    [
      'a file that is not there',
      { LONGHAUL_HTTP_TOKENS_FILE: '/nowhere/tokens' },
      [],
      '/nowhere/tokens cannot be read',
    ],
  ];

  test.each(refusals)('refuses %s, in a sentence without the token', async (_what, env, args, sentence) => {
    const refused = site.run('http', { env, args: ['--port', '0', ...args] });
    expect(await refused.ended).toBe('exit 2');
    expect(refused.stderr()).toContain(sentence);
    expect(refused.stderr()).not.toContain(ANN);
    expect(refused.stderr()).not.toContain(':short');
  });

  test('serves beyond loopback with tokens, or where the operator says that others are kept out', async () => {
    const args = ['--host', '0.0.0.0'];
    const open = await site.http({ workers: 0, args, env: { LONGHAUL_HTTP_ANONYMOUS: 'anywhere' } });
    expect((await init(open)).id).toBeDefined();
    const closed = await site.http({ workers: 0, args, env: { LONGHAUL_HTTP_TOKENS_FILE: tokensFile } });
    expect((await m26(closed, 1, ['tools/list'], { headers: bearer(BOB) })).status).toBe(200);
    expect((await m26(closed, 1, ['tools/list'], { headers: bearer(ANN) })).status).toBe(401);
  });

  test('takes no folder from a caller with a token unless the operator says so', async () => {
    const reply = await m26(server, 1, ['tools/call', { name: 'where_can_i_work', arguments: {} }], {
      capabilities: { roots: {} },
      headers: bearer(ANN),
    });
    expect((await reply.response(1)).result?.structuredContent).toMatchObject({ client_roots: 'not_wanted' });
  });
});

describe('longhaul call --url', () => {
  test('sends the token of LONGHAUL_CALL_TOKEN', async () => {
    const { command, args, env } = site.commandLine('call');
    // Not in one go: what the call goes through may live in this process.
    const call = (token: string) =>
      new Promise<{ code: unknown; stdout: string }>((resolve) => {
        const line = [...args.slice(0, 1), 'call', 'echo', '--args', '{"text":"hi"}', '--url', server.url];
        const options = { env: { ...env, LONGHAUL_CALL_TOKEN: token } };
        execFile(command, line, options, (error, stdout) => resolve({ code: error?.code ?? 0, stdout }));
      });
    expect(await call(ANN)).toMatchObject({ code: 0, stdout: expect.stringContaining('hi') });
    expect((await call(`${ANN}x`)).code).toBe(1);
  });
});
