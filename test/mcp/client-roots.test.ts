/** Wire case 50: a client's roots widen the path boundary by what they really are, and by nothing else. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { init, m26, type Reply, textOf, type WireResult, type WireSession } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

/** `a` is the client's root; `ab` and `b` lie beside it. */
interface Tree {
  readonly a: string;
  readonly ab: string;
  readonly b: string;
}

let site: Site;
let server: HttpServer;
let tree: Tree;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-client-roots-')));
  tree = { a: join(folder, 'a'), ab: join(folder, 'ab'), b: join(folder, 'b') };
  for (const place of [join(tree.a, 'inner'), tree.ab, tree.b, join(site.root, 'own')]) {
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'code.ts'), 'export {};\n');
  }
  await symlink(tree.b, join(tree.a, 'out'));
  await symlink(join(tree.a, 'inner'), join(tree.a, 'in'));
  await symlink(tree.a, join(folder, 'alias'));
});
afterAll(async () => {
  await site.close();
  await rm(join(tree.a, '..'), { recursive: true, force: true });
});

const ROOTS = { roots: { listChanged: true } };
const roots = (...uris: readonly string[]) => ({ roots: uris.map((uri) => ({ uri })) });
const rootOf = (folder: string) => pathToFileURL(folder).href;
const refusal = (result: WireResult) => [result.isError, Object(result._meta?.['longhaul/error']).code];
const ALLOWED = [undefined, undefined];
const REFUSED = [true, 'path_not_allowed'];

let calls = 0;
const asksForRoots = (reply: Reply) => reply.messages().filter(({ method }) => method === 'roots/list').length;

/** Calls a tool on a 2025 session and lets `answer` reply to the question for roots, if it comes. */
async function call(
  session: WireSession,
  tool: string,
  args: object,
  answer?: (session: WireSession, id: unknown) => Promise<unknown>,
): Promise<{ result: WireResult; asked: number }> {
  const id = `roots-${++calls}`;
  const reply = await session.call(id, tool, args);
  if (answer) {
    const { id: question } = await reply.message(({ method }) => method === 'roots/list');
    await answer(session, question);
  }
  const { result } = await reply.response(id, 20_000);
  return { result: result ?? {}, asked: asksForRoots(reply) };
}

const telling =
  (answer: object) =>
  (session: WireSession, id: unknown): Promise<unknown> =>
    session.answer(id, answer);

/** A session that has told its one root. */
async function sessionIn(folder: string): Promise<WireSession> {
  const session = await init(server, ROOTS);
  await call(session, 'where_can_i_work', {}, telling(roots(rootOf(folder))));
  return session;
}

describe('within the roots of a client', () => {
  it('paths are taken as written, through links that stay inside, and as file URIs', async () => {
    const session = await sessionIn(tree.a);
    for (const path of [
      tree.a,
      `${tree.a}/inner`,
      `${tree.a}/in`,
      `${tree.a}/inner/..`,
      rootOf(join(tree.a, 'inner')),
    ]) {
      const { result, asked } = await call(session, 'analyze_codebase', { path });
      expect([path, ...refusal(result), asked]).toEqual([path, ...ALLOWED, 0]);
    }
  });

  it('a root that is a link allows the folder it leads to', async () => {
    const session = await sessionIn(join(tree.a, '..', 'alias'));
    for (const path of [join(tree.a, '..', 'alias', 'inner'), join(tree.a, 'inner')]) {
      expect(refusal((await call(session, 'analyze_codebase', { path })).result)).toEqual(ALLOWED);
    }
  });

  it('no way of writing a path leads out, and no link', async () => {
    const session = await sessionIn(tree.a);
    const ways = [
      tree.b,
      tree.ab,
      '..',
      `${tree.a}/../b`,
      `${tree.a}/inner/../../b`,
      `${rootOf(tree.a)}/../b`,
      `${rootOf(tree.a)}/%2e%2e/b`,
      `${rootOf(tree.a)}/%2E%2E/ab`,
      join(tree.a, 'out'),
      `${tree.a}/out/newfile`,
      `${tree.a}/out/new/folder`,
      '/',
    ];
    for (const path of ways) {
      const { result, asked } = await call(session, 'analyze_codebase', { path });
      expect([path, ...refusal(result), asked]).toEqual([path, ...REFUSED, 0]);
    }
  });

  it('%2e%2e in a plain path is a name like any other', async () => {
    const session = await sessionIn(tree.a);
    const { result } = await call(session, 'analyze_codebase', { path: `${tree.a}/%2e%2e/b` });
    expect(refusal(result)).toEqual([true, 'path_not_found']);
  });

  it.each(['https://example.org/a', 'vscode-remote://host/a', 'file://elsewhere/a'])(
    '%s is no folder',
    async (path) => {
      const session = await sessionIn(tree.a);
      expect(refusal((await call(session, 'analyze_codebase', { path })).result)).toEqual([true, 'invalid_arguments']);
    },
  );
});

