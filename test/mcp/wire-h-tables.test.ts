/** The tables beside a result, read in pages on the wire in both eras: case 105 of the acceptance list. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../support/gate.js';
import {
  init,
  jobIdOf,
  m26,
  type Reply,
  textOf,
  type WireMessage,
  type WireResult,
  type WireSession,
} from '../support/http-wire.js';
import { workerOf } from '../support/processes.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const FILES = 3_000;
const SKIPPED = 40;
const TEXT_CAP = 25_000;

let site: Site;
let server: HttpServer;
let session: WireSession;
/** Paths of the tree in the order they are listed. */
let paths: string[];
let scanned: WireResult;
let id: string;

beforeAll(async () => {
  site = await openSite();
  paths = await makeTree(join(site.root, 'tree'), 1);
  server = await site.http();
  session = await init(server);
  scanned = (await (await session.call(1, 'analyze_codebase', { path: 'tree' })).response(1, 30_000)).result ?? {};
  id = jobIdOf(scanned);
});
afterAll(() => site.close());

/** Files of `n % 7` lines, `repeat` times, and some that hold a NUL. */
async function makeTree(root: string, repeat: number): Promise<string[]> {
  const names = Array.from({ length: FILES }, (_, n) => `d${n % 23}/file-${n}.ts`);
  for (let n = 0; n < 23; n++) await mkdir(join(root, `d${n}`), { recursive: true });
  for (const [n, name] of names.entries())
    await writeFile(join(root, name), '/* c */\nconst x = 1;\n'.repeat(repeat) + 'y();\n'.repeat(n % 7));
  for (let n = 0; n < SKIPPED; n++) await writeFile(join(root, `d${n % 23}/skip-${n}.ts`), '\0');
  return names.sort((a, b) => (a < b ? -1 : 1));
}

interface Page {
  readonly rows: { readonly path: string; readonly lines: number }[];
  readonly total: number;
  readonly next_offset?: number;
}

/** Every page from the first to the one without a next. */
async function readAll(read: (offset: number) => Promise<Page>): Promise<Page[]> {
  const pages: Page[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; offset = pages.at(-1)?.next_offset)
    pages.push(await read(offset));
  return pages;
}

const rowsOf = (pages: readonly Page[]) => pages.flatMap(({ rows }) => rows);
const pathsOf = (pages: readonly Page[]) => rowsOf(pages).map(({ path }) => path);
const pageOf = (result: WireResult | undefined) => result?.structuredContent?.page as Page;
const response = async (reply: Reply, of: unknown) => (await reply.response(of)).result;

async function read2025(job: string, args: object): Promise<WireResult> {
  return session.result(`p${Math.random()}`, 'get_job', { job_id: job, ...args });
}

async function resource(uri: string) {
  return (await session.request('r', 'resources/read', { uri })).response('r');
}

async function resourcePage(uri: string): Promise<Page & { readonly next?: string }> {
  const { result } = await resource(uri);
  const [content] = (result?.contents ?? []) as { text: string; uri: string; mimeType: string }[];
  expect(content).toMatchObject({ uri, mimeType: 'application/json' });
  return JSON.parse(content?.text ?? '');
}

describe('105: the result of a scan', () => {
  test('names its tables and their rows, in its structure and in its text', () => {
    expect(scanned.structuredContent?.sections).toEqual([
      { section: 'files', rows: FILES },
      { section: 'skipped', rows: SKIPPED },
    ]);
    expect(textOf(scanned)).toContain(`get_job {"job_id": "${id}", "section": "files"}`);
    expect(JSON.stringify(scanned).length).toBeLessThan(2 * TEXT_CAP);
  });

  test('names them in get_job too, and keeps the result where no section is asked for', async () => {
    const { structuredContent } = await read2025(id, {});
    expect(structuredContent).toMatchObject({
      sections: [
        { section: 'files', rows: FILES },
        { section: 'skipped', rows: SKIPPED },
      ],
      result: { files_scanned: FILES },
    });
    expect(structuredContent).not.toHaveProperty('page');
  });
});

