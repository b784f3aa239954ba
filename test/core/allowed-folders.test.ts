/** The path boundary: no way of writing a path, and no link, leads out of the allowed folders. */
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isInside, pathOfFileUri, resolveAllowedFolder, resolveAllowedPath } from '../../src/core/allowed-folders.js';

/** `allowed/inner` may be read; `allowed-twin` and `secret` lie beside it and may not. */
interface Site {
  readonly allowed: string;
  readonly inner: string;
  readonly twin: string;
  readonly secret: string;
  resolve(path: string, allowed?: readonly string[]): Promise<string>;
}

async function setup(): Promise<Site> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-allowed-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const allowed = join(root, 'allowed');
  const inner = join(allowed, 'inner');
  const twin = join(root, 'allowed-twin');
  const secret = join(root, 'secret');
  for (const folder of [inner, twin, secret]) await mkdir(folder, { recursive: true });
  await writeFile(join(secret, 'key.txt'), 'secret');
  await writeFile(join(inner, 'file.txt'), 'text');
  return { allowed, inner, twin, secret, resolve: (path, folders = [allowed]) => resolveAllowedFolder(path, folders) };
}

const refused = (promise: Promise<unknown>, code: string) => expect(promise).rejects.toMatchObject({ code });

describe('a path inside', () => {
  it('is taken as written, relative to the first allowed folder, or as a file URI', async () => {
    const { allowed, inner, resolve } = await setup();
    const ways = [
      inner,
      'inner',
      './inner',
      'inner/',
      'inner/../inner',
      `${allowed}//inner/.`,
      pathToFileURL(inner).href,
    ];
    for (const way of ways) expect(await resolve(way)).toBe(inner);
    for (const way of [allowed, '.', '', `${inner}/..`]) expect(await resolve(way)).toBe(allowed);
  });

  it('may lie in any of the allowed folders', async () => {
    const { allowed, secret, resolve } = await setup();
    expect(await resolve(secret, [allowed, secret])).toBe(secret);
  });

  it('may have a name that looks like a way out', async () => {
    const { allowed, resolve } = await setup();
    for (const name of ['..hidden', '...', '%2e%2e', 'a%2fb', '~', '$HOME', 'with space', 'ü']) {
      await mkdir(join(allowed, name));
      expect(await resolve(name)).toBe(join(allowed, name));
    }
  });

  it('may be reached through a link that stays inside, and is then named by its target', async () => {
    const { allowed, inner, resolve } = await setup();
    await symlink(inner, join(allowed, 'link'));
    expect(await resolve('link')).toBe(inner);
  });

  it('is inside also where the allowed folder itself is a link', async () => {
    const { allowed, inner, secret, resolve } = await setup();
    const alias = join(secret, 'alias');
    await symlink(allowed, alias);
    expect(await resolve(join(alias, 'inner'), [alias])).toBe(inner);
    expect(await resolve(inner, [alias])).toBe(inner);
  });
});

describe('a path that leads out', () => {
  it('is refused however it is written', async () => {
    const { allowed, secret, twin, resolve } = await setup();
    const ways = [
      secret,
      '/',
      '/etc',
      '..',
      '../secret',
      'inner/../../secret',
      'inner/../../allowed-twin',
      `${allowed}/../secret`,
      twin,
      `${allowed}-twin`,
      relative(allowed, secret),
      pathToFileURL(secret).href,
      `${pathToFileURL(allowed).href}/../secret`,
      `${pathToFileURL(allowed).href}/%2e%2e/secret`,
    ];
    for (const way of ways) await refused(resolve(way), 'path_not_allowed');
  });

  it('is refused in the same way whether it exists or not', async () => {
    const { secret, resolve } = await setup();
    await refused(resolve(join(secret, 'missing')), 'path_not_allowed');
    await refused(resolve(join(secret, 'key.txt')), 'path_not_allowed');
  });

  it('through a link inside is refused, for what is there and for what is not', async () => {
    const { allowed, secret, resolve } = await setup();
    await symlink(secret, join(allowed, 'out'));
    for (const way of ['out', 'out/', 'out/.', 'out/newfile', 'out/key.txt', 'out/a/b/c', 'inner/../out']) {
      await refused(resolve(way), 'path_not_allowed');
    }
  });

  it('through a chain of links, or a link to a missing place outside, is refused', async () => {
    const { allowed, secret, resolve } = await setup();
    await symlink(join(allowed, 'second'), join(allowed, 'first'));
    await symlink(secret, join(allowed, 'second'));
    await refused(resolve('first'), 'path_not_allowed');
    await symlink(join(secret, 'gone'), join(allowed, 'dangling'));
    const dangling = await resolve('dangling').catch((error: { code: string }) => error.code);
    expect(['path_not_allowed', 'path_not_found']).toContain(dangling);
  });

  it('is refused where nothing is allowed', async () => {
    const { inner, resolve } = await setup();
    await refused(resolve(inner, []), 'path_not_allowed');
    await refused(resolve(inner, ['/does/not/exist']), 'path_not_allowed');
  });

  it('of an allowed folder that does not exist is not allowed either', async () => {
    const { resolve } = await setup();
    await refused(resolve('/does/not/exist/x', ['/does/not/exist']), 'path_not_allowed');
  });
});

