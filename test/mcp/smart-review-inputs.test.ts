/** What `smart_review` is given that is too large, odd or wrong: a clear end each time, and nothing started or asked in vain. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { init, textOf, type WireResult } from '../support/http-wire.js';
import { drive25, expectHealthy, type ModelRun } from '../support/model-wire.js';
import { isQuestion } from '../support/questions-wire.js';
import { CODE, FINDING, MODELS, says } from '../support/scripted-model.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

let site: Site;
let server: HttpServer;
/** Outside of all that is allowed. */
let outside: string;
beforeAll(async () => {
  site = await openSite();
  const env = { LONGHAUL_SESSION_OUTPUT_TOKENS: '10000000', LONGHAUL_JOB_OUTPUT_TOKENS: '10000000' };
  server = await site.http({ env });
  outside = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-outside-')));
  await writeFile(join(outside, 'secret.js'), CODE);
});
afterAll(async () => {
  await site.close();
  await rm(outside, { recursive: true, force: true });
});

const LARGE = 'x'.repeat(5_242_880);
let folders = 0;
/** Plants files in a folder of the test's own and gives its path, relative to the allowed one. */
async function plant(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  folders += 1;
  const name = `inputs-${folders}`;
  await mkdir(join(site.root, name));
  for (const [path, content] of Object.entries(files)) await writeFile(join(site.root, name, path), content);
  return name;
}

const nothing = () => says('{"findings": []}');
const review = (args: object, model = MODELS.clean) =>
  drive25(server)({ tool: 'smart_review', args: { depth: 'quick', ...args }, model });

/** How the one file that was asked for is told. */
async function expectSkipped(content: string | Buffer, reason: RegExp): Promise<void> {
  const folder = await plant({ 'odd.js': content });
  for (const args of [{ path: `${folder}/odd.js` }, { paths: [`${folder}/odd.js`] }, { path: folder }]) {
    const run = await review(args);
    expect(run.asked).toEqual([]);
    expect(run.result.structuredContent).toMatchObject({
      status: 'partial',
      complete: false,
      findings: [],
      files: [{ path: expect.stringMatching(/odd\.js$/), status: 'skipped', reason: expect.stringMatching(reason) }],
      notes: [expect.stringContaining('nothing that could be reviewed')],
    });
    expect(textOf(run.result)).not.toMatch(/no issues were found/);
  }
  await expectHealthy(server);
}

describe('a file that no model can be shown', () => {
  it('of 5 MB is skipped with the reason', () => expectSkipped(`${'const a = 1;\n'.repeat(410_000)}`, /too.large/));
  it('of one line of 5 MB is skipped with the reason', () =>
    expectSkipped(`const a = '${'x'.repeat(5_242_880)}';`, /too.large/));
  it('of one line of 100 kB is skipped with the reason', () =>
    expectSkipped(`const a = '${'x'.repeat(100_000)}';`, /line is too long|generated/));
  it('that is empty is skipped with the reason', () => expectSkipped('', /empty/));
  it('of blanks is skipped with the reason', () => expectSkipped(' \n\t\n', /empty/));
  it('that is binary is skipped with the reason', () =>
    expectSkipped(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 0, 0, 0, 255, 254]), /binary/));
});

describe('a file in an odd form', () => {
  it('that is not UTF-8 is reviewed, and its findings stand where they should', async () => {
    const folder = await plant({
      'latin.js': Buffer.concat([Buffer.from('// caf\xe9\n', 'latin1'), Buffer.from(CODE)]),
    });
    const { result } = await review({ path: `${folder}/latin.js` });
    expect(result.structuredContent).toMatchObject({
      status: 'complete',
      findings: [
        { file: `${folder}/latin.js`, quote: FINDING.quote, line: CODE.split('\n').indexOf(FINDING.quote) + 2 },
      ],
    });
  });

  it('with a byte order mark and CRLF is reviewed by its own lines', async () => {
    const folder = await plant({ 'dos.js': `\uFEFF${CODE.replaceAll('\n', '\r\n')}` });
    const { result } = await review({ path: `${folder}/dos.js`, depth: 'standard' });
    expect(result.structuredContent).toMatchObject({
      status: 'complete',
      findings: [{ line: CODE.split('\n').indexOf(FINDING.quote) + 1, fix: {} }],
    });
  });
});