describe('105: pages of get_job', () => {
  test('are together every file of the tree once, in a 2025 session and in 2026 requests', async () => {
    const pages = await readAll(async (offset) =>
      pageOf(await read2025(id, { section: 'files', offset, limit: 1_000 })),
    );
    expect(pathsOf(pages)).toEqual(paths);
    const modern = await readAll(async (offset) => {
      const args = { job_id: id, section: 'files', offset };
      return pageOf(await response(await m26(server, 7, ['tools/call', { name: 'get_job', arguments: args }]), 7));
    });
    expect(modern.map(({ rows }) => rows.length)).toEqual(Array(FILES / 100).fill(100));
    expect(rowsOf(modern)).toEqual(rowsOf(pages));
  });

  test('have the figures of each file, which add up to the result', async () => {
    const pages = await readAll(async (offset) =>
      pageOf(await read2025(id, { section: 'files', offset, limit: 1_000 })),
    );
    const lines = rowsOf(pages).reduce((sum, row) => sum + row.lines, 0);
    expect(lines).toBe(scanned.structuredContent?.total_lines);
    const n = Number(/file-(\d+)/.exec(paths[0] ?? '')?.[1]);
    expect(rowsOf(pages)[0]).toEqual({
      path: paths[0],
      language: 'TypeScript',
      lines: 2 + (n % 7),
      code: 1 + (n % 7),
      comments: 1,
      blanks: 0,
      bytes: 21 + 5 * (n % 7),
    });
  });

  test('fit the schema, leave the result out, and are never cut: a long page ends early', async () => {
    const listed = (await (await session.request(2, 'tools/list')).response(2)).result?.tools;
    const tool = (listed as { name: string; outputSchema: object }[]).find(({ name }) => name === 'get_job');
    const fits = new Ajv2020({ strict: true, formats: { 'date-time': true } }).compile(tool?.outputSchema ?? {});
    const result = await read2025(id, { section: 'files', offset: 10, limit: 1_000 });
    expect(fits(result.structuredContent), JSON.stringify(fits.errors)).toBe(true);
    expect(result.structuredContent).not.toHaveProperty('result');
    expect(textOf(result).length).toBeLessThan(TEXT_CAP);
    expect(textOf(result)).not.toContain('[Cut');
    const { rows, next_offset } = pageOf(result);
    expect(next_offset).toBe(10 + rows.length);
    expect(textOf(result)).toContain(`| ${rows.at(-1)?.path} |`);
    expect(textOf(result)).toContain(`"offset": ${next_offset}`);
  });

  test('tell of skipped files and their reasons', async () => {
    const { rows, total } = pageOf(await read2025(id, { section: 'skipped' }));
    expect(total).toBe(SKIPPED);
    expect(rows).toContainEqual({ path: 'd3/skip-3.ts', reason: 'binary' });
  });

  test('end with the last row; beyond it a page is empty', async () => {
    expect(pageOf(await read2025(id, { section: 'files', offset: FILES - 2 }))).toMatchObject({
      rows: [{ path: paths.at(-2) }, { path: paths.at(-1) }],
      total: FILES,
    });
    const beyond = pageOf(await read2025(id, { section: 'files', offset: 10 * FILES }));
    expect(beyond).toMatchObject({ rows: [], total: FILES });
    expect(beyond).not.toHaveProperty('next_offset');
  });
});

describe('105: a page that is not there', () => {
  test.each([
    [{ section: 'fils' }, /it has files, skipped; did you mean files\?/],
    [{ section: 'log' }, /it has files, skipped/],
    [{ section: 'files', limit: 1_001 }, /limit/],
    [{ section: 'files', limit: 0 }, /limit/],
    [{ section: 'files', offset: -1 }, /offset/],
    [{ offset: 5 }, /offset and limit need section/],
  ])('gets a plain word for %j', async (args, words) => {
    const result = await read2025(id, args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(words);
  });

  test('gets a plain word for a job without tables, one that runs, and one that is unknown', async () => {
    const echo = jobIdOf(await session.result(3, 'echo', { text: 'a' }));
    expect(textOf(await read2025(echo, { section: 'files' }))).toMatch(/echo wrote none/);
    const gate = site.gate();
    const call = await session.call(4, 'gated', { gate: gate.path, progress: [1] }, 't');
    const progress = await call.message(({ params }) => params?.progress === 1);
    const { _meta } = progress.params ?? {};
    const running = String((_meta as Record<string, unknown>)['longhaul/jobId']);
    expect(textOf(await read2025(running, { section: 'files' }))).toMatch(/it is active; sections can be read once/);
    await gate.open();
    await call.response(4);
    expect(textOf(await read2025(`job_${'0'.repeat(26)}`, { section: 'files' }))).toMatch(/no job .*expired/);
  });
});

describe('105: the resource of a table', () => {
  test('is among the templates, and its pages are together every file once', async () => {
    const templates = (await (await session.request(5, 'resources/templates/list')).response(5)).result
      ?.resourceTemplates;
    expect(templates).toContainEqual(expect.objectContaining({ uriTemplate: 'job://{id}/files{?offset,limit}' }));
    const pages = [await resourcePage(`job://${id}/files`)];
    for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) pages.push(await resourcePage(next));
    expect(pages.map(({ rows }) => rows.length)).toEqual([1_000, 1_000, 1_000]);
    expect(pathsOf(pages)).toEqual(paths);
  });

  test('takes a limit, keeps it in the next page, and serves 2026 requests too', async () => {
    const page = await resourcePage(`job://${id}/files?limit=7&offset=14`);
    expect(page.rows.map(({ path }) => path)).toEqual(paths.slice(14, 21));
    expect(page.next).toBe(`job://${id}/files?offset=21&limit=7`);
    const read = await m26(server, 8, ['resources/read', { uri: `job://${id}/skipped?limit=1` }]);
    const { contents = [] } = (await response(read, 8)) ?? {};
    const [content] = contents as { text: string }[];
    expect(JSON.parse(content?.text ?? '')).toMatchObject({ section: 'skipped', total: SKIPPED });
  });

  test.each(['fils', 'files?limit=0', 'files?limit=1001', 'files?offset=-1', 'files?page=2', 'files?limit=ten'])(
    'of the name %s is refused with invalid params',
    async (name) => {
      expect((await resource(`job://${id}/${name}`)).error?.code).toBe(-32_602);
    },
  );

  test.each(['job://nonsense/files', `job://job_${'0'.repeat(26)}/files`])('of %s is not found', async (uri) => {
    const { error } = await resource(uri);
    expect(error?.message).toContain(uri);
  });
});

