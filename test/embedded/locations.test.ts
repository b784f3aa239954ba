import { expect, test } from 'vitest';
import { dataLocations } from '../../src/embedded/locations.js';

test.each([
  ['Linux by default', {}, 'linux', '/home/ada/.local/share/longhaul', '/home/ada/.cache/longhaul'],
  ['macOS by default', {}, 'darwin', '/home/ada/Library/Application Support/longhaul', '/home/ada/.cache/longhaul'],
  ['XDG folders', { XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/c' }, 'linux', '/d/longhaul', '/c/longhaul'],
  [
    'our own settings first',
    { LONGHAUL_DATA_DIR: '/mine', LONGHAUL_CACHE_DIR: '/fast', XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/c' },
    'linux',
    '/mine',
    '/fast',
  ],
  [
    'empty and relative settings as unset',
    { LONGHAUL_DATA_DIR: '', XDG_DATA_HOME: 'here', XDG_CACHE_HOME: '' },
    'linux',
    '/home/ada/.local/share/longhaul',
    '/home/ada/.cache/longhaul',
  ],
])('the folders follow %s', (_, env, platform, dataDir, cacheDir) => {
  expect(dataLocations(env, '/home/ada', platform)).toEqual({ dataDir, cacheDir });
});
