import { expect, it } from 'vitest';
import { secretValues } from '../../src/secrets/environment-values.js';

it('takes the values of variables named like secrets, the longest first', () => {
  const env = {
    API_KEY: 'sek-123',
    GITHUB_TOKEN: 'ghp_0123456789',
    DB_PASSWORD: 'hunter22',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI',
    HOME: '/home/me',
    KEYBOARD: 'querty-de',
    TOKENIZER: 'words-only',
  };
  expect(secretValues(env)).toEqual(['ghp_0123456789', 'wJalrXUtnFEMI', 'hunter22', 'sek-123']);
});

it('takes the passwords of URLs, whatever their variable is called', () => {
  const env = { LONGHAUL_REDIS_URL: 'rediss://user:s3cr3t-word@queue.internal:6379/0', PROXY: 'http://plain.internal' };
  expect(secretValues(env)).toEqual(['s3cr3t-word']);
});

it('takes the values of headers, without the scheme before them', () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20t0ken-of-9,x-team = blue-ish' };
  expect(secretValues(env)).toEqual(['t0ken-of-9', 'blue-ish']);
});

it('leaves values alone that are too short to be told from ordinary text', () => {
  expect(secretValues({ USE_TOKEN: 'true', API_KEY: '', SECRET: undefined })).toEqual([]);
});
