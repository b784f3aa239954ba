/** The search for secrets takes time by the length of a text, whoever wrote it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FORMAT_RULES } from '../../src/secrets/format-rules.js';
import { redact } from '../../src/secrets/redact.js';

const CHARS = 1 << 16;
const fill = (piece: string, chars = CHARS) => piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);
/** Milliseconds of this process's own work, since the machine may be busy with others'. */
const onceMs = (text: string) => {
  const began = process.cpuUsage();
  redact(text, { salt: 's' });
  return process.cpuUsage(began).user / 1_000;
};
/** The least of a few. */
const timeOf = (text: string) => Math.min(...[1, 2, 3].map(() => onceMs(text)));

const KEYWORDS = FORMAT_RULES.flatMap(({ keywords }) => keywords);
const CODE = fill(readFileSync(new URL('../../src/config.ts', import.meta.url), 'utf8'));

/** Pieces that make a search begin again and again, and find no end. */
const HOSTILE = [
  KEYWORDS.join(' '),
  ...KEYWORDS,
  'A',
  ' ',
  '\n',
  '\\',
  '"',
  '+',
  '\\\n',
  '"\n"',
  '"+\n',
  'password=',
  'password: ',
  'password="',
  "password='a1",
  'password\\"',
  'password: string | ',
  'passwordpassword',
  'secret_token_key_',
  '--token ',
  '<password>',
  '\nAPI_SECRET=',
  'a://',
  'a://b:',
  'http://a:b/@',
  '-----BEGIN RSA PRIVATE KEY-----',
  `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n`,
  'Private-Lines: 1\n',
  'Private-Lines: 1\nAAAAAAAAAAAAAAAAAAAAAAAA\n',
  'eyJaaaaaaaa.',
  'eyJaaaaaaaa.eyJaaaaaa.',
  'xoxb-1-',
  `AKIA${'B'.repeat(16)} `,
  'QUFBQUFBQUFBQUFB',
  `${'QUFBQUFBQUFBQUFB'.repeat(4)}\n`,
  Buffer.from('password="'.repeat(300)).toString('base64'),
  'Bearer aaaa1111bbbb2222cccc ',
  'sk-\n',
  'ghp_aaaa\naaaa',
  `eyJ${'a'.repeat(190)}\n`,
  '"auth": "',
];

it('a hostile text takes no more than a few times as long as a plain one', () => {
  timeOf(CODE);
  const plainMs = timeOf(CODE);
  const isSlow = (ms: number) => ms > 25 * plainMs;
  const slow = HOSTILE.filter((piece) => isSlow(onceMs(fill(piece))) && isSlow(timeOf(fill(piece))));
  expect(slow).toEqual([]);
}, 120_000);

it('a text of eight times the length takes about eight times as long, not 64 times', () => {
  for (const piece of [
    'password="a1',
    'QUFBQUFBQUFBQUFB',
    'eyJaaaaaaaa.',
    '-----BEGIN RSA PRIVATE KEY-----\nAAAA',
    'a://b:c',
    'sk-\n',
  ]) {
    const part = timeOf(fill(piece));
    const whole = timeOf(fill(piece, 8 * CHARS));
    expect(whole / Math.max(part, 1), piece).toBeLessThan(30);
  }
}, 120_000);
