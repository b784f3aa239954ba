/** What clients hear of Redis: one retryable error in plain words, and never a key, a script or a host. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../src/core/errors.js';
import { translateRedisError, translating } from '../../src/redis/translate.js';

describe('an error of Redis', () => {
  it.each([
    [new Error('connect ECONNREFUSED 10.0.0.7:6379'), 'Redis cannot be reached'],
    [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'Redis has no memory left'],
    [new Error("READONLY You can't write against a read only replica."), 'takes no writes'],
    [new Error('WRONGPASS invalid username-password pair'), 'refuses the login'],
    [new Error('MISCONF Redis is configured to save RDB snapshots, but it cannot'), 'cannot save them to its disk'],
    [new Error('LOADING Redis is loading the dataset in memory'), 'still loading its data'],
    [new Error('NOAUTH Authentication required.'), 'refuses the login'],
    [new Error('ERR DB index is out of range'), 'Redis has no database of the number in LONGHAUL_REDIS_URL'],
    [new Error('ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed'), 'no memory left'],
    [new Error('ERR Error running script (call to f_1): @user_script: 1: -READONLY You can'), 'takes no writes'],
    [new Error("NOPERM this user has no permissions to run the 'evalsha' command"), 'does not let this user'],
    [new Error('CLUSTERDOWN The cluster is down'), 'the Redis Cluster does not serve'],
    [new Error('NOREPLICAS Not enough good replicas to write.'), 'too few replicas'],
    [new Error('BUSY Redis is busy running a script.'), 'busy with a script'],
    [new Error('ERR max number of clients reached'), 'no more connections'],
    [new Error("ERR unknown command 'LPOS'"), 'does not know a command'],
    [new Error('Command timed out'), 'Redis does not answer'],
    [new Error('All sentinels are unreachable. Retrying from scratch after 55ms.'), 'no Sentinel names a primary'],
    [new Error('self-signed certificate in certificate chain'), 'no secure connection'],
    ['no error at all', 'Redis cannot be reached'],
  ])('%s is told as queue_unavailable', (error, words) => {
    const translated = translateRedisError(error);
    expect(translated).toMatchObject({ code: 'queue_unavailable', retryable: true, cause: error });
    expect(translated.message).toContain(words);
    expect(translated.message).not.toContain('10.0.0.7');
  });

  it.each([new SyntaxError('Unexpected token'), z.string().safeParse(7).error])(
    'that is an unreadable record is a fault of ours: %s',
    (error) => {
      expect(translateRedisError(error)).toMatchObject({ code: 'internal', retryable: false });
    },
  );

  it('that is one of ours already stays as it is', () => {
    const error = new AppError('result_too_large', 'too large');
    expect(translateRedisError(error)).toBe(error);
  });
});

describe('a translated port', () => {
  it('answers as before and rejects with the product’s errors, also when a method throws at once', async () => {
    const port = translating({
      answers: async (value: number) => value + 1,
      rejects: async () => Promise.reject(new Error('Connection is closed.')),
      throws: (): Promise<never> => {
        throw new Error('Connection is closed.');
      },
    });
    expect(await port.answers(1)).toBe(2);
    await expect(port.rejects()).rejects.toMatchObject({ code: 'queue_unavailable' });
    await expect(port.throws()).rejects.toMatchObject({ code: 'queue_unavailable' });
  });
});
