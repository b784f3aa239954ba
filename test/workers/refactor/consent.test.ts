/** What `refactor_directory` may not do: write without the user's word, leave its folder, or show a secret. */
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { plantTree, refactor, rewrites, type Tree } from './bench.js';

const OLD = 'function add(a, b) {\n  const sum = a + b;\n  return sum;\n}\nmodule.exports = { add };\n';
const NEW = 'function add(a, b) {\n  return a + b;\n}\nmodule.exports = { add };\n';
const WRITE = { style: 'safe', dry_run: false };

let tree: Tree;
afterEach(() => tree?.remove());

const read = (path: string) => readFile(join(tree.root, path), 'utf8');
const statuses = (files: readonly { path: string; status: string }[]) =>
  Object.fromEntries(files.map(({ path, status }) => [path, status]));

describe('without the user’s word', () => {
  it.each([
    ['declined', 'declined'],
    ['cancelled', 'cancelled'],
    ['timed_out', 'timed_out'],
    ['client_gone', 'client_gone'],
    ['refused', 'refused'],
  ] as const)('a form that ends %s touches nothing', async (form, status) => {
    tree = await plantTree({ 'a.js': OLD });
    const { result, asked, text } = await refactor(tree, { form });
    expect(result).toMatchObject({ status, sampling: 'not_asked', complete: false, files: [], skipped: [] });
    expect(result.mode).toBeUndefined();
    expect(text).toContain('NOTHING WAS TOUCHED');
    expect(asked.size).toBe(0);
    expect(await readdir(tree.root)).toEqual(['a.js']);
  });

  it('a client that shows no forms gets a dry run, and is told why', async () => {
    tree = await plantTree({ 'a.js': OLD });
    const { result } = await refactor(tree, { client: { elicitation: false }, model: { 'a.js': rewrites(NEW) } });
    expect(result).toMatchObject({ status: 'complete', mode: 'dry_run', style: 'safe' });
    expect(result.notes.join()).toContain('does not offer elicitation');
    expect(await read('a.js')).toBe(OLD);
  });

  it('a client without sampling gets the prompt and the files, and is shown no form', async () => {
    tree = await plantTree({ 'a.js': OLD, 'b.js': NEW });
    const { result, forms, asked } = await refactor(tree, { client: { sampling: false } });
    expect(result).toMatchObject({
      status: 'unavailable',
      sampling: 'unavailable',
      prepared: [
        { path: 'a.js', content: OLD },
        { path: 'b.js', content: NEW },
      ],
    });
    expect(result.prompt).toContain('Refactor the file below');
    expect([forms.length, asked.size]).toEqual([0, 0]);
  });

  it('a folder that leads elsewhere by now is left alone', async () => {
    tree = await plantTree({ 'real/a.js': OLD });
    await symlink(join(tree.root, 'real'), join(tree.root, 'link'));
    await mkdir(join(tree.root, 'other'));
    const reading = refactor(tree, { folder: join(tree.root, 'link') });
    await expect(reading).rejects.toMatchObject({ code: 'path_not_allowed' });
  });
});

describe('secrets', () => {
  const secret = `gh${'p'}_${'a1B2'.repeat(9)}`;
  const placeholder = '[REDACTED:github_token:1f3a]';
  const redactor = {
    redact: async (text: string, { path = '' } = {}) => ({
      text: text.replaceAll(secret, placeholder),
      found: [],
      ...(path.endsWith('key.js') && { blocked: 'holds a private key' }),
    }),
  };
  const withSecret = OLD.replace('a + b', `a + b + "${secret}"`);
  const bettered = (value: string) => NEW.replace('a + b', `a + b + "${value}"`);

  it('are placeholders for the model and in the report, and themselves in the file', async () => {
    tree = await plantTree({ 'a.js': withSecret, 'key.js': OLD });
    const { result, text, asked } = await refactor(tree, {
      form: WRITE,
      redactor,
      model: { 'a.js': rewrites(bettered(placeholder)) },
    });
    expect(statuses(result.files)).toEqual({ 'a.js': 'written' });
    expect(result.skipped).toEqual([{ path: 'key.js', reason: 'holds a private key' }]);
    expect(await read('a.js')).toBe(bettered(secret));
    for (const seen of [JSON.stringify([...asked]), JSON.stringify(result), text]) {
      expect(seen).toContain(placeholder);
      expect(seen).not.toContain(secret);
    }
  });

  it.each([
    ['lost', NEW.replace('a + b', 'a + b + "token"')],
    ['doubled', bettered(`${placeholder}${placeholder}`)],
    ['made up', bettered('[REDACTED:github_token:ffff]')],
  ])('that come back %s have the answer refused', async (_how, answer) => {
    tree = await plantTree({ 'a.js': withSecret });
    const { result } = await refactor(tree, { form: WRITE, redactor, model: { 'a.js': rewrites(answer) } });
    expect(result.files[0]).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('stands for a secret'),
    });
    expect(await read('a.js')).toBe(withSecret);
  });
});
