/** What `smart_review` makes of code, files, folders and diffs, at each depth; the model is the test's. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { newJobId } from '../../src/core/ids.js';
import { parseArguments } from '../../src/core/tool.js';
import { createRedactor } from '../../src/secrets/redactor.js';
import { smartReview } from '../../src/tools/smart-review.js';
import { createSyntax } from '../../workers/analysis/syntax/syntax.js';
import { createSmartReview } from '../../workers/handlers/smart-review.js';
import { modelSays, scriptContext } from '../support/scripted-context.js';

const redactor = createRedactor({ secret: async () => 'of this test' });
const syntax = createSyntax();
afterAll(() => Promise.all([redactor.close(), syntax.close()]));

const CODE = 'const key = input;\neval(key);\n';
const FINDING = {
  line: 2,
  quote: 'eval(key);',
  severity: 'high',
  category: 'security',
  title: 'eval of input',
  message: 'Runs whatever the caller sends.',
};
const LOW = { ...FINDING, quote: 'const key = input;', severity: 'low', category: 'readability', title: 'alias' };
const found = (...findings: unknown[]) => modelSays({ findings });
const fixes = (...given: unknown[]) => modelSays({ fixes: given });
const FIX = { finding_id: 'F1', find: 'eval(key);', replace: 'JSON.parse(key);' };
const TEN = { security: 10, correctness: 10, performance: 10, readability: 10 };
const scored = (scores: object = TEN, drop: object[] = []) => modelSays({ scores, summary: 'All in all fine.', drop });
const CODE_ARGS = { code: CODE, language: 'js' };

type Replies = Parameters<typeof scriptContext>[0];

async function review(args: object, replies: Replies, { root = '/', jobId = newJobId() as string } = {}) {
  const { context, requests, handedOver } = scriptContext(replies, jobId);
  const journal = new Map<string, unknown>();
  const step: typeof context.step = async (key, fn) => {
    const value = JSON.parse(JSON.stringify(await fn()));
    journal.set(key, value);
    return value;
  };
  const input = smartReview.input.parse(args);
  const seen: number[] = [];
  const told = {
    ...context,
    allowedFolders: [root],
    step,
    progress: ({ progress }: { progress: number }) => void seen.push(progress),
  };
  const result = smartReview.output.parse(await createSmartReview({ syntax, redactor })(input, told));
  return { result, requests, handedOver, journal, seen, text: smartReview.render(result, input) };
}

/** Writes files into a folder of the test's own and gives its real path. */
async function folder(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-review-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

describe('a review of code', () => {
  it('that is quick finds', async () => {
    const { result, requests } = await review({ ...CODE_ARGS, depth: 'quick' }, { 'find:1': found(FINDING) });
    expect([...requests.keys()]).toEqual(['find:1']);
    expect(result).toMatchObject({ status: 'complete', depth: 'quick', findings: [{ id: 'F1', line: 2 }] });
    expect(result).not.toHaveProperty('scores');
  });

  it('of standard depth finds, fixes and scores in two rounds', async () => {
    const replies = { 'find:1': found(FINDING), 'fix:1': fixes(FIX), score: scored() };
    const { result, requests, text } = await review(CODE_ARGS, replies);
    expect([...requests.keys()]).toEqual(['find:1', 'fix:1', 'score']);
    expect(result).toMatchObject({
      status: 'complete',
      findings: [{ fix: { find: 'eval(key);', replace: 'JSON.parse(key);' } }],
      scores: { ...TEN, security: 4, overall: 5 },
      verdict: 'All in all fine.',
      notes: ['The score of security was lowered from 10 to 4 by a finding.'],
    });
    expect(text).toContain('security 4');
  });

  it('that is deep finds, looks again, fixes, verifies and scores; a finding that is dropped takes its fix along', async () => {
    const other = { ...FINDING, title: 'input is not checked', quote: 'const key = input;', severity: 'critical' };
    const { result, requests, seen } = await review(
      { ...CODE_ARGS, depth: 'deep' },
      {
        'find:1': found(FINDING),
        'deepen:1': found(other, LOW),
        'fix:1': fixes({ ...FIX, finding_id: 'F2' }),
        'verify:1': scored({}, [{ finding_id: 'F1', reason: 'the caller checks it' }]),
        score: scored(),
      },
    );
    expect([...requests.keys()]).toEqual(['find:1', 'deepen:1', 'fix:1', 'verify:1', 'score']);
    expect(result).toMatchObject({
      status: 'complete',
      findings: [
        { id: 'F2', title: 'eval of input', fix: {} },
        { id: 'F3', title: 'alias' },
      ],
      left_out: [{ title: 'input is not checked', reason: 'dropped by the model: the caller checks it' }],
      scores: { security: 4, readability: 9, overall: 5 },
    });
    expect(requests.get('deepen:1')?.messages[0]?.text).toContain('"title": "eval of input"');
    expect(requests.get('score')?.messages[0]?.text).not.toContain('the caller checks it');
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(100);
  });

  it('does not offer a fix after which the file parses worse, by a parser', async () => {
    const worse = { ...FIX, replace: 'JSON.parse(key' };
    const { result } = await review(CODE_ARGS, { 'find:1': found(FINDING), 'fix:1': fixes(worse), score: scored() });
    expect(result.findings).toMatchObject([{ no_fix: 'the file would parse worse' }]);
  });

  it('offers of two fixes of the same code only the first, and says of which', async () => {
    const both = { ...FIX, finding_id: 'F2', find: 'key = input;\neval', replace: 'key = check(input);\nrun' };
    const { result } = await review(CODE_ARGS, {
      'find:1': found(FINDING, LOW),
      'fix:1': fixes(FIX, both),
      score: scored(),
    });
    expect(result.findings).toMatchObject([
      { id: 'F1', fix: { find: FIX.find } },
      { id: 'F2', no_fix: 'it changes the same code as the fix of F1' },
    ]);
    expect(result.findings[1]).not.toHaveProperty('fix');
  });

  it('offers a fix in the line ends of its file', async () => {
    const root = await folder({ 'win.js': CODE.replaceAll('\n', '\r\n') });
    const several = { ...FIX, find: `${CODE.trim()}`, replace: 'const key = input;\nJSON.parse(key);' };
    const replies = { 'find:1': found(FINDING), 'fix:1': fixes(several), score: scored() };
    const { result } = await review({ path: 'win.js' }, replies, { root });
    expect(result.findings).toMatchObject([
      { fix: { find: 'const key = input;\r\neval(key);', replace: 'const key = input;\r\nJSON.parse(key);' } },
    ]);
  });

  it('is scored null, and told as partial, when no scores can be read', async () => {
    const no = modelSays('no idea');
    const replies = { 'find:1': found(), score: no, 'score:repair1': no, 'score:repair2': no };
    const { result, text } = await review(CODE_ARGS, replies);
    expect(result).toMatchObject({ status: 'partial', scores: { security: null, overall: null } });
    expect(result.notes.join()).toContain('There are no scores.');
    expect(text).not.toMatch(/no issues/i);
  });

  it('takes at most nine rounds, however often the answers are at fault', async () => {
    const { context } = scriptContext({});
    const asked: string[] = [];
    const bad = modelSays({ findings: [FINDING, {}], fixes: [{}], drop: [{}] });
    const sample = async (key: string) => {
      asked.push(key);
      return bad;
    };
    const input = smartReview.input.parse({ ...CODE_ARGS, depth: 'deep' });
    await createSmartReview({ syntax, redactor })(input, { ...context, sample });
    const rounds = asked.filter((key) => !key.startsWith('verify'));
    expect(rounds.length).toBeLessThanOrEqual(9);
    expect(asked).toContain('score');
  });
});

describe('a review of files', () => {
  it('of a folder asks about all of them, and reports each one, reviewed or skipped with its reason', async () => {
    const root = await folder({
      'src/a.js': CODE,
      'src/b.py': 'def f(x):\n    return eval(x)\n',
      'node_modules/x/index.js': 'x()',
      'package-lock.json': '{}',
      'logo.png': Buffer.from([0, 1, 2]),
      'README.md': '# Read me',
      '.gitignore': 'ignored.js',
      'ignored.js': 'x()',
      'empty.js': ' \n',
      'long.py': 'x'.repeat(30_000),
      id_rsa: 'anything',
    });
    await symlink('/etc/passwd', join(root, 'link.js'));
    const replies = { 'find:1': found({ ...FINDING, file: 'src/a.js' }), 'fix:1': fixes(), score: scored() };
    const { result, requests } = await review({ path: root }, replies, { root });
    const reasons = Object.fromEntries(result.files.map(({ path, status, reason }) => [path, reason ?? status]));
    expect(reasons).toMatchObject({
      'src/a.js': 'reviewed',
      'src/b.py': 'reviewed',
      'node_modules/x/index.js': 'vendored',
      'package-lock.json': 'generated',
      'logo.png': expect.stringMatching(/binary|no source/),
      'README.md': 'no source code',
      'empty.js': expect.stringMatching(/empty/),
      '.gitignore': 'no source code',
      'long.py': 'a line is too long to be read',
      'link.js': 'symlink',
    });
    expect(reasons).not.toHaveProperty('ignored.js');
    expect(result.findings).toMatchObject([{ file: 'src/a.js', line: 2 }]);
    const prompt = requests.get('find:1')?.messages[0]?.text ?? '';
    expect(prompt).toContain('FILE "src/a.js" (JavaScript)\n1 | const key = input;');
    expect(prompt).toContain('FILE "src/b.py" (Python)\n1 | def f(x):');
  });

  it('takes secrets out of what is asked, journaled and told, and blocks files that hold keys', async () => {
    const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'}`;
    const key = [
      '-----BEGIN ',
      'PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END ',
      'PRIVATE KEY-----',
    ].join('');
    const root = await folder({
      'a.js': `const token = '${token}';\neval(key);\n`,
      'b.js': `const pem = \`${key}\`;\n`,
      '.env': 'A=1',
    });
    const leaked = { ...FINDING, title: 'a token in the code', line: 1, quote: 'const token =', severity: 'critical' };
    const replies = { 'find:1': found(leaked), 'fix:1': fixes(), score: scored() };
    const { result, requests, journal } = await review({ paths: ['a.js', 'b.js', '.env'] }, replies, { root });
    expect(JSON.stringify([result, [...requests], [...journal]])).not.toContain(token);
    expect(JSON.stringify([result, [...requests], [...journal]])).not.toContain('MIIEvQ');
    expect(result.findings).toMatchObject([
      { file: 'a.js', line: 1, quote: expect.stringMatching(/^const token = '\[REDACTED:/) },
    ]);
    expect(result).toMatchObject({
      status: 'partial',
      files: [
        { path: '.env', status: 'skipped', reason: 'is an environment file' },
        { path: 'a.js', status: 'reviewed' },
        { path: 'b.js', status: 'skipped', reason: 'holds a private key' },
      ],
    });
  });

  it('of a file that was changed meanwhile is of the file as it was', async () => {
    const root = await folder({ 'a.js': CODE });
    const { journal } = await review({ path: 'a.js', depth: 'quick' }, { 'find:1': found() }, { root });
    expect(journal.get('files')).toEqual({
      files: [{ path: 'a.js', language: 'JavaScript', text: CODE }],
      skipped: [],
      notNamed: [],
    });
  });

  it('of 20 files asks about them in a few questions at once, and names the file of each finding', async () => {
    const body = `${'work();\n'.repeat(400)}eval(key);\n`;
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`f${String(index).padStart(2, '0')}.js`, `// file ${index}\n${body}`]),
    );
    const root = await folder(files);
    const replies = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `find:${index + 1}`,
        found({ ...FINDING, file: `f${String(3 * index).padStart(2, '0')}.js` }),
      ]),
    );
    const { result, requests } = await review({ path: root, depth: 'quick' }, replies, { root });
    expect(requests.size).toBeLessThan(11);
    expect(result.files).toHaveLength(20);
    expect(result.findings.map(({ line }) => line)).toEqual(Array(requests.size).fill(402));
    expect(result.status).toBe('complete');
  });

  it('of a large tree names the first files that are left out, and counts the rest', async () => {
    const root = await folder(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`d${index}.json`, '{}'])));
    const { result, journal, text } = await review({ path: root }, {}, { root });
    expect(result.files).toHaveLength(250);
    expect(result.files_not_named).toEqual([{ reason: 'no source code', files: 50 }]);
    expect(JSON.stringify(journal.get('files')).length).toBeLessThan(30_000);
    expect(text).toContain('and 50 more skipped: no source code');
  });

  it('of more code than one review takes reviews the first of it, and names the rest', async () => {
    const body = 'const x = 1;\n'.repeat(30_000);
    const root = await folder({ 'a.js': body, 'b.js': body, 'c.js': body, 'z.js': 'last();' });
    const replies = Object.fromEntries(Array.from({ length: 48 }, (_, index) => [`find:${index + 1}`, found()]));
    const { result } = await review({ path: root, depth: 'quick' }, replies, { root });
    expect(result.files.map(({ path, status }) => [path, status])).toEqual([
      ['a.js', 'reviewed'],
      ['b.js', 'partial'],
      ['c.js', 'skipped'],
      ['z.js', 'skipped'],
    ]);
    expect(result).toMatchObject({ status: 'partial', summary: expect.stringContaining('INCOMPLETE') });
  });

  it('of nothing that can be reviewed asks nothing, and says so', async () => {
    const root = await folder({ 'README.md': '# Read me' });
    const { result, text } = await review({ path: root }, {}, { root });
    expect(result).toMatchObject({ status: 'partial', sampling: 'not_asked', complete: false, findings: [] });
    expect(text).toContain('There was nothing that could be reviewed.');
  });

  it.each([
    ['/etc', 'path_not_allowed'],
    ['../elsewhere', 'path_not_allowed'],
    ['missing.js', 'path_not_found'],
  ])('of %s fails: %s', async (path, code) => {
    const root = await folder({ 'a.js': CODE });
    await expect(review({ path }, {}, { root })).rejects.toMatchObject({ code });
  });
});

