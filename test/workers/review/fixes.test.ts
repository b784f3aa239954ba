/** Which proposed fixes are offered: those that apply in one place and leave the file no worse. */
import { describe, expect, it } from 'vitest';
import { applyFixes, type CountSyntaxErrors, judgeFix } from '../../../workers/review/fixes.js';

const TEXT = ['function a(x) {', '  if (x) {', '    eval(x);', '  }', '  done();', '  done();', '}', ''].join('\n');
const unknown: CountSyntaxErrors = async () => undefined;
const judge = (
  find: string,
  replace: string,
  more: { text?: string; lineEnd?: string | undefined; countSyntaxErrors?: CountSyntaxErrors } = {},
) =>
  judgeFix(
    { findingId: 'F1', find, replace },
    { language: 'JavaScript', text: TEXT, lineEnd: '\n', countSyntaxErrors: unknown, ...more },
  );

describe('a fix is offered', () => {
  it.each([
    ['within a line', 'eval(x)', 'run(x)'],
    ['of a whole line', '    eval(x);\n', '    run(x);\n'],
    ['of several lines', '  if (x) {\n    eval(x);\n  }', '  if (safe(x)) {\n    run(x);\n  }'],
    ['that adds lines', '    eval(x);', '    const y = parse(x);\n    run(y);'],
    ['that begins behind its indentation', 'eval(x);', 'const y = parse(x);\n    run(y);'],
    ['that takes lines out', '    eval(x);\n', ''],
    ['that nests deeper', '    eval(x);', '    if (ok(x)) {\n      run(x);\n    }'],
  ])('%s', async (_what, find, replace) => {
    expect(await judge(find, replace)).toMatchObject({ ok: true });
  });

  it('in the line ends of its file', async () => {
    const text = TEXT.replaceAll('\n', '\r\n');
    for (const find of ['eval(x);\n  }', 'eval(x);\r\n  }'])
      expect(await judge(find, 'a(x);\n    b(x);\n  }', { text, lineEnd: '\r\n' })).toMatchObject({
        ok: true,
        find: 'eval(x);\r\n  }',
        replace: 'a(x);\r\n    b(x);\r\n  }',
      });
  });

  it('where the lines of the file do not all end alike, only within a line', async () => {
    const mixed = { text: TEXT, lineEnd: undefined };
    expect(await judge('eval(x)', 'run(x)', mixed)).toMatchObject({ ok: true });
    expect(await judge('eval(x);', 'a(x);\n    b(x);', mixed)).toEqual({
      ok: false,
      reason: 'it has several lines, and those of the file do not all end alike',
    });
  });

  it('where the file parses no worse, by the number of its errors', async () => {
    const countSyntaxErrors: CountSyntaxErrors = async (_language, text) => (text.includes('broken') ? 3 : 2);
    expect(await judge('eval(x)', 'run(x)', { countSyntaxErrors })).toMatchObject({ ok: true });
    expect(await judge('eval(x)', 'broken', { countSyntaxErrors })).toEqual({
      ok: false,
      reason: 'the file would parse worse',
    });
  });

  it('though it moves a bracket, where a parser has the word', async () => {
    expect(await judge('eval(x);', "log('{');", { countSyntaxErrors: async () => 0 })).toMatchObject({ ok: true });
  });
});

describe('a fix is not offered', () => {
  it.each([
    ['its text is not in the file', 'eval(y)', 'run(y)'],
    ['its text is in the file more than once', 'done();', 'finish();'],
    ['it changes nothing', 'eval(x);', 'eval(x);'],
    ['it breaks the indentation', '    eval(x);', 'run(x);'],
    ['it breaks the indentation', '    eval(x);', '    a(x);\nb(x);'],
    ['it breaks the indentation', '    eval(x);', '\trun(x);'],
    ['it breaks the indentation', 'eval(x);', 'a(x);\n\tb(x);'],
    ['it would leave brackets unbalanced', 'eval(x);', 'if (y) { run(x);'],
    ['it touches a secret that was taken out', 'eval(x)', "login('[REDACTED:generic:1f3a]')"],
  ])('when %s', async (reason, find, replace) => {
    expect(await judge(find, replace)).toEqual({ ok: false, reason });
  });

  it('when its text overlaps with itself, which is more than once', async () => {
    expect(await judge('aa', 'b', { text: 'aaa' })).toMatchObject({ ok: false });
  });
});

describe('several fixes', () => {
  it('are applied together, but for those that overlap an earlier one', async () => {
    const fixes = await Promise.all([
      judge('eval(x)', 'run(x)'),
      judge('    eval(x);', '    go(x);'),
      judge('function a', 'function b'),
    ]);
    const sound = fixes.flatMap((fix) => (fix.ok ? [fix] : []));
    expect(sound).toHaveLength(3);
    expect(applyFixes(TEXT, sound)).toBe(TEXT.replace('eval', 'run').replace('function a', 'function b'));
  });

  it('come to nothing when there are none', () => {
    expect(applyFixes(TEXT, [])).toBeUndefined();
  });
});