describe('a path that names no folder', () => {
  it('says whether it is missing or a file', async () => {
    const { resolve } = await setup();
    await refused(resolve('missing'), 'path_not_found');
    await refused(resolve('inner/file.txt'), 'path_not_a_folder');
    await refused(resolve('inner/file.txt/below'), 'path_not_found');
  });

  it('because its links go in circles cannot be read', async () => {
    const { allowed, resolve } = await setup();
    await symlink(join(allowed, 'b'), join(allowed, 'a'));
    await symlink(join(allowed, 'a'), join(allowed, 'b'));
    await refused(resolve('a'), 'path_not_readable');
  });

  it.skipIf(process.getuid?.() === 0)('because the server may not enter it cannot be read', async () => {
    const { inner, resolve } = await setup();
    await chmod(inner, 0o000);
    onTestFinished(() => chmod(inner, 0o700));
    await refused(resolve('inner'), 'path_not_readable');
    await refused(resolve('inner/deeper'), 'path_not_readable');
  });

  it.each([
    'http://example.org/x',
    'https://example.org',
    'ssh://host/x',
    'vscode-remote://host/x',
    'file://otherhost/etc',
    'file:///a%00b',
    'a\0b',
    '\0',
    '/etc\0/allowed',
  ])('%j is no local folder', async (path) => {
    const { resolve } = await setup();
    await refused(resolve(path), 'invalid_arguments');
  });

  it('is named in the message as it was given, with the folders that are allowed', async () => {
    const { allowed, secret, resolve } = await setup();
    const error = await resolve('../secret').catch(String);
    expect(error).toContain('"../secret"');
    expect(error).toContain(allowed);
    expect(error).not.toContain(secret);
  });
});

describe('being inside', () => {
  it.each([
    ['/a', '/a', true],
    ['/a/b', '/a', true],
    ['/a/..b', '/a', true],
    ['/ab', '/a', false],
    ['/', '/a', false],
    ['/a', '/', true],
    ['/b', '/a', false],
  ])('%s in %s is %s', (path, folder, inside) => {
    expect(isInside(path, [folder])).toBe(inside);
  });

  it('of no folder is false', () => {
    expect(isInside('/a', [])).toBe(false);
  });
});

describe('the path of a file URI', () => {
  it.each([
    ['file:///srv/code', '/srv/code'],
    ['file:///srv/with%20space', '/srv/with space'],
    ['file://localhost/srv', '/srv'],
    ['file:///srv/../etc', '/etc'],
    ['http://host/x', undefined],
    ['file://host/x', undefined],
    ['file:///a%2fb', undefined],
    ['/srv', undefined],
    ['', undefined],
  ])('of %s is %s', (uri, path) => {
    expect(pathOfFileUri(uri)).toBe(path);
  });
});

describe('a path that may be a file', () => {
  it('is told as file or folder, by its real path', async () => {
    const { allowed, inner } = await setup();
    expect(await resolveAllowedPath('inner/file.txt', [allowed])).toEqual({
      real: join(inner, 'file.txt'),
      kind: 'file',
    });
    expect(await resolveAllowedPath('inner', [allowed])).toEqual({ real: inner, kind: 'folder' });
  });

  it('does not lead out, by its way or by a link', async () => {
    const { allowed, inner, secret } = await setup();
    await symlink(join(secret, 'key.txt'), join(inner, 'link.txt'));
    for (const path of ['../secret/key.txt', join(secret, 'key.txt'), 'inner/link.txt'])
      await refused(resolveAllowedPath(path, [allowed]), 'path_not_allowed');
    await refused(resolveAllowedPath('inner/missing.txt', [allowed]), 'path_not_found');
    await refused(resolveAllowedPath('inner/file.txt/more', [allowed]), 'path_not_found');
  });

  it('is neither a device nor a pipe', async () => {
    await refused(resolveAllowedPath('/dev/null', ['/dev']), 'path_not_readable');
  });
});
