/** `refactor_directory` on the raw wire of both eras: wire cases 45, 46, 47 and 50, and writing for real. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../support/gate.js';
import { init, textOf, type WireResult } from '../support/http-wire.js';
import { isQuestion, WILLING } from '../support/questions-wire.js';
import {
  askedFor,
  pathAsked,
  REFUSES,
  type RefactorRun,
  type RefactorScript,
  refactor25,
  refactor26,
} from '../support/refactor-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const OLD = 'function add(a, b) {\n  const sum = a + b;\n  return sum;\n}\nmodule.exports = { add };\n';
const NEW = 'function add(a, b) {\n  return a + b;\n}\nmodule.exports = { add };\n';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
});
afterAll(() => site.close());

/** `a` is the client's root; `ab` and `b` lie beside it, and links lead there. */
let top: string;
const at = (path: string) => join(top, path);
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-refactor-wire-')));
  for (const folder of ['a/src', 'a/inner', 'ab', 'b', 'own']) await mkdir(at(folder), { recursive: true });
  for (const file of ['a/src/x.js', 'a/src/y.js', 'a/inner/z.js', 'ab/x.js', 'b/x.js']) await writeFile(at(file), OLD);
  await symlink(at('b'), at('a/out'));
  await symlink(at('a/src'), at('a/in'));
  await symlink(at('b/x.js'), at('a/src/link.js'));
});
afterEach(() => rm(top, { recursive: true, force: true }));

const rootsOf = (...folders: readonly string[]) => ({
  roots: folders.map((uri) => ({ uri: pathToFileURL(uri).href })),
});
const fills = (content?: unknown) => ({ action: 'accept', ...(content !== undefined && { content }) });
const WRITES = fills({ style: 'safe', dry_run: false, max_files: 5 });

type Ask = (
  args: object,
  script?: RefactorScript & { readonly capabilities?: object },
) => Promise<RefactorRun & { readonly rounds?: number }>;

const ERAS: readonly { readonly era: string; readonly ask: Ask }[] = [
  {
    era: '2025-11-25',
    async ask(args, { capabilities = WILLING, ...script } = {}) {
      return refactor25(await init(server, capabilities), args, { ...defaults(), ...script });
    },
  },
  {
    era: '2026-07-28',
    ask: (args, { capabilities = WILLING, ...script } = {}) =>
      refactor26(server, args, { ...defaults(), ...script, capabilities }),
  },
];

const defaults = (): RefactorScript => ({ roots: rootsOf(at('a')), forms: [WRITES], model: () => NEW });
const told = ({ result }: RefactorRun): Record<string, unknown> => {
  expect(result.isError, textOf(result)).toBeFalsy();
  return { ...result.structuredContent };
};
const codeOf = (result: WireResult) => [result.isError, Object(result._meta?.['longhaul/error']).code];
const content = (path: string) => readFile(at(path), 'utf8');

/** Every file of the tree as it was planted. */
async function untouched(): Promise<void> {
  for (const file of ['a/src/x.js', 'a/src/y.js', 'a/inner/z.js', 'ab/x.js', 'b/x.js'])
    expect([file, await content(file)]).toEqual([file, OLD]);
  for (const folder of ['a', 'a/src', 'b', 'ab']) expect(await readdir(at(folder))).not.toContain('.longhaul-backup');
}