describe('105: a scan in parts', () => {
  const SETTINGS = {
    LONGHAUL_PART_FILES: '250',
    LONGHAUL_SCAN_THREADS: '1',
    LONGHAUL_CONCURRENCY: 'analysis=1,review=1',
  };

  test('with a worker killed in its middle has the same rows in the same order, once each', async () => {
    const tree = join(site.root, 'heavy');
    await makeTree(tree, 300);
    const [whole, shared] = [await openAt({}), await openAt(SETTINGS)];
    const alone = await whole.session.call(1, 'analyze_codebase', { path: tree, use_cache: false });
    const wanted = (await alone.response(1, 60_000)).result;
    const found = (await killedInTheMiddle(shared, tree)).result;
    for (const section of ['files', 'skipped']) {
      const all = (from: WireSession, job: string) =>
        readAll(async (offset) =>
          pageOf(await from.result('p', 'get_job', { job_id: job, section, offset, limit: 1_000 })),
        );
      const rows = rowsOf(await all(shared.session, jobIdOf(found)));
      expect(rows).toHaveLength(section === 'files' ? FILES : SKIPPED);
      expect(rows).toEqual(rowsOf(await all(whole.session, jobIdOf(wanted))));
    }
    expect(found?.structuredContent?.sections).toEqual(wanted?.structuredContent?.sections);
  }, 120_000);

  /** A scan whose worker was killed before it ended: should this test be held up until the end of one, it scans once more. */
  async function killedInTheMiddle({ site: home, session: client }: Opened, path: string): Promise<WireMessage> {
    for (let id = 1; ; id++) {
      const call = await client.call(id, 'analyze_codebase', { path, use_cache: false }, id);
      await call.message((message) => message.id === id || /^Counted [1-9]/.test(String(message.params?.message)));
      const worker = await workerOf(home.dataDir);
      const hasEnded = () => call.messages().some((message) => message.id === id);
      if (hasEnded()) continue;
      process.kill(worker, 'SIGKILL');
      if (!hasEnded()) return call.response(id, 60_000);
    }
  }

  interface Opened {
    readonly site: Site;
    readonly session: WireSession;
  }

  async function openAt(env: Readonly<Record<string, string>>): Promise<Opened> {
    const own = await openSite();
    onTestFinished(() => own.close());
    return { site: own, session: await init(await own.http({ env, args: ['--root', site.root] })) };
  }
});

test('105: pages expire with their result', async () => {
  const own = await openSite();
  await writeFile(join(own.root, 'a.ts'), 'a();\n');
  const short = await init(await own.http({ env: { LONGHAUL_RESULT_TTL_SECONDS: '5' } }));
  const job = jobIdOf(await short.result(1, 'analyze_codebase', { path: '.' }));
  const read = () => short.result('p', 'get_job', { job_id: job, section: 'files' });
  expect(pageOf(await read()).rows).toHaveLength(1);
  const gone = await until(read, ({ isError }) => isError === true, { what: 'the page to expire', limitMs: 30_000 });
  expect(textOf(gone)).toMatch(/no job .*expired/);
  await own.close();
});
