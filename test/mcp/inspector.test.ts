/** The Inspector's command line as a client, since it is what people try a server with first. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textOf, type WireResult } from '../support/http-wire.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const PROGRAM = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector-cli/package.json')),
  'build',
  'cli.js',
);
/** The program finds its own version only if the parent of its working directory has a package.json. */
const WORKING_DIR = fileURLToPath(new URL('..', import.meta.url));
const LIMIT_MS = 90_000;

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
  await mkdir(join(site.root, 'code'));
  await writeFile(join(site.root, 'code', 'a.py'), 'a = 1\n');
});
afterAll(() => site.close());

/** Where the Inspector finds the server. */
function placeOf(over: 'stdio' | 'HTTP'): string[] {
  if (over === 'HTTP') return [server.url, '--transport', 'http'];
  const { command, args, env } = site.commandLine('stdio', { args: ['--workers', '0', '--root', site.root] });
  const settings = Object.entries(env).filter(([name]) => name.startsWith('LONGHAUL_'));
  return [...settings.flatMap(([name, value]) => ['-e', `${name}=${value}`]), command, ...args];
}

/** Runs the Inspector once; answers with what it printed. */
function inspect(over: 'stdio' | 'HTTP', method: string, more: readonly string[] = []): Promise<WireResult> {
  const args = [PROGRAM, '--cli', ...placeOf(over), '--method', method, ...more];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: WORKING_DIR, timeout: LIMIT_MS }, (error, stdout, stderr) => {
      if (error) reject(new Error(`the Inspector failed: ${error.message}\n${stdout}\n${stderr}`));
      else resolve(JSON.parse(stdout));
    });
  });
}

describe.each(['stdio', 'HTTP'] as const)('the Inspector over %s', (over) => {
  test('lists the tools and the resource templates', async () => {
    const { tools } = await inspect(over, 'tools/list');
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['analyze_codebase', 'cancel_job', 'get_job', 'list_jobs']),
    );
    expect(await inspect(over, 'resources/templates/list')).toMatchObject({ resourceTemplates: expect.any(Array) });
  });

  test('runs a scan and reads its job', async () => {
    const scan = await inspect(over, 'tools/call', ['--tool-name', 'analyze_codebase', '--tool-arg', 'path=code']);
    expect(textOf(scan)).toContain('Python');
    const id = String(scan.structuredContent?.job_id);
    const job = await inspect(over, 'tools/call', ['--tool-name', 'get_job', '--tool-arg', `job_id=${id}`]);
    expect(job.structuredContent).toMatchObject({ job_id: id, state: 'completed' });
    const resource = await inspect(over, 'resources/read', ['--uri', `job://${id}`]);
    expect(JSON.stringify(resource)).toContain('files_scanned');
  });
});