describe('roots that allow nothing', () => {
  it.each([
    ['an empty list', telling({ roots: [] })],
    ['foreign URIs', telling(roots('https://example.org', 'file://a', 'vscode-remote://host/tmp', 'no uri'))],
    ['an answer that is none', telling({ folders: [] })],
    ['an error', (session: WireSession, id: unknown) => session.refuse(id, -32603, 'no roots today')],
  ])('%s', async (_what, answer) => {
    const session = await init(server, ROOTS);
    const { result, asked } = await call(session, 'analyze_codebase', { path: tree.a }, answer);
    expect([...refusal(result), asked]).toEqual([...REFUSED, 1]);
    expect(textOf(result)).toContain(site.root);
  });

  it('silence, which is waited for no longer than ten seconds', async () => {
    const session = await init(server, ROOTS);
    const path = { path: tree.a };
    const [scan, where] = await Promise.all([
      call(session, 'analyze_codebase', path),
      call(session, 'where_can_i_work', {}),
    ]);
    expect(refusal(scan.result)).toEqual(REFUSED);
    expect(where.result.structuredContent).toMatchObject({ client_roots: 'no_answer', client_can_be_asked: true });
    expect(textOf(where.result)).toContain('did not answer in time');
  });
});

describe('a client is asked for its roots', () => {
  it('once, and again after it said that they changed', async () => {
    const session = await init(server, ROOTS);
    const tell = telling(roots(rootOf(tree.a)));
    const first = await call(session, 'analyze_codebase', { path: tree.a }, tell);
    const second = await call(session, 'analyze_codebase', { path: tree.b });
    await session.notify('notifications/roots/list_changed');
    const third = await call(session, 'analyze_codebase', { path: tree.b }, telling(roots(rootOf(tree.b))));
    const fourth = await call(session, 'analyze_codebase', { path: tree.a });
    expect([first, second, third, fourth].map(({ result, asked }) => [...refusal(result), asked])).toEqual([
      [...ALLOWED, 1],
      [...REFUSED, 0],
      [...ALLOWED, 1],
      [...REFUSED, 0],
    ]);
  });

  it('again, if it said that they changed before it answered', async () => {
    const session = await init(server, ROOTS);
    const late = async (_session: WireSession, id: unknown) => {
      await session.notify('notifications/roots/list_changed');
      await session.answer(id, roots(rootOf(tree.a)));
    };
    await call(session, 'where_can_i_work', {}, late);
    const next = await call(session, 'analyze_codebase', { path: tree.a }, telling(roots(rootOf(tree.b))));
    expect([...refusal(next.result), next.asked]).toEqual([...REFUSED, 1]);
  });

  it('never, where the operator already allows the path', async () => {
    const session = await init(server, ROOTS);
    const { result, asked } = await call(session, 'analyze_codebase', { path: join(site.root, 'own') });
    expect([...refusal(result), asked]).toEqual([...ALLOWED, 0]);
  });

  it('never, if it does not offer roots; the answer says what to do instead', async () => {
    const session = await init(server, {});
    const scan = await call(session, 'analyze_codebase', { path: tree.a });
    const where = await call(session, 'where_can_i_work', {});
    expect([...refusal(scan.result), scan.asked, where.asked]).toEqual([...REFUSED, 0, 0]);
    expect(where.result.structuredContent).toMatchObject({
      folders: [{ path: site.root, real_path: site.root, source: 'server' }],
      client_roots: 'not_offered',
      client_can_be_asked: false,
    });
    expect(textOf(where.result)).toMatch(/does not offer roots[\s\S]*--root DIR/);
  });
});

