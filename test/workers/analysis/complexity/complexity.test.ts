/** Complexity of whole trees: sums, order, bounds, and that nothing a tree holds can fail, hang or outlast it. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs of other languages.
import { describe, expect, it } from 'vitest';
import { createDecisionCounter } from '../../../../workers/analysis/complexity/count-decisions.js';
import { languagesWithDecisionRules } from '../../../../workers/analysis/complexity/decision-rules.js';
import {
  type ComplexityOptions,
  functionsOf,
  type MeasuredFile,
  measureComplexity,
  measureEach,
} from '../../../../workers/analysis/complexity/measure-complexity.js';
import { createLexers } from '../../../../workers/analysis/embedded.js';
import { languages } from '../../../../workers/analysis/languages/index.js';
import { plantTree, type Tree } from '../trees.js';

const lexers = createLexers();
const counter = createDecisionCounter();

function decisions(name: string, text: string): number {
  const language = languages.find((known) => known.name === name);
  if (language === undefined) throw new Error(`${name} is no language`);
  const bytes = Buffer.concat([Buffer.from(text), Buffer.alloc(1)]);
  return counter.count({ bytes, start: 0, end: bytes.length - 1 }, name, lexers.of(language)).decisions;
}

/** Language, text, decision points. */
const POINTS: readonly (readonly [language: string, text: string, expected: number])[] = [
  ['C', '/* if */ if (a && b) { // while\n for (;;) puts("if || ?"); } c = a ? b : \'?\';\n', 4],
  ['C', 'notif = iffy(if_x, forty); switch (a) { case 1: case 2: default: ; }\n', 2],
  ['JavaScript', 'const a = `if ${b ? c : d} else`; x = /if|while/.test(y) || z?.w ?? 1;\n', 4],
  ['JavaScript', 'p.catch(q); try { } catch { } r?.for;\n', 2],
  ['Ada', 'if a then while b loop null; end loop; end if; -- if\n', 2],
  ['Visual Basic', 'If a Then\nEnd If\n', 1],
  ['TypeScript', 'type A = { b?: c }; function f(d?: e, g?) { return d && g; }\n', 1],
  ['Python', '"""if this"""\nx = 1 if y and not z else "for"  # while\nfor i in j:\n    pass\n', 3],
  ['Go', 's := `if`\nif a || b { for { } }\nswitch { case c: }\n', 4],
  ['Rust', "fn f<'a>() { if a && b { c? } }\n", 3],
  ['Ruby', 'a.empty? ? b! : c if d?\n', 2],
  ['Ruby', 'x if y\n=begin\nif\n=end\ncase z\nwhen 1 then a ? b : c\nend\n', 3],
  ['Shell', 'cat <<E\nif for\nE\nif a && b; then c; fi # while\n', 2],
  ['Fortran', 'IF (A .AND. B) THEN ! if\nC = "if"\nEND IF\n', 2],
  ['SQL', "SELECT CASE WHEN a THEN 'if' END -- case\nFROM b WHERE c OR d\n", 2],
  ['Haskell', 'f x | x > 1 = if x then 1 else 2 -- if\n', 1],
  ['Common Lisp', '(if (and a b) "if" (cond (c d))) (end-if for-each) ; when\n', 3],
  ['COBOL', '           IF A AND B PERFORM C END-IF.\n', 2],
  ['JSON', '{"if": "a && b"}\n', 0],
  ['Markdown', 'if you can, or while you wait\n', 0],
  ['LOLCODE', 'if case\n', 2],
];

describe('decision points', () => {
  it.each(POINTS)('of %s in %j', (language, text, expected) => {
    expect(decisions(language, text)).toBe(expected);
  });

  it('have rules under names of languages only, each once', () => {
    const names = new Set(languages.map(({ name }) => name));
    expect(languagesWithDecisionRules.filter((name) => !names.has(name))).toEqual([]);
  });

  it('are counted in time linear in the text, whatever its bytes', () => {
    for (const { name } of languages) {
      const text = `${String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))}if && ?`.repeat(4);
      expect(decisions(name, text)).toBeGreaterThanOrEqual(0);
    }
  });
});

const never = new AbortController().signal;
const HARD = 'int f(int a, int b)\n{\n\tif (a)\n\t\twhile (b)\n\t\t\tif (a && b)\n\t\t\t\tb--;\n\treturn a;\n}\n';

async function measureTree(tree: Tree, options: Partial<ComplexityOptions> = {}) {
  return measureComplexity({ root: tree.root, files: await tree.list(), signal: never, ...options });
}