describe.each(ERAS)('refactor_directory for a client of $era', ({ era, ask }) => {
  it('asks for roots, shows one flat form, asks for all files at once, and writes with a backup', async () => {
    const run = await ask({ rel_path: 'src' });
    expect(told(run)).toMatchObject({
      status: 'complete',
      mode: 'write',
      bounded_by: 'client_roots',
      folder: at('a/src'),
      files: [
        { path: 'x.js', status: 'written' },
        { path: 'y.js', status: 'written' },
      ],
      skipped: [{ path: 'link.js', reason: 'symlink' }],
      backup: { files: 2 },
    });
    expect(await Promise.all(['a/src/x.js', 'a/src/y.js', 'b/x.js'].map(content))).toEqual([NEW, NEW, OLD]);
    const { folder } = told(run).backup as { folder: string };
    expect(await readFile(join(folder, 'files', 'x.js'), 'utf8')).toBe(OLD);
    expect([askedFor(run, 'roots/list').length, askedFor(run, 'elicitation/create').length]).toEqual([1, 1]);
    expect(askedFor(run, 'sampling/createMessage').map(pathAsked).sort()).toEqual(['x.js', 'y.js']);
    if (era === '2026-07-28') expect(run.rounds).toBe(3);
    expect(askedFor(run, 'elicitation/create')[0]?.params).toMatchObject({
      mode: 'form',
      requestedSchema: {
        type: 'object',
        properties: {
          style: {
            type: 'string',
            default: 'safe',
            oneOf: [{ const: 'safe' }, { const: 'concise' }, { const: 'verbose' }],
          },
          dry_run: { type: 'boolean', default: true },
          max_files: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
        },
        required: ['style'],
      },
    });
  });

  it('plans by default: a form that only names a style writes nothing', async () => {
    const run = await ask({ rel_path: '.' }, { forms: [fills({ style: 'concise' })] });
    expect(told(run)).toMatchObject({ status: 'complete', mode: 'dry_run', style: 'concise', max_files: 10 });
    expect(textOf(run.result)).toContain('-  const sum = a + b;');
    await untouched();
  });

  it.each([
    [{ action: 'decline' }, 'declined'],
    [{ action: 'cancel' }, 'cancelled'],
    [{ action: 'decline', content: null }, 'declined'],
    [{ action: 'cancel', content: null }, 'cancelled'],
    [{ action: 'decline', content: { style: 'safe', dry_run: false } }, 'declined'],
  ] as const)('45 · touches nothing after %j, asks once, and is no error', async (answer, status) => {
    const run = await ask({ rel_path: 'src' }, { forms: [answer] });
    expect(told(run)).toMatchObject({ status, complete: false, files: [] });
    expect(askedFor(run, 'elicitation/create')).toHaveLength(1);
    expect(askedFor(run, 'sampling/createMessage')).toEqual([]);
    await untouched();
  });

  it.each([
    ['a wrong type', fills({ style: 'safe', dry_run: 'false' })],
    ['an unknown style', fills({ style: 'wild', dry_run: false })],
    ['too many files', fills({ style: 'safe', dry_run: false, max_files: 51 })],
    ['no file', fills({ style: 'safe', dry_run: false, max_files: 0 })],
    ['half a file', fills({ style: 'safe', dry_run: false, max_files: 1.5 })],
    ['no style', fills({ dry_run: false })],
    ['no content', fills()],
    ['content null', fills(null)],
    ['an extra key', fills({ style: 'safe', dry_run: false, sudo: true })],
  ])('46 · a form with %s is never used, but shown again', async (_what, wrong) => {
    const run = await ask({ rel_path: 'src' }, { forms: [wrong] });
    expect(told(run)).toMatchObject({ status: 'failed', files: [] });
    expect(askedFor(run, 'elicitation/create')).toHaveLength(3);
    expect(askedFor(run, 'elicitation/create')[1]?.params?.message).toContain('Please correct');
    await untouched();
    const mended = await ask({ rel_path: 'src' }, { forms: [wrong, WRITES] });
    expect(told(mended)).toMatchObject({ status: 'complete', mode: 'write' });
  });

  it.each([
    ['elicitation {}', { ...WILLING, elicitation: {} }, 1],
    ['forms', { ...WILLING, elicitation: { form: {} } }, 1],
    ['URLs only', { ...WILLING, elicitation: { url: {} } }, 0],
    ['no elicitation', { sampling: {}, roots: {} }, 0],
  ])('47 · a client with %s', async (_what, capabilities, forms) => {
    const run = await ask({ rel_path: 'src' }, { capabilities });
    expect(askedFor(run, 'elicitation/create')).toHaveLength(forms);
    expect(told(run).mode).toBe(forms === 1 ? 'write' : 'dry_run');
    if (forms === 1) return;
    expect(textOf(run.result)).toContain('does not offer elicitation');
    await untouched();
  });

  it('sends nothing to a client without sampling, and gives it the prompt and the files', async () => {
    const run = await ask({ rel_path: 'src' }, { capabilities: { elicitation: {}, roots: {} } });
    expect(told(run)).toMatchObject({ status: 'unavailable', prepared: [{ path: 'x.js' }, { path: 'y.js' }] });
    expect(run.asked.map(({ method }) => method)).toEqual(['roots/list']);
    await untouched();
  });

  it('shows no secret to the model or in the report, and leaves it where it was', async () => {
    const secret = `gh${'p_'}${'a1B2c3D4'.repeat(5).slice(0, 36)}`;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const holds = (text: string, value: string) => text.replace('a + b', `a + b + '${value}'`);
    await writeFile(at('a/src/x.js'), holds(OLD, secret));
    await writeFile(at('a/src/y.js'), `const key = \`${pem}\`;\n`);
    const model = () => holds(NEW, '[REDACTED:github_token:0000]');
    const strange = await ask({ rel_path: 'src' }, { model });
    expect(told(strange).files).toMatchObject([{ path: 'x.js', status: 'refused' }]);
    const [asked] = askedFor(strange, 'sampling/createMessage');
    const placeholder =
      /\[REDACTED:[a-z0-9_]+:[0-9a-f]{4}\]/.exec(JSON.stringify(asked).split('<<<FILE').at(-1) ?? '')?.[0] ?? '';
    const run = await ask({ rel_path: 'src' }, { model: () => holds(NEW, placeholder) });
    expect(told(run)).toMatchObject({ status: 'complete', files: [{ path: 'x.js', status: 'written' }] });
    expect(told(run).skipped).toContainEqual({ path: 'y.js', reason: expect.stringContaining('private key') });
    expect(await content('a/src/x.js')).toBe(holds(NEW, secret));
    for (const all of [strange, run]) expect(JSON.stringify(all)).not.toContain(secret);
  });

  it.each([
    ['..', 'path_not_allowed'],
    ['../b', 'path_not_allowed'],
    ['../ab', 'path_not_allowed'],
    ['src/../../b', 'path_not_allowed'],
    ['ab', 'path_not_found'],
    ['out', 'path_not_allowed'],
    ['out/newfile', 'path_not_allowed'],
    ['out/../../b', 'path_not_allowed'],
    ['%2e%2e/b', 'path_not_found'],
    ['..%2fb', 'path_not_found'],
    ['src/x.js', 'path_not_a_folder'],
    ['src/nothing', 'path_not_found'],
    ['/etc', 'path_not_allowed'],
    ['https://example.org/src', 'invalid_arguments'],
    ['src\0', 'invalid_arguments'],
  ])('50 · refuses %s before the user or the model hears of it', async (rel_path, code) => {
    const run = await ask({ rel_path });
    expect(codeOf(run.result)).toEqual([true, code]);
    expect(run.asked.filter(({ method }) => method !== 'roots/list')).toEqual([]);
    await untouched();
  });

  it.each(['', '/a/../b', '/%2e%2e/b', '/ab', '/a/%2e%2e/%2e%2e/etc'])(
    '50 · file URIs lead out no more: %s',
    async (way) => {
      const run = await ask({ rel_path: `${pathToFileURL(top).href}${way}` });
      expect(codeOf(run.result)).toEqual([true, 'path_not_allowed']);
      await untouched();
    },
  );

  it('50 · takes a folder by its link and by its whole path where both lie inside', async () => {
    for (const rel_path of ['in', at('a/src'), pathToFileURL(at('a/src')).href, 'inner/../src']) {
      const run = await ask({ rel_path }, { forms: [fills({ style: 'safe' })] });
      expect([rel_path, told(run).folder]).toEqual([rel_path, at('a/src')]);
    }
  });

  it.each([
    ['an empty list', { roots: [] }],
    ['no local folder', { roots: [{ uri: 'https://example.org/a' }, { uri: 'file://a' }] }],
  ])('50 · refuses all while the roots are %s, also what the operator allows', async (_what, roots) => {
    await mkdir(join(site.root, 'own'), { recursive: true });
    await writeFile(join(site.root, 'own', 'x.js'), OLD);
    for (const rel_path of ['.', 'own', join(site.root, 'own'), at('a')]) {
      const run = await ask({ rel_path }, { roots });
      expect(codeOf(run.result)).toEqual([true, 'path_not_allowed']);
      expect(textOf(run.result)).toContain('roots of your client');
    }
    expect(await readFile(join(site.root, 'own', 'x.js'), 'utf8')).toBe(OLD);
    await untouched();
  });

  it('50 · a client without roots is bounded by the folders of the server, and told so', async () => {
    const folder = await mkdtemp(join(site.root, 'plain-'));
    await writeFile(join(folder, 'x.js'), OLD);
    const capabilities = { sampling: {}, elicitation: {} };
    const run = await ask({ rel_path: folder.slice(site.root.length + 1) }, { capabilities });
    expect(told(run)).toMatchObject({ status: 'complete', bounded_by: 'allowed_folders', folder });
    expect(textOf(run.result)).toContain('offers no roots');
    expect(await readFile(join(folder, 'x.js'), 'utf8')).toBe(NEW);
    expect(codeOf((await ask({ rel_path: at('a') }, { capabilities })).result)).toEqual([true, 'path_not_allowed']);
  });
});

