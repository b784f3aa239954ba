/** Lines of the process log without secrets. */
import { expect, it } from 'vitest';
import { createLineRedaction } from '../../src/secrets/redact-line.js';
import { ownMs } from '../support/own-time.js';
import { fakeSecrets } from './fake-secrets.js';

const SECRETS = fakeSecrets();

it('no secret of any kind is left in a line, which stays one line of JSON', () => {
  const clean = createLineRedaction();
  for (const { name, text, values } of SECRETS) {
    const line = `${JSON.stringify({ level: 50, err: { message: text, stack: `Error: ${text}\n    at x` }, msg: 'failed' })}\n`;
    const left = clean(line);
    expect([name, values.filter((value) => left.includes(value))]).toEqual([name, []]);
    expect(left.endsWith('\n') && left.trimEnd().includes('\n')).toBe(false);
    expect(JSON.parse(left)).toMatchObject({ level: 50, msg: 'failed' });
  }
});

it('a line without secrets is passed on as it is', () => {
  const line = `{"level":30,"jobId":"job_01h2xcejqtf2nbrexx3vqjhp41","tool":"review_code","msg":"job ended"}\n`;
  expect(createLineRedaction()(line)).toBe(line);
  expect(createLineRedaction()('no JSON at all\n')).toBe('no JSON at all\n');
});

it('a line of any length costs no more than a short one, and gives nothing away at its cut', () => {
  const token = SECRETS.find(({ name }) => name === 'GitHub classic')?.values[0] ?? '';
  const before = 'x '.repeat(16_384 - 9);
  const line = JSON.stringify({ msg: `${before}${token}${'y '.repeat(4_000_000)}` });
  const began = ownMs();
  const left = createLineRedaction()(line);
  expect(ownMs() - began).toBeLessThan(1_000);
  expect(left).not.toContain(token.slice(0, 12));
  expect(JSON.parse(left)).toMatchObject({ chars: line.length, msg: expect.stringContaining('too long') });
});
