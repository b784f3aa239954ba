/** How files are read: into one memory, no more of them than is wanted, and nothing that is no file. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isBinaryHead } from '../../../workers/analysis/decode.js';
import { createFileReader } from '../../../workers/analysis/read-file.js';

const LIMIT = 1 << 20;
const LONG = 300_000;

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-read-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const reader = createFileReader(LIMIT, { suffices: isBinaryHead });
  return {
    folder,
    read(content: Buffer | string, listed = false) {
      const path = join(folder, 'file');
      writeFileSync(path, content);
      const outcome = reader.read(path, { listed });
      return 'skip' in outcome ? outcome : Buffer.from(outcome.buffer.subarray(0, outcome.length));
    },
    reader,
  };
}

describe('reading files', () => {
  it('reads a long binary no further than to the NUL that makes it one', () => {
    const { read } = setup();
    const head = read(Buffer.alloc(LONG));
    expect(head).toHaveLength(1 << 16);
  });

  it.each([
    ['of UTF-16', Buffer.from(`\ufeff${'ab\n'.repeat(LONG / 6)}`, 'utf16le')],
    ['with a NUL that git would not see', Buffer.from(`${'a\n'.repeat(LONG / 2)}\0`)],
    ['of plain characters', Buffer.from('a\n'.repeat(LONG / 2))],
  ])('reads the whole of a long text %s', (_, text) => {
    const { read } = setup();
    expect(text.equals(read(text) as Buffer)).toBe(true);
    expect(text.equals(read(text, true) as Buffer)).toBe(true);
  });

  it('says the same of a path whether or not a listing has seen a file there', () => {
    const { folder, reader } = setup();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    execFileSync('ln', ['-s', 'pipe', join(folder, 'link')]);
    writeFileSync(join(folder, 'large'), Buffer.alloc(LIMIT + 1));
    for (const [name, skip] of [
      ['pipe', 'fifo'],
      ['link', 'symlink'],
      ['large', 'too_large'],
      ['none', 'vanished'],
      ['.', 'vanished'],
    ]) {
      expect(reader.read(join(folder, name ?? ''))).toEqual({ skip });
      expect(reader.read(join(folder, name ?? ''), { listed: true })).toEqual({ skip });
    }
  });
});
