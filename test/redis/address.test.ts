/** Addresses of Redis: every topology is read from one URL, and none shows its credentials. */
import { describe, expect, it } from 'vitest';
import { describeAddress, parseRedisUrl, type RedisAddress, withAccess } from '../../src/redis/address.js';

const parse = (url: string) => parseRedisUrl(url, 'ns');

function parsed(url: string): RedisAddress {
  const address = parse(url);
  if (!address) throw new Error(`${url} was refused`);
  return address;
}

describe('the URL of a Redis', () => {
  it.each<[string, RedisAddress]>([
    ['redis://host', { url: 'redis://host' }],
    ['rediss://user:word@host:1/2', { url: 'rediss://user:word@host:1/2' }],
    ['unix:///run/a%20b.sock', { socketPath: '/run/a b.sock' }],
    [
      'redis+sentinel://a:1,b/main',
      {
        sentinels: [
          { host: 'a', port: 1 },
          { host: 'b', port: 26_379 },
        ],
        master: 'main',
        database: 0,
      },
    ],
    [
      'rediss+sentinel://user:p%40ss:word@[::1]:7/my.main-1/3',
      {
        sentinels: [{ host: '::1', port: 7 }],
        master: 'my.main-1',
        database: 3,
        login: { username: 'user', password: 'p@ss:word' },
        tls: {},
      },
    ],
    [
      'redis+cluster://:pa%ss@a:1,b',
      {
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 6_379 },
        ],
        hashTag: '{ns}',
        login: { password: 'pa%ss' },
      },
    ],
    ['rediss+cluster://a:1/', { nodes: [{ host: 'a', port: 1 }], hashTag: '{ns}', tls: {} }],
  ])('%s is read', (url, address) => {
    expect(parse(url)).toEqual(address);
  });

  it.each([
    'host:6379',
    'http://host',
    'redis://',
    'unix://run/redis.sock',
    'redis+sentinel://a:1',
    'redis+sentinel://a:1,/main',
    'redis+sentinel://a:99999/main',
    'redis+sentinel://a:1/main/x',
    'redis+sentinel://a:1/main/0/more',
    'redis+cluster://',
    'redis+cluster://a b',
    'redis+cluster://a:1/3',
    'redis+cluster://a:0',
    'unix+cluster://a:1',
  ])('%s is refused', (url) => {
    expect(parse(url)).toBeUndefined();
  });

  it.each([
    ['redis://user:s3cret@host:1/2', 'redis://host:1/2'],
    ['unix:///run/redis.sock', 'unix:///run/redis.sock'],
    ['rediss+sentinel://u:s3cret@a,[::1]:7/main/3', 'rediss+sentinel://a:26379,[::1]:7/main/3'],
    ['redis+cluster://u:s3cret@a:1,b:2', 'redis+cluster://a:1,b:2'],
  ])('%s is told without its credentials', (url, told) => {
    expect(describeAddress(parsed(url))).toBe(told);
  });
});

describe('settings beside the URL', () => {
  it.each<[string, RedisAddress]>([
    ['redis://user:old@host:1/2', { url: 'redis://host:1/2', login: { username: 'user', password: 'new' } }],
    ['unix:///run/redis.sock', { socketPath: '/run/redis.sock', login: { password: 'new' } }],
    [
      'redis+cluster://user:old@a:1',
      { nodes: [{ host: 'a', port: 1 }], hashTag: '{ns}', login: { username: 'user', password: 'new' } },
    ],
  ])('beat the password of %s and leave its user', (url, address) => {
    expect(withAccess(parsed(url), { login: { password: 'new' } })).toEqual(address);
  });

  it('change nothing of a URL if there are none', () => {
    expect(withAccess(parsed('redis://user:word@host'), {})).toEqual({ url: 'redis://user:word@host' });
  });

  it('ask for TLS by its files', () => {
    expect(withAccess(parsed('redis+cluster://a:1'), { tls: { ca: 'pem' } })).toMatchObject({ tls: { ca: 'pem' } });
  });
});
