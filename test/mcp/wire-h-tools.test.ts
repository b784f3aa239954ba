/** Tools on the wire: cases 96, 97, 99 to 103 and 105 to 108 of the acceptance list. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { init, jobIdOf, m26, textOf, type WireResult, type WireSession } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
let session: WireSession;
let tools: readonly Tool[];
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
  session = await init(server);
  tools = await listTools();
  await writeFile(join(site.root, 'a-file'), 'x');
});
afterAll(() => site.close());

interface Schema {
  readonly type?: string;
  readonly $schema?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
}
interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

async function listTools(): Promise<readonly Tool[]> {
  const { result } = await (await session.request('list', 'tools/list')).response('list');
  return result?.tools as readonly Tool[];
}

const OWN = ['analyze_codebase', 'cancel_job', 'get_job', 'list_jobs'];

/** A fresh validator takes every schema as a client would; strict refuses unknown keywords and sloppy types. */
function compile(schema: Schema) {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
  return ajv.compile({ ...schema });
}

async function jobCount(): Promise<unknown> {
  return (await session.result('count', 'list_jobs', {})).structuredContent?.total_count;
}

const BAD: [string, string, object, string][] = [
  ['a wrong type', 'analyze_codebase', { path: 7 }, 'path'],
  ['a missing field', 'analyze_codebase', {}, 'path'],
  ['an unknown choice', 'analyze_codebase', { path: '.', response_format: 'xml' }, 'response_format'],
  [
    'an unknown field, with the nearest known one',
    'analyze_codebase',
    { path: '.', respect_gitingore: true },
    'respect_gitignore',
  ],
  ['a number out of range', 'get_job', { job_id: 'a', wait_seconds: 61 }, 'wait_seconds'],
  ['an unknown state', 'list_jobs', { states: ['lost'] }, 'states'],
  ['a cursor of its own making', 'list_jobs', { cursor: 'abc' }, 'cursor'],
  ['a field inside a list', 'chatty', { lines: [{ level: 1, text: 'a' }] }, 'lines.0.level'],
  ['a folder that is not there', 'analyze_codebase', { path: 'nowhere' }, 'does not exist'],
  ['a file for a folder', 'analyze_codebase', { path: 'a-file' }, 'not a folder'],
  ['a folder outside the allowed ones', 'analyze_codebase', { path: '/etc' }, 'outside the allowed folders'],
];

