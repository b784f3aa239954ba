/** Which lines of an answer leave code out, and which only look like it. */
import { describe, expect, it } from 'vitest';
import { findElision } from '../../../workers/refactor/elisions.js';

const LEAVES_OUT = [
  '// ... rest unchanged',
  '// rest of the code remains the same',
  '  // ... existing code ...',
  '# ... (rest of the file is unchanged)',
  '/* unchanged */',
  '/* ... */',
  '// …',
  '...',
  '    ...',
  '# remaining methods omitted for brevity',
  '<!-- rest of the page -->',
  '-- same as before',
  '// [Previous implementation stays here]',
  '// other functions unchanged',
  '{/* ... existing JSX ... */}',
  '// No changes below',
  '[rest of file unchanged]',
  '(remaining code as before)',
  '"""... same as above ..."""',
  '  return x; // ... more code here',
  '// Original code here',
  '// imports unchanged',
  '/* Everything else stays the same */',
  '; ... rest of the file',
  '// keep the existing code',
  '// Existing implementation...',
];

const LEAVES_NOTHING_OUT = [
  '// Keeps the rest of the arguments for the callee.',
  'const all = [...rest, ...other];',
  'function f(...args) {',
  'print("...")',
  "log.info('loading…');",
  '// Waits for the queue to drain.',
  '# Restores the previous state of the cursor',
  'return unchanged;',
  'const existing = code;',
  '// The same value twice is one value.',
  '/** Whether the file was changed. */',
  'case "unchanged": return;',
  'if (rest.length === 0) return;',
  '# See https://example.org/a/.../b',
  '*ptr = other;',
  '[first, ...rest] = list;',
  'x = a[..., 0]',
  '// Reads from 0 to ... n',
  '  [...rest, other],',
  '{ ...previous, code }',
  '-- Selects the other rows.',
];

describe('a line of an answer', () => {
  it.each(LEAVES_OUT)('leaves code out: %s', (line) => {
    expect(findElision('a();\nb();\n', `a();\n${line}\n`)).toBe(line.trim());
  });

  it.each(LEAVES_NOTHING_OUT)('leaves nothing out: %s', (line) => {
    expect(findElision('a();\n', `a();\n${line}\n`)).toBeUndefined();
  });

  it.each(LEAVES_OUT)('that the file has itself is its own, but no second one: %s', (line) => {
    const file = `a();\n${line}\nb();\n`;
    expect(findElision(file, file.replace('a();', 'c();'))).toBeUndefined();
    expect(findElision(file, `${file}  ${line.trim()}\n`)).toBe(line.trim());
  });
});
