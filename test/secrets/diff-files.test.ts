/** Diffs and numbered code: what a diff shows of files that must not be sent is gone, and marks before a line hide no secret. */
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/secrets/redact.js';
import { fakeSecrets } from './fake-secrets.js';

const SECRETS = fakeSecrets('in diffs');
const take = (text: string) => redact(text, { salt: 'salt' });
/** Nothing but its file tells that this is a secret. */
const QUIET = 'A_NAME=of nothing in particular 1';

const diffOf = (old: string, name: string, lines: readonly string[]) =>
  [`diff --git ${old} ${name}`, `--- ${old}`, `+++ ${name}`, `@@ -1 +1,${lines.length} @@`, ...lines].join('\n');

describe('a diff', () => {
  it.each([
    ['a new environment file', diffOf('/dev/null', 'b/.env', [`+${QUIET}`])],
    ['one that is deleted', diffOf('a/config/.env.local', '/dev/null', [`-${QUIET}`])],
    ['one that is renamed', diffOf('a/.env', 'b/settings.txt', [` ${QUIET}`])],
    ['one without prefixes', diffOf('.env', '.env', [`+${QUIET}`])],
    ['a quoted name', diffOf('"a/t\\303\\244st/.env"', '"b/t\\303\\244st/.env"', [`+${QUIET}`])],
    ['a key file', diffOf('a/id_rsa', 'b/id_rsa', [`+${QUIET}`])],
    ['CRLF', diffOf('a/.env', 'b/.env', [`+${QUIET}`]).replaceAll('\n', '\r\n')],
    ['more lines than its head counts', `${diffOf('a/.env', 'b/.env', ['+A=1', '+B=2'])}\n+${QUIET}`],
    ['heads without git', `--- .env\n+++ .env\n@@ -0,0 +1 @@\n+${QUIET}`],
  ])('of %s tells nothing of it, line by line', (_, diff) => {
    const { text, found } = take(diff);
    expect(text).not.toContain('particular');
    expect(text).toMatch(/^[-+ ]\[REDACTED:blocked_file:[0-9a-f]{4}\]\r?$/m);
    expect(text.split('\n')).toHaveLength(diff.split('\n').length);
    expect(text.match(/^(?:diff|---|\+\+\+|@@).*$/gm)).toEqual(diff.match(/^(?:diff|---|\+\+\+|@@).*$/gm));
    expect(found.at(-1)?.kind).toBe('blocked_file');
  });

  it('of other files is left alone, beside one that is not', () => {
    const plain = diffOf('a/x.js', 'b/x.js', ['+const a = 1;', '+++ b/.env', '+const b = 2;']);
    expect(take(plain).text).toBe(plain);
    const both = `${diffOf('a/.env', 'b/.env', [`+${QUIET}`, '-x'])}\n${plain}`;
    expect(take(both).text).toContain(plain);
    expect(take(both).text).not.toContain('particular');
  });
});

describe('a secret of every kind', () => {
  it.each([
    ['added by a diff', (line: string) => `+${line}`],
    ['taken away by one', (line: string) => `-${line}`],
    ['beside it in one', (line: string) => ` ${line}`],
    ['in numbered code', (line: string, index: number) => `${index + 1} | ${line}`],
    ['in a numbered diff', (line: string, index: number) => ` ${index + 8} + ${line}`],
  ])('is found %s', (_, mark) => {
    const left = SECRETS.filter(({ text, values }) => {
      const { text: clean } = take(`first\n${text}`.split('\n').map(mark).join('\n'));
      return values.some((value) => clean.includes(value));
    });
    expect(left.map(({ name }) => name)).toEqual([]);
  });
});