describe('a folder of 300 files', () => {
  it('is reviewed in chunks, each file told once', async () => {
    const files = Array.from({ length: 300 }, (_, index) => [`f${index}.js`, `export const v${index} = ${index};\n`]);
    const folder = await plant(Object.fromEntries(files));
    const { result, asked } = await review({ path: folder, depth: 'deep' }, (question) =>
      question.form === 'findings' ? nothing() : MODELS.clean(question),
    );
    const told = result.structuredContent?.files as { path: string; status: string }[];
    expect(new Set(told.map(({ path }) => path)).size).toBe(300);
    expect(told.filter(({ status }) => status !== 'reviewed')).toEqual([]);
    expect(result.structuredContent).toMatchObject({
      status: 'complete',
      findings: [],
      summary: 'no issues were found',
    });
    const shown = asked.map(({ words }) => words).join('\n');
    expect(new Set(shown.match(/export const v\d+ = /g)).size).toBe(300);
    expect(asked.length).toBeLessThan(20);
  });

  it('of more code than one review takes is told as partial, with the rest named or counted', async () => {
    const body = (index: number) => `${`export const value${index} = compute(${index});\n`.repeat(120)}`;
    const files = Array.from({ length: 300 }, (_, index) => [`g${index}.js`, body(index)]);
    const folder = await plant(Object.fromEntries(files));
    const { result } = await review({ path: folder }, nothing);
    const told = { ...result.structuredContent };
    expect(told).toMatchObject({ status: 'partial', complete: false, findings: [] });
    const named = told.files as { status: string; reason?: string }[];
    const rest = (told.files_not_named as { files: number }[]).reduce((sum, one) => sum + one.files, 0);
    expect(named.length + rest).toBe(300);
    expect(named.filter(({ status }) => status !== 'reviewed').every(({ reason }) => (reason ?? '') !== '')).toBe(true);
    expect(named.some(({ status }) => status !== 'reviewed') || rest > 0).toBe(true);
    await expectHealthy(server);
  }, 90_000);
});

describe('code of 2 MB', () => {
  it('is never told as without issues when a part of it was not reviewed', async () => {
    const code = 'const some = thing(1);\n'.repeat(90_000);
    const { result } = await review({ code, language: 'JavaScript' }, nothing);
    expect(result.structuredContent).toMatchObject({ status: 'partial', files: [{ path: 'code', status: 'partial' }] });
    expect(textOf(result)).not.toMatch(/no issues were found/);
  }, 90_000);

  it('with NUL and lone surrogates in it is reviewed like any other', async () => {
    const code = `${CODE}// \0 \ud800 \u2028\n`;
    const { result } = await review({ code, language: 'JavaScript', depth: 'deep' });
    expect(result.structuredContent).toMatchObject({ status: 'complete', findings: [{ quote: FINDING.quote }] });
  });
});

it('an answer above the limit of the body is refused with 413, and the question waits for one that is not', async () => {
  const session = await init(server, { sampling: {} });
  const call = await session.call('c', 'smart_review', { code: CODE, language: 'JavaScript', depth: 'quick' });
  const { id } = await call.message(isQuestion);
  const large = await session.answer(id, { role: 'assistant', model: 'm', content: { type: 'text', text: LARGE } });
  expect(large.status).toBe(413);
  await session.answer(id, { role: 'assistant', model: 'm', content: { type: 'text', text: '{"findings": []}' } });
  const { result } = await call.response('c');
  expect(result?.structuredContent).toMatchObject({ status: 'complete', summary: 'no issues were found' });
  expect(call.messages().filter(isQuestion)).toHaveLength(1);
});

const codeOf = (result: WireResult) => Object(result._meta?.['longhaul/error']).code;