describe('a session of 2025-11-25', () => {
  it('50 · that answers the question for its roots with an error works nowhere', async () => {
    const run = await refactor25(await init(server, WILLING), { rel_path: 'src' }, { ...defaults(), roots: REFUSES });
    expect(codeOf(run.result)).toEqual([true, 'path_not_allowed']);
    expect(textOf(run.result)).toContain('-32603');
    await untouched();
  });

  it('50 · is asked again after its roots changed, and held to the new ones', async () => {
    const session = await init(server, { ...WILLING, roots: { listChanged: true } });
    const script = { ...defaults(), forms: [fills({ style: 'safe' })] };
    const first = await refactor25(session, { rel_path: at('a/src') }, script);
    await session.notify('notifications/roots/list_changed');
    const later = { ...script, roots: rootsOf(at('ab')) };
    const second = await refactor25(session, { rel_path: at('a/src') }, later);
    const third = await refactor25(session, { rel_path: '.' }, later);
    expect([first, second, third].map((run) => askedFor(run, 'roots/list').length)).toEqual([1, 1, 0]);
    expect(codeOf(second.result)).toEqual([true, 'path_not_allowed']);
    expect([told(first).folder, told(third).folder]).toEqual([at('a/src'), at('ab')]);
  });

  it('is refused a folder while another job has it, one in it or one around it, and told which', async () => {
    const session = await init(server, WILLING);
    const first = await session.call('first', 'refactor_directory', { rel_path: 'src' });
    await session.answer((await first.message(isQuestion)).id, rootsOf(at('a')));
    const form = await first.message((one) => one.method === 'elicitation/create');
    await session.answer(form.id, WRITES);
    await first.message((one) => one.method === 'sampling/createMessage');
    const { structuredContent } = await session.result('list', 'list_jobs', { tool: 'refactor_directory', limit: 1 });
    const jobId = Object([structuredContent?.jobs].flat()[0]).job_id;
    for (const rel_path of ['src', '.']) {
      const run = await refactor25(await init(server, WILLING), { rel_path }, defaults());
      expect(codeOf(run.result)).toEqual([true, 'folder_taken']);
      expect(textOf(run.result)).toContain(`by job ${jobId}`);
      expect(askedFor(run, 'sampling/createMessage')).toEqual([]);
    }
    const beside = await refactor25(await init(server, WILLING), { rel_path: 'inner' }, defaults());
    expect(told(beside).status).toBe('complete');
    await session.notify('notifications/cancelled', { requestId: 'first' });
    // A notification is accepted before it is heeded.
    const job = async () => (await session.result('look', 'get_job', { job_id: jobId })).structuredContent;
    await until(job, (told) => told?.state === 'cancelled', { what: 'the first job to be cancelled' });
    const after = await refactor25(await init(server, WILLING), { rel_path: 'src' }, defaults());
    expect(told(after).status).toBe('complete');
  });

  it('hears of the files that the budget of tokens left out, beside those that were written', async () => {
    const other = await openSite();
    onTestFinished(() => other.close());
    const poor = await other.http({ env: { LONGHAUL_JOB_OUTPUT_TOKENS: '350' } });
    const run = await refactor25(await init(poor, WILLING), { rel_path: 'src' }, defaults());
    const files = told(run).files as { status: string; reason?: string }[];
    expect(files.map(({ status }) => status).sort()).toEqual(['unanswered', 'written']);
    expect(files.find(({ status }) => status === 'unanswered')?.reason).toMatch(/budget|tokens/);
    expect(told(run).status).toBe('partial');
    expect(askedFor(run, 'sampling/createMessage')).toHaveLength(1);
  });

  it('hears of every file whose answer cannot be written, beside those that were', async () => {
    const answers: Record<string, string | object> = {
      'x.js': 'function add(a, b) {\n  // ... rest unchanged\n}\n',
      'y.js': NEW,
    };
    const run = await refactor25(
      await init(server, WILLING),
      { rel_path: 'src' },
      {
        ...defaults(),
        model: (path) => answers[path] ?? '',
      },
    );
    expect(told(run)).toMatchObject({
      status: 'partial',
      files: [
        { path: 'x.js', status: 'refused', reason: expect.stringContaining('rest unchanged') },
        { path: 'y.js', status: 'written' },
      ],
    });
    expect(await Promise.all(['a/src/x.js', 'a/src/y.js'].map(content))).toEqual([OLD, NEW]);
  });
});
