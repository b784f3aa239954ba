/** The guide to tools of one's own: its snippets compile as they stand, and its tools load and run. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { loadToolFiles } from '../src/tool-files.js';
import { scriptContext } from './support/scripted-context.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const guide = readFileSync(join(ROOT, 'docs', 'writing-tools.md'), 'utf8');
const snippets = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

/** Writes the snippets into a folder outside the package, as a user has them; resolves with their paths. */
async function setup(): Promise<{ folder: string; files: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-guide-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = snippets.map((_, index) => join(folder, `snippet-${index}.mts`));
  await Promise.all(files.map((file, index) => writeFile(file, snippets[index] ?? '')));
  return { folder, files };
}

it('every snippet of the guide compiles', async () => {
  const { folder, files } = await setup();
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, module: 'NodeNext', target: 'ES2023' },
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    paths: { 'longhaul-mcp-server/tool': [join(ROOT, 'src', 'tool.ts')] },
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  expect(files).toHaveLength(6);
});

it('every tool of the guide loads, and counts as it says', async () => {
  const { files } = await setup();
  const withTools = files.filter((_, index) => snippets[index]?.includes('export default'));
  const tools = await loadToolFiles(withTools);
  expect(tools.map(({ contract }) => contract.name)).toEqual(['word_count', 'ask_name']);
  const result = await tools[0]?.handler({ text: ' to be  or not\nto be ' }, scriptContext({}).context);
  expect(result).toEqual({ words: 6 });
});