describe('a review of a diff', () => {
  const DIFF = [
    'diff --git a/src/a.js b/src/a.js',
    'index 1..2 100644',
    '--- a/src/a.js',
    '+++ b/src/a.js',
    '@@ -10,3 +10,4 @@ function f() {',
    ' old();',
    '-gone();',
    '+eval(key);',
    '+-- not a head',
    ' last();',
    'diff --git a/secret/.env b/secret/.env',
    '--- a/secret/.env',
    '+++ b/secret/.env',
    '@@ -0,0 +1 @@',
    '+A=1',
    'diff --git a/gone.js b/gone.js',
    '--- a/gone.js',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
    '-x();',
    '',
  ].join('\n');

  it('is of its added lines, by the numbers of the new file, and asks for no fixes', async () => {
    const old = { ...FINDING, title: 'old', quote: 'old();' };
    const replies = { 'find:1': found({ ...FINDING, line: 1 }, old), score: scored() };
    const { result, requests } = await review({ diff: DIFF }, replies);
    expect([...requests.keys()]).toEqual(['find:1', 'score']);
    const prompt = requests.get('find:1')?.messages[0]?.text ?? '';
    expect(prompt).toContain(
      'FILE "src/a.js" (JavaScript)\n10 | old();\n11 + eval(key);\n12 + -- not a head\n13 | last();',
    );
    expect(prompt).toContain('report faults of new lines only');
    expect(result).toMatchObject({
      status: 'partial',
      findings: [{ file: 'src/a.js', line: 11 }],
      left_out: [{ title: 'old', reason: 'the quote is not on an added line' }],
      files: [
        { path: 'gone.js', status: 'skipped', reason: 'deleted' },
        { path: 'secret/.env', status: 'skipped', reason: 'is an environment file' },
        { path: 'src/a.js', status: 'reviewed' },
      ],
    });
    expect(result.notes.join()).toContain('Fixes are not asked for');
  });
});

describe('the arguments', () => {
  const parse = (args: object) => () => parseArguments(smartReview, args);
  it.each([
    [{}, 'give exactly one of code, path, paths, diff'],
    [{ code: 'x', language: 'C', path: 'a' }, 'give exactly one of'],
    [{ path: 'a', paths: ['b'] }, 'give exactly one of'],
    [{ code: 'x' }, 'language: is needed with code'],
    [{ paths: [] }, 'paths'],
    [{ diff: 'no diff' }, 'holds no hunk of a unified diff'],
    [{ path: 'a', depth: 'deeper' }, 'depth'],
    [{ path: 'a', focus: 'all' }, 'unknown argument "focus"'],
  ])('%j are refused: %s', (args, fault) => {
    expect(parse(args)).toThrow(fault);
  });

  it('ask for standard depth unless told', () => {
    expect(parse({ path: 'a' })()).toMatchObject({ depth: 'standard' });
  });
});