describe('a tree', () => {
  it('sums up by language, with its hardest functions first', async () => {
    const tree = plantTree({
      'a.c': HARD,
      'b/c.py': 'def g(x):\n    if x: pass\n\ndef h(): pass\n',
      'd.json': '{"if": 1}',
      'e.pl': 'print 1 if $x;\n',
    });
    const result = await measureTree(tree);

    expect(result.totals).toEqual({
      files: 4,
      decisions: 6,
      parsedFiles: 2,
      functions: 3,
      cyclomatic: 8,
      cognitive: 8,
    });
    expect(
      result.byLanguage.map(({ language, decisions: points, functions }) => [language, points, functions]),
    ).toEqual([
      ['C', 4, 1],
      ['Perl', 1, 0],
      ['Python', 1, 2],
    ]);
    expect(result.hardestFunctions.map(({ file, name, cognitive }) => [file, name, cognitive])).toEqual([
      ['a.c', 'f', 7],
      ['b/c.py', 'g', 1],
      ['b/c.py', 'h', 0],
    ]);
    expect(result.hardestFunctions[0]).toEqual({
      ...{ file: 'a.c', language: 'C', name: 'f', line: 1, endLine: 8, lines: 8 },
      ...{ parameters: 2, cyclomatic: 5, cognitive: 7, nesting: 3 },
    });
    expect(result.hardestFiles.map(({ file, decisions: points }) => [file, points])).toEqual([
      ['a.c', 4],
      ['b/c.py', 1],
      ['e.pl', 1],
    ]);
    expect(result.byLanguage[0]?.byCognitive).toEqual([
      { upTo: 5, functions: 0 },
      { upTo: 10, functions: 1 },
      { upTo: 15, functions: 0 },
      { upTo: 25, functions: 0 },
      { upTo: null, functions: 0 },
    ]);
    expect([result.unparsed, result.skipped]).toEqual([[], []]);
  });

  it('names no more than asked for, and comes out the same on any number of threads', async () => {
    const tree = plantTree();
    for (let i = 0; i < 60; i += 1) tree.write(`f${i}.c`, HARD.replace('int f', `int f${i}`).repeat(1 + (i % 4)));
    const one = await measureTree(tree, { limits: { threads: 1, hardest: 7 } });
    const three = await measureTree(tree, { limits: { threads: 3, hardest: 7 } });

    expect(three).toEqual(one);
    expect(one.hardestFunctions).toHaveLength(7);
    expect(one.hardestFiles).toHaveLength(7);
    expect(one.totals.functions).toBe(150);
  });

  it('can be read file by file in order, and left off', async () => {
    const tree = plantTree({ 'a.c': HARD, 'b.c': HARD + HARD, 'c.py': 'if x: pass\n', 'd.txt': 'if' });
    const files = await tree.list();
    const seen: MeasuredFile[] = [];
    for await (const file of measureEach({ root: tree.root, files, signal: never })) {
      seen.push(file);
      if (seen.length === 3) break;
    }

    expect(seen.map(({ path }) => path)).toEqual(['a.c', 'b.c', 'c.py']);
    expect(seen.map((file) => functionsOf(file).map(({ line }) => line))).toEqual([[1], [1, 9], []]);
  });

  it('tells how far it is, up to the end', async () => {
    const done: number[] = [];
    const onProgress: ComplexityOptions['onProgress'] = (progress) => done.push(progress.done);
    await measureTree(plantTree({ 'a.c': HARD, 'b.c': '', 'c.c': HARD }), { onProgress });
    expect(done).toEqual([1, 2, 3]);
  });
});

describe('a hostile tree', () => {
  it('is measured whole: each file is measured or skipped with a reason', async () => {
    const tree = plantTree({
      'deep.c': `int f(void) {${'{'.repeat(20_000)}${'}'.repeat(20_000)}}\n`,
      'line.min.c': 'a=b&&c||d?e:f(g);'.repeat(60_000),
      'errors.c': `${HARD}\n)))} int g( {\n`,
      'nul.c': 'int\0x;',
      'latin1.c': Buffer.from(`/* \xe9 */ ${HARD} // \xe9`, 'latin1'),
      'utf16.c': Buffer.from(`\uFEFF${HARD}`, 'utf16le'),
      'empty.c': '',
      'large.c': `${HARD}${'// if\n'.repeat(20_000)}`,
    });
    const files = [...(await tree.list()), 'vanished.c'];
    const result = await measureTree(tree, { files, limits: { maxParseBytes: 100_000 } });

    expect(result.skipped).toEqual([
      { reason: 'binary', files: 1, examples: ['nul.c'] },
      { reason: 'vanished', files: 1, examples: ['vanished.c'] },
    ]);
    expect(result.unparsed).toEqual([{ reason: 'too_large', files: 2, examples: ['large.c', 'line.min.c'] }]);
    expect(result.totals.decisions).toBe(4 * 4 + 180_000);
    const hard = result.hardestFunctions
      .filter(({ name }) => name === 'f')
      .map(({ file, cognitive }) => [file, cognitive]);
    expect(hard).toEqual([
      ['errors.c', 7],
      ['latin1.c', 7],
      ['utf16.c', 7],
      ['deep.c', 0],
    ]);
  });

  it('keeps the decision points of a file whose parse takes too many steps or too much memory', async () => {
    const dense = 'a=b&&c;\n'.repeat(100_000);
    const tree = plantTree({ 'huge.c': 'a=b&&c||d?e:f(g);\n'.repeat(500_000), 'slow.c': dense, 'z.c': HARD });
    const slow = await measureTree(tree, { files: ['slow.c', 'z.c'], limits: { maxParseSteps: 100 } });
    const huge = await measureTree(tree, {
      files: ['huge.c', 'z.c'],
      limits: { maxParseBytes: 1 << 24, maxParseSteps: 10_000_000 },
    });

    expect(slow.unparsed).toEqual([{ reason: 'too_complex', files: 1, examples: ['slow.c'] }]);
    expect(slow.totals).toMatchObject({ files: 2, decisions: 100_004, parsedFiles: 1, functions: 1 });
    expect(huge.unparsed).toEqual([{ reason: 'crashed', files: 1, examples: ['huge.c'] }]);
    expect(huge.totals).toMatchObject({ files: 2, decisions: 1_500_004, parsedFiles: 1, functions: 1 });
  });

  it('stops with the reason of an abort, before it begins and in the middle', async () => {
    const tree = plantTree();
    for (let i = 0; i < 40; i += 1) tree.write(`f${i}.c`, 'a=b&&c||d;\n'.repeat(20_000));
    const reason = new Error('enough');
    await expect(measureTree(tree, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    let done = 0;
    const onProgress = () => {
      done += 1;
      abort.abort(reason);
    };
    await expect(measureTree(tree, { signal: abort.signal, onProgress })).rejects.toBe(reason);
    expect(done).toBeLessThan(40);
  });
});
