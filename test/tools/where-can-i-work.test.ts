/** How the folders a caller may work in read as text. */
import { expect, it } from 'vitest';
import { whereCanIWork } from '../../src/tools/where-can-i-work.js';

const none = {
  folders: [],
  unusable_roots: [],
  client_can_be_asked: false,
  client_roots: 'not_offered',
  advice: 'Ask.',
} as const;
const render = (result: object) => whereCanIWork.render(whereCanIWork.output.parse({ ...none, ...result }), {});

it('without any folder the text says so, and what to do', () => {
  expect(render({})).toBe('No folder may be read.\n\nAsk.');
});

it('each folder is told with its reason, and where it leads if that is elsewhere', () => {
  const folders = [
    { path: '/a', real_path: '/a', source: 'server' },
    { path: '/b', real_path: '/c', source: 'client', name: 'mine' },
    { path: '/gone', source: 'client' },
  ];
  expect(render({ folders }).split('\n').slice(1, 4)).toEqual([
    '- /a: allowed by the operator',
    '- /b: a root of your client "mine", which is /c',
    '- /gone: a root of your client, but there is no such folder',
  ]);
});

it('roots that allow nothing are told with the reason', () => {
  const unusable_roots = [{ uri: 'untitled:1', why: 'it is no file: URI of a local folder' }];
  expect(render({ unusable_roots })).toContain('- untitled:1: it is no file: URI of a local folder');
});