describe('bad arguments', () => {
  test.each(BAD)('96: %s is an error result that names it, and starts no job', async (_, tool, args, named) => {
    const before = await jobCount();
    const result = await session.result(1, tool, args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(named);
    expect(await jobCount()).toBe(before);
  });

  const malformed: [string, object | undefined][] = [
    ['an unknown name', { name: 'nope' }],
    ['no name', { arguments: {} }],
    ['a number for a name', { name: 7 }],
    ['no params', undefined],
    ['a list for arguments', { name: 'echo', arguments: ['a'] }],
    ['a text for arguments', { name: 'echo', arguments: 'a' }],
  ];

  test.each(malformed)('97: a call with %s is a protocol error -32602 in both eras', async (_, params) => {
    const legacy = await (await session.request(1, 'tools/call', params)).response(1);
    expect(legacy).toMatchObject({ id: 1, error: { code: -32_602, message: expect.any(String) } });
    expect(legacy.result).toBeUndefined();
    // A 2026 request without a name or with another than in its header is refused before, by its headers (case 133).
    const name = (params as { name?: unknown } | undefined)?.name;
    if (typeof name !== 'string') return;
    const modern = await (await m26(server, 1, ['tools/call', { ...params }])).response(1);
    expect(modern).toMatchObject({ id: 1, error: { code: -32_602 } });
  });
});

describe('every error', () => {
  const failures: [string, () => Promise<WireResult>][] = [
    ...BAD.map(([what, tool, args]): [string, () => Promise<WireResult>] => [
      what,
      () => session.result(1, tool, args),
    ]),
    ['a tool that throws', () => session.result(1, 'failing', { message: 'boom', kind: 'app' })],
    ['an unknown job', () => session.result(1, 'get_job', { job_id: 'job_00000000000000000000000000' })],
    ['a cancelled job', cancelledCall],
  ];

  async function cancelledCall(): Promise<WireResult> {
    const ledger = site.ledger();
    const call = await session.call(9, 'gated', { gate: site.gate().path, ledger: ledger.path });
    const [, id] = (await ledger.line('start')).split(' ');
    await session.result(10, 'cancel_job', { job_id: id });
    const { result } = await call.response(9);
    return result ?? {};
  }

  test.each(failures)('99: of %s is readable text without structured content', async (_, fail) => {
    const result = await fail();
    expect(result.isError).toBe(true);
    expect(result).not.toHaveProperty('structuredContent');
    expect(textOf(result).length).toBeGreaterThan(10);
  });

  test('108: that was thrown is shown without its message, path or stack, there and in get_job', async () => {
    const secret = 'cannot open /srv/secret/key-sek-123';
    const result = await session.result(1, 'failing', { message: secret });
    const job = await session.result(2, 'get_job', { job_id: jobIdOf(result) });
    const listed = await session.result(3, 'list_jobs', {});
    // With its slash: three letters are in many an id.
    for (const shown of [result, job, listed].map((one) => JSON.stringify(one))) {
      expect(shown).not.toMatch(/sek-123|\/srv|\.mjs|\.js:|at async/);
    }
    expect(result.isError).toBe(true);
    expect(job.structuredContent).toMatchObject({ state: 'failed', error: { code: 'handler_failed' } });
  });
});

describe('every success', () => {
  const calls: [string, object][] = [
    ['echo', { text: 'a' }],
    ['list_jobs', { limit: 2 }],
    ['list_jobs', { states: ['failed'], limit: 1 }],
  ];

  test.each(calls)(
    '100: of %s %o has structured content that fits its schema, and text that tells it',
    async (name, args) => {
      await expectFits(name, await session.result(1, name, args));
    },
  );

  test('100: of get_job and cancel_job fits, whatever became of the job', async () => {
    const done = jobIdOf(await session.result(1, 'echo', { text: 'told in the text' }));
    const failed = jobIdOf(await session.result(2, 'failing', { message: 'x', kind: 'app' }));
    for (const job_id of [done, failed]) {
      await expectFits('get_job', await session.result(3, 'get_job', { job_id }));
      await expectFits('cancel_job', await session.result(4, 'cancel_job', { job_id }));
    }
    expect(textOf(await session.result(5, 'get_job', { job_id: done }))).toContain('told in the text');
  });

  async function expectFits(name: string, result: WireResult): Promise<void> {
    expect(result.isError, textOf(result)).toBeUndefined();
    const fits = compile(tools.find((tool) => tool.name === name)?.outputSchema ?? {});
    expect(fits(result.structuredContent), JSON.stringify(fits.errors)).toBe(true);
    expect(textOf(result).trim()).not.toBe('');
  }
});

describe('the list of tools', () => {
  test('101: has schemas that compile as JSON Schema 2020-12, strictly, and name no other dialect', () => {
    for (const { inputSchema, outputSchema } of tools) {
      for (const schema of [inputSchema, outputSchema]) {
        expect(JSON.stringify(schema)).not.toContain('draft-0');
        if (schema.$schema !== undefined) expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
        expect(() => compile(schema)).not.toThrow();
      }
    }
  });

  test('102: has input schemas of objects, each of our own with described properties and what is required', () => {
    for (const { inputSchema } of tools)
      expect(inputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) });
    const own = tools.filter(({ name }) => OWN.includes(name));
    expect(own.map(({ name }) => name)).toEqual(OWN);
    for (const { name, inputSchema } of own) {
      const undescribed = Object.entries(inputSchema.properties ?? {}).filter(([, { description }]) => !description);
      expect({ name, undescribed }).toEqual({ name, undescribed: [] });
    }
    const required = Object.fromEntries(own.map(({ name, inputSchema }) => [name, inputSchema.required ?? []]));
    expect(required).toEqual({
      analyze_codebase: ['path'],
      cancel_job: ['job_id'],
      get_job: ['job_id'],
      list_jobs: [],
    });
  });

  test('103: has names that every model provider takes', () => {
    for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  test('106: has descriptions of at most 2 kB that begin with what the tool does', () => {
    for (const { description } of tools) expect(Buffer.byteLength(description)).toBeLessThanOrEqual(2_048);
    for (const tool of tools.filter(({ name }) => OWN.includes(name))) {
      expect(tool.description).toMatch(/^[A-Z][a-z]+s /);
      expect(tool.title).toBeTruthy();
    }
  });

  test('107: is in the same order for every client of every era, with its lifetime for 2026 ones', async () => {
    const names = tools.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    const again = await init(server, {}, '2025-06-18');
    const { result: older } = await (await again.request(1, 'tools/list')).response(1);
    const { result: modern } = await (await m26(server, 1, ['tools/list'])).response(1);
    const { result: discovered } = await (await m26(server, 2, ['server/discover'])).response(2);
    expect(older?.tools).toEqual(tools);
    expect(modern?.tools).toEqual(tools);
    for (const result of [modern, discovered]) {
      expect(result).toMatchObject({
        ttlMs: expect.any(Number),
        cacheScope: expect.stringMatching(/^(public|private)$/),
      });
    }
    for (const field of ['ttlMs', 'cacheScope', 'resultType']) expect(older).not.toHaveProperty(field);
  });
});

describe('a big result', () => {
  const TEXT_CAP = 25_000;

  test('105: is cut in its text, which says where the rest is, and whole in its structure and resource', async () => {
    const result = await session.result(1, 'big', { bytes: 1_000_000 });
    expect(textOf(result).length).toBeLessThanOrEqual(TEXT_CAP);
    expect(String(result.structuredContent?.text).length).toBe(1_000_000);
    const [uri = ''] = /job:\/\/\S+[^\s.\]]/.exec(textOf(result)) ?? [];
    const read = await (await session.request(2, 'resources/read', { uri })).response(2);
    expect(JSON.stringify(read.result).length).toBeGreaterThan(1_000_000);
  });
});
