/** A folder that holds secrets of every kind, under every tool that works in folders with a model: none leaves, none is kept. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeSecret, fakeSecrets } from '../secrets/fake-secrets.js';
import { init, jobIdOf, textOf } from '../support/http-wire.js';
import { heldBy, keptIn } from '../support/kept-secrets.js';
import { drive25, drive26, type ModelRun } from '../support/model-wire.js';
import { MODELS, type Model, says } from '../support/scripted-model.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const OLD = 'export function add(a, b) {\n  const sum = a + b;\n  return sum;\n}\n';
const NEW = 'export function add(a, b) {\n  return a + b;\n}\n';

/** Secrets of one test's own, so that what one test leaves somewhere is not held against another. */
let secrets: readonly FakeSecret[];
/** One file for each secret, in which it stands in a comment. */
let files: readonly (readonly [name: string, text: string])[];
let others: readonly (readonly [name: string, text: string])[];

function drawSecrets(salt: string): void {
  secrets = fakeSecrets(salt);
  files = secrets.map(({ text }, index) => [`f${index}.js`, `${OLD}/*\n${text}\n*/\n`] as const);
  others = [
    ['.env', secrets.map(({ values }, index) => `KEY_${index}=${values[0]}`).join('\n')],
    ['id_rsa', secrets.find(({ name }) => name === 'OpenSSH')?.text ?? ''],
    ['all.py', `def add(a, b):\n    return a + b\n\n"""\n${secrets.map(({ text }) => text).join('\n\n')}\n"""\n`],
  ];
}

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  const env = {
    LONGHAUL_LOG_LEVEL: 'trace',
    LONGHAUL_SESSION_OUTPUT_TOKENS: '10000000',
    LONGHAUL_JOB_OUTPUT_TOKENS: '10000000',
  };
  server = await site.http({ env });
});
afterAll(() => site.close());

let folder: string;
let folders = 0;
beforeEach(async () => {
  folders += 1;
  drawSecrets(`of folder ${folders}`);
  folder = `secrets-${folders}`;
  await mkdir(join(site.root, folder));
  for (const [name, text] of [...files, ...others]) await writeFile(join(site.root, folder, name), text);
});

/** The findings echo secrets that the model can know only from elsewhere; the rewrites keep what they were shown. */
const echoing: Model = (question) => {
  const { form, words } = question;
  if (form === 'content') {
    const [, , shown = ''] = /<<<FILE ([0-9a-f]{32})\n([\s\S]*)\nFILE \1>>>/.exec(words) ?? [];
    return says(JSON.stringify({ content: shown.replace(OLD, NEW), summary: `It held ${secrets[3]?.text}` }));
  }
  if (form !== 'findings') return MODELS.clean(question);
  const told = secrets.map(({ text }) => ({
    ...{ file: 'f0.js', line: 2, quote: '  const sum = a + b;', severity: 'high', category: 'security' },
    ...{ title: `Holds ${text}`.slice(0, 150), message: `It holds ${text}` },
  }));
  return says(JSON.stringify({ findings: told }));
};

/** Where any of the secrets is left. */
async function leftIn({ asked, result }: ModelRun) {
  return {
    requests: heldBy(JSON.stringify(asked.map(({ params, words }) => [params, words])), secrets),
    result: heldBy(JSON.stringify(result) + textOf(result), secrets),
    kept: heldBy(await keptIn(site.dataDir), secrets),
    logs: heldBy(server.stderr(), secrets),
  };
}
const NOWHERE = { requests: [], result: [], kept: [], logs: [] };

it('the folder holds at least 30 kinds, and the check finds each', () => {
  expect(secrets.length).toBeGreaterThanOrEqual(30);
  expect(heldBy(JSON.stringify(files), secrets)).toHaveLength(secrets.length);
});

describe.each([
  ['a session', drive25],
  ['round trips', drive26],
] as const)('in %s', (_era, drive) => {
  it.each([
    ['a path', () => ({ path: folder })],
    ['paths', () => ({ paths: [...files, ...others].map(([name]) => join(folder, name)) })],
    [
      'a diff',
      () => ({
        diff: [...files, ...others]
          .map(([name, text]) => {
            const lines = text.replace(/\n$/, '').split('\n');
            const body = lines.map((line) => `+${line}`).join('\n');
            return `diff --git a/${name} b/${name}\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1,${lines.length} @@\n${body}\n`;
          })
          .join(''),
      }),
    ],
    ['code', () => ({ code: files.map(([, text]) => text).join('\n'), language: 'JavaScript' })],
  ])(
    'smart_review of %s',
    async (_what, args) => {
      const call = { tool: 'smart_review', args: { ...args(), depth: 'deep' }, model: echoing };
      const run = await drive(server)(call);
      expect(run.result.isError, textOf(run.result)).toBeFalsy();
      expect(run.asked.length).toBeGreaterThan(1);
      expect(JSON.stringify(run.asked)).toMatch(/\[REDACTED:github_token:[0-9a-f]{4}\]/);
      expect(JSON.stringify(run.result)).toMatch(/\[REDACTED:/);
      expect(await leftIn(run)).toEqual(NOWHERE);
    },
    60_000,
  );

  it('analyze_repo', async () => {
    const run = await drive(server)({ tool: 'analyze_repo', args: { repoPath: folder }, model: echoing });
    expect(run.asked.length).toBeGreaterThan(0);
    expect(await leftIn(run)).toEqual(NOWHERE);
  }, 60_000);

  it.each([true, false])(
    'refactor_directory with dry_run %s, which leaves each secret in its file',
    async (dry_run) => {
      const form = { action: 'accept', content: { style: 'safe', dry_run, max_files: 50 } };
      const call = { tool: 'refactor_directory', args: { rel_path: folder }, model: echoing, form };
      const run = await drive(server)(call);
      const told = run.result.structuredContent?.files as { path: string; status: string }[];
      const done = told.filter(({ status }) => status === (dry_run ? 'planned' : 'written')).map(({ path }) => path);
      expect(done.length).toBeGreaterThan(20);
      for (const [name, text] of files) {
        const now = await readFile(join(site.root, folder, name), 'utf8');
        expect([name, now]).toEqual([name, !dry_run && done.includes(name) ? text.replace(OLD, NEW) : text]);
      }
      expect(await leftIn(run)).toEqual(NOWHERE);
    },
    60_000,
  );
});

it('a packet holds none, and neither does what is submitted with them in every field', async () => {
  const session = await init(server);
  const packet = await session.result('p', 'smart_review', { path: folder });
  expect(packet.structuredContent).toMatchObject({ status: 'unavailable', packet: { chunks: {} } });
  const text = secrets.map((secret) => secret.text).join('\n');
  const findings = secrets.map((secret) => ({
    ...{ file: secret.text, line: 2, quote: '  const sum = a + b;', severity: 'low', category: 'security' },
    ...{ title: secret.text, message: secret.text, [secret.text]: secret.text },
  }));
  const submission = { job_id: jobIdOf(packet), findings, summary: text, scores: { security: text } };
  const done = await session.result('s', 'submit_review', submission);
  expect(done.isError, textOf(done)).toBeFalsy();
  const job = await session.result('j', 'get_job', { job_id: jobIdOf(packet) });
  for (const result of [packet, done, job])
    expect(await leftIn({ asked: [], result, unaccepted: [] })).toEqual(NOWHERE);
});