describe('arguments that cannot be meant', () => {
  const DIFF = '--- a/x.js\n+++ b/x.js\n@@ -1 +1,2 @@\n a\n+b\n';
  it.each<[string, object, string, RegExp]>([
    ['no source', {}, 'invalid_arguments', /exactly one of code, path, paths, diff/],
    ['several sources', { code: 'x', language: 'js', diff: DIFF }, 'invalid_arguments', /exactly one of/],
    ['a path and paths', { path: '.', paths: ['.'] }, 'invalid_arguments', /exactly one of/],
    ['no path in paths', { paths: [] }, 'invalid_arguments', /paths/],
    ['an empty path', { path: '' }, 'invalid_arguments', /path/],
    ['paths as a text', { paths: 'a.js' }, 'invalid_arguments', /paths/],
    ['201 paths', { paths: Array(201).fill('a.js') }, 'invalid_arguments', /paths/],
    ['code without a language', { code: 'x' }, 'invalid_arguments', /language/],
    ['blank code', { code: ' \n', language: 'js' }, 'invalid_arguments', /blank/],
    ['a diff that is none', { diff: 'this is no diff' }, 'invalid_arguments', /no hunk of a unified diff/],
    ['a diff of heads only', { diff: '--- a/x\n+++ b/x\n' }, 'invalid_arguments', /no hunk/],
    ['an unknown depth', { path: '.', depth: 'deepest' }, 'invalid_arguments', /depth/],
    ['a path with NUL', { path: 'a\0b' }, 'invalid_arguments', /NUL/],
    ['a path that is not there', { path: 'nothing/here.js' }, 'path_not_found', /nothing\/here\.js/],
    ['one path of several that is not there', { paths: ['.', 'nothing.js'] }, 'path_not_found', /nothing\.js/],
    ['a path above the root', { path: '../' }, 'path_not_allowed', /allowed/],
    ['a path elsewhere', { paths: ['/etc/passwd'] }, 'path_not_allowed', /allowed/],
    ['a URL', { path: 'https://example.org/a.js' }, 'invalid_arguments', /file:/],
  ])('%s: is refused with a reason, and no job is made', async (_what, args, code, words) => {
    const session = await init(server, { sampling: {} });
    const count = async () =>
      (await session.result('l', 'list_jobs', { tool: 'smart_review', limit: 1 })).structuredContent?.total_count;
    const before = await count();
    const { result } = await review(args).then((run: ModelRun) => run);
    expect([result.isError, codeOf(result)]).toEqual([true, code]);
    expect(textOf(result)).toMatch(words);
    expect(await count()).toBe(before);
  });

  it.each(['a link to a file outside', 'a link to a folder outside'])('%s: is refused by its target', async (what) => {
    const folder = await plant({});
    const target = what.includes('file') ? join(outside, 'secret.js') : outside;
    await symlink(target, join(site.root, folder, 'link.js'));
    const named = await review({ path: `${folder}/link.js` });
    expect([named.result.isError, codeOf(named.result)]).toEqual([true, 'path_not_allowed']);
    const whole = await review({ path: folder });
    expect(whole.asked).toEqual([]);
    expect(whole.result.structuredContent).toMatchObject({ status: 'partial', findings: [] });
  });
});

describe('a diff', () => {
  it.each([
    ['cut within a hunk', '--- a/x.js\n+++ b/x.js\n@@ -1,3 +1,9 @@\n const a = 1;\n+  return eval(key);\n'],
    ['without heads of files', '@@ -1 +1,2 @@\n const a = 1;\n+  return eval(key);\n'],
    ['with CRLF', '--- a/x.js\r\n+++ b/x.js\r\n@@ -1 +1,2 @@\r\n const a = 1;\r\n+  return eval(key);\r\n'],
  ])('%s is reviewed as far as it goes', async (_what, diff) => {
    const { result } = await review({ diff });
    expect(result.structuredContent).toMatchObject({ status: 'complete', findings: [{ line: 2 }] });
  });

  it('that only takes away has nothing to review, and says so', async () => {
    const { result, asked } = await review({ diff: '--- a/x.js\n+++ b/x.js\n@@ -1,2 +1 @@\n a\n-b\n' });
    expect(asked).toEqual([]);
    expect(result.structuredContent).toMatchObject({ files: [{ path: 'x.js', reason: 'no added lines' }] });
    expect(textOf(result)).not.toMatch(/no issues were found/);
  });
});
