/** Tool files: TypeScript and JavaScript, their own helpers beside them, and what is said of one that cannot be used. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../src/core/errors.js';
import { loadToolFiles } from '../src/tool-files.js';

const EXAMPLE = fileURLToPath(new URL('../examples/connect-db.ts', import.meta.url));

/** A tool file's text; `handler` is the body of its handler. */
const toolText = (name: string, handler: string, imports = '') => `
import { AppError, defineTool, z, type HandlerContext } from 'longhaul-mcp-server/tool';
${imports}
export default defineTool({
  name: '${name}', title: 'Test', description: 'A test.', queue: 'analysis',
  input: z.object({ word: z.string() }), output: z.object({ word: z.string() }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 1_000, attempts: 1, backoffMs: 1 },
  render: (output) => output.word,
}, async (input, _context: HandlerContext) => { ${handler} });
`;

/** Writes files into a folder of their own, outside any package; resolves with their paths. */
async function setup(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-tools-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const paths = Object.keys(files).map((name) => join(folder, name));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  return paths;
}

/** Runs a tool's handler with a context it does not look at. */
const run = (tool: Awaited<ReturnType<typeof loadToolFiles>>[number] | undefined, word: string) =>
  tool?.handler({ word }, {} as Parameters<typeof tool.handler>[1]);

describe('a TypeScript file', () => {
  it('is loaded wherever it lies, with its public entry, types, helpers and awaits', async () => {
    const [file = ''] = await setup({
      'tool.ts': toolText('ts_tool', 'return { word: shout(input.word) };', `import { shout } from './shout.js';`),
      'shout.ts': `export const shout = await Promise.resolve((word: string): string => word.toUpperCase());`,
    });
    const [tool] = await loadToolFiles([file]);
    expect(tool?.contract.name).toBe('ts_tool');
    expect(await run(tool, 'hi')).toEqual({ word: 'HI' });
  });

  it('throws errors the server knows for its own', async () => {
    const [file = ''] = await setup({
      'tool.mts': toolText(
        'failing',
        `throw new AppError('handler_failed', 'the printer burns', { retryable: true });`,
      ),
    });
    const [tool] = await loadToolFiles([file]);
    const error = await run(tool, 'x')?.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'handler_failed', retryable: true, message: 'the printer burns' });
  });

  it('that does not parse is named with its fault', async () => {
    const [file = ''] = await setup({ 'broken.ts': 'export default {' });
    await expect(loadToolFiles([file])).rejects.toMatchObject({
      code: 'invalid_configuration',
      message: expect.stringContaining(`${file}: `),
    });
  });

  it('of the examples is a tool', async () => {
    const [tool] = await loadToolFiles([EXAMPLE]);
    expect(tool?.contract).toMatchObject({ name: 'connect_db', queue: 'review' });
  });
});

it.each([
  ['timeoutMs', '{ timeoutMs: Infinity, attempts: 1, backoffMs: 0 }'],
  ['timeoutMs', '{ timeoutMs: 30 * 86_400_000, attempts: 1, backoffMs: 0 }'],
  ['timeoutMs', 'undefined'],
  ['attempts', '{ timeoutMs: 1, attempts: 1.5, backoffMs: 0 }'],
  ['backoffMs', '{ timeoutMs: 1, attempts: 2 }'],
])('a tool whose %s no timer can keep is refused: %s', async (field, limits) => {
  const contract = `{ name: 'odd', queue: 'review', description: '', input: { safeParse() {} },
    output: { safeParse() {} }, limits: ${limits} }`;
  const [file = ''] = await setup({ 'odd.mjs': `export default { contract: ${contract}, handler() {} };` });
  await expect(loadToolFiles([file])).rejects.toThrow(`${file}: odd: limits.${field} must be`);
});

describe('a JavaScript file', () => {
  it('may export several tools', async () => {
    const row = (name: string) => `{ contract: { name: '${name}', queue: 'analysis', description: '',
      input: { safeParse() {} }, output: { safeParse() {} }, limits: { timeoutMs: 1, attempts: 1, backoffMs: 0 } }, handler() {} }`;
    const [file = ''] = await setup({ 'tools.mjs': `export default [${row('first')}, ${row('second')}];` });
    const tools = await loadToolFiles([file]);
    expect(tools.map(({ contract }) => contract.name)).toEqual(['first', 'second']);
  });

  it('without a tool is named with what was expected', async () => {
    const [file = ''] = await setup({ 'empty.mjs': 'export const nothing = 1;' });
    await expect(loadToolFiles([file])).rejects.toThrow(`${file}: expected a default export made with defineTool`);
  });
});

it('every file at fault is named in one message', async () => {
  const files = await setup({ 'a.ts': 'export default 1;', 'b.mjs': 'throw new Error("no disk");' });
  const error = await loadToolFiles([...files, '/does/not/exist.ts']).catch((thrown: Error) => thrown.message);
  for (const text of ['a.ts: expected', 'b.mjs: no disk', '/does/not/exist.ts: ']) expect(error).toContain(text);
});