describe('where_can_i_work', () => {
  it('names each folder with its source, and each root that allows nothing with the reason', async () => {
    const session = await init(server, ROOTS);
    const alias = join(tree.a, '..', 'alias');
    const answer = {
      roots: [
        { uri: rootOf(tree.a), name: 'mine' },
        { uri: rootOf(alias) },
        { uri: 'file:///does/not/exist' },
        { uri: 'untitled:Untitled-1' },
      ],
    };
    const { result, asked } = await call(session, 'where_can_i_work', {}, telling(answer));
    expect(asked).toBe(1);
    expect(result.structuredContent).toEqual({
      folders: [
        { path: site.root, real_path: site.root, source: 'server' },
        { path: tree.a, real_path: tree.a, source: 'client', name: 'mine' },
        { path: alias, real_path: tree.a, source: 'client' },
        { path: '/does/not/exist', source: 'client' },
      ],
      unusable_roots: [{ uri: 'untitled:Untitled-1', why: 'it is no file: URI of a local folder' }],
      client_roots: 'told',
      client_can_be_asked: true,
      advice: expect.stringContaining('add the folder to the roots of your client'),
    });
    const text = textOf(result);
    for (const part of ['allowed by the operator', 'a root of your client "mine"', 'no such folder', 'untitled:'])
      expect(text).toContain(part);
  });

  it('refuses arguments, since it takes none', async () => {
    const session = await init(server, ROOTS);
    const { result, asked } = await call(session, 'where_can_i_work', { path: '/' });
    expect([...refusal(result), asked]).toEqual([true, 'invalid_arguments', 0]);
  });
});

describe('a 2026-07-28 client', () => {
  const where = async (params: object, capabilities: object = ROOTS) =>
    (
      await m26(server, 'w', ['tools/call', { name: 'where_can_i_work', arguments: {}, ...params }], { capabilities })
    ).response('w');

  it('is asked by a result, and answers with its retry', async () => {
    const { result } = await where({});
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { roots: { method: 'roots/list' } } });
    const answered = await where({ inputResponses: { roots: roots(rootOf(tree.a)) } });
    expect(answered.result?.structuredContent).toMatchObject({
      client_roots: 'told',
      folders: [{ source: 'server' }, { path: tree.a, source: 'client' }],
    });
  });

  it('that offers no roots is answered at once', async () => {
    const { result } = await where({}, {});
    expect(result?.structuredContent).toMatchObject({ client_roots: 'not_offered' });
  });

  it.each([{ roots: 'zzz' }, { roots: { folders: [] } }, { roots: null }])(
    'hears -32602 for %j',
    async (inputResponses) => {
      expect((await where({ inputResponses })).error).toMatchObject({ code: -32602 });
    },
  );
});

it('a server that leaves out the roots of clients asks for none', async () => {
  const strict = await site.http({ workers: 0, env: { LONGHAUL_CLIENT_ROOTS: 'ignore' } });
  const session = await init(strict, ROOTS);
  const { result, asked } = await call(session, 'where_can_i_work', {});
  expect([result.structuredContent?.client_roots, asked]).toEqual(['not_wanted', 0]);
  const scan = await call(session, 'analyze_codebase', { path: tree.a });
  expect([...refusal(scan.result), scan.asked]).toEqual([...REFUSED, 0]);
});
