/** Secrets in JSON of any shape. */
import { expect, it } from 'vitest';
import { redactJson } from '../../src/core/redact-json.js';

const redact = async (text: string) => text.replaceAll('secret', '[REDACTED]');

it('every text in a value is redacted, wherever it lies, and all else stays', async () => {
  const value = { a: 'a secret', b: ['secret', 7, null, true, { c: 'x', secret: ['secret secret'] }], d: {}, e: [] };
  expect(await redactJson(value, redact)).toEqual({
    a: 'a [REDACTED]',
    b: ['[REDACTED]', 7, null, true, { c: 'x', secret: ['[REDACTED] [REDACTED]'] }],
    d: {},
    e: [],
  });
});

it.each(['secret', 7, null, false])('the value %j alone is one as well', async (value) => {
  expect(await redactJson(value, redact)).toEqual(value === 'secret' ? '[REDACTED]' : value);
});

it('a field named as a prototype is a field like any other', async () => {
  const value = JSON.parse('{"__proto__": "secret", "constructor": "secret"}');
  expect(JSON.stringify(await redactJson(value, redact))).toBe('{"__proto__":"[REDACTED]","constructor":"[REDACTED]"}');
});

it('one text that cannot be redacted fails the whole', async () => {
  const refuse = async (text: string) => Promise.reject(new Error(`cannot redact ${text}`));
  await expect(redactJson({ a: [{ b: 'x' }] }, refuse)).rejects.toThrow('cannot redact x');
});
