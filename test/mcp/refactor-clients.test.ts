/** `refactor_directory` through the client lines that hosts embed: user, model and folders are the test's. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textOf } from '../support/http-wire.js';
import { pathAsked } from '../support/refactor-wire.js';
import { type Asked, CLIENT_LINES, connectClient } from '../support/sdk-clients.js';
import { type HttpServer, openSite, type Site } from '../support/site.js';

const OLD = 'def add(a, b):\n    total = a + b\n    return total\n';
const NEW = 'def add(a, b):\n    return a + b\n';

let site: Site;
let server: HttpServer;
beforeAll(async () => {
  site = await openSite();
  server = await site.http();
});
afterAll(() => site.close());

const EACH = CLIENT_LINES.flatMap((line) => [{ line, over: 'stdio' } as const, { line, over: 'HTTP' } as const]);

async function plant(): Promise<string> {
  const folder = await mkdtemp(join(site.root, 'code-'));
  for (const name of ['a.py', 'b.py']) await writeFile(join(folder, name), OLD);
  return folder;
}

describe.each(EACH)('a $line client over $over', ({ line, over }) => {
  const place = () => {
    const args = ['--workers', '0', '--root', site.root];
    return over === 'HTTP' ? { url: server.url } : { stdio: site.commandLine('stdio', { args }) };
  };
  const asked: string[] = [];
  const rewriting = (params: Asked) => {
    asked.push(pathAsked({ params: { ...params } }));
    const content = { type: 'text' as const, text: JSON.stringify({ content: NEW, summary: 'shorter' }) };
    return { role: 'assistant' as const, model: 'test-model', stopReason: 'endTurn', content };
  };
  const filling = (content: Record<string, string | number | boolean>) => () => ({
    action: 'accept' as const,
    content,
  });

  test('has a folder of its roots planned, then written, its files as they were kept', async () => {
    const folder = await plant();
    for (const dry_run of [true, false]) {
      asked.length = 0;
      const client = await connectClient(line, place(), {
        roots: [folder],
        sampling: rewriting,
        elicitation: filling({ style: 'concise', dry_run }),
      });
      const result = await client.callTool('refactor_directory', { rel_path: '.' }).finally(() => client.close());
      const status = dry_run ? 'planned' : 'written';
      expect(result.structuredContent, textOf(result)).toMatchObject({
        status: 'complete',
        mode: dry_run ? 'dry_run' : 'write',
        files: [
          { path: 'a.py', status },
          { path: 'b.py', status },
        ],
      });
      expect([...asked].sort()).toEqual(['a.py', 'b.py']);
      expect(await readFile(join(folder, 'b.py'), 'utf8')).toBe(dry_run ? OLD : NEW);
    }
  });

  test('whose user refuses the model, or that has none, keeps its files', async () => {
    const folder = await plant();
    const denied = await connectClient(line, place(), {
      roots: [folder],
      sampling: () => {
        throw Object.assign(new Error('User rejected sampling request'), { code: -1 });
      },
      elicitation: filling({ style: 'safe', dry_run: false }),
    });
    const call = denied.callTool('refactor_directory', { rel_path: '.' }).finally(() => denied.close());
    // A client of 2026 cannot tell its server of a refusal: the call ends on the client's own side.
    if (line === '2.x of 2026') await expect(call).rejects.toThrow('User rejected sampling request');
    else expect((await call).structuredContent).toMatchObject({ status: 'refused', complete: false });

    const without = await connectClient(line, place(), {});
    const result = await without
      .callTool('refactor_directory', { rel_path: folder.slice(site.root.length + 1) })
      .finally(() => without.close());
    expect(result.structuredContent).toMatchObject({ status: 'unavailable', prepared: [{ path: 'a.py' }, {}] });
    for (const name of ['a.py', 'b.py']) expect(await readFile(join(folder, name), 'utf8')).toBe(OLD);
  });
});
