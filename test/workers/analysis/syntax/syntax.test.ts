/** The syntax service: what counts as an error, and that no text, however hostile, takes more than its own answer along. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs of other languages.
import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { languages } from '../../../../workers/analysis/languages/index.js';
import { parsedLanguages } from '../../../../workers/analysis/syntax/grammars.js';
import { createSyntax, type SyntaxOptions } from '../../../../workers/analysis/syntax/syntax.js';

const never = new AbortController().signal;

function setup(options: SyntaxOptions = {}) {
  const syntax = createSyntax(options);
  onTestFinished(() => syntax.close());
  const errors = (language: string, text: string, signal = never) =>
    syntax.countSyntaxErrors(language, text, { signal });
  return { syntax, errors };
}

/** Language, a text that is well-formed, and one that is not. */
const TEXTS: readonly (readonly [language: string, sound: string, broken: string])[] = [
  ['JavaScript', 'const f = async (a) => { await a?.b; };\n', 'const f = (a => { ;\n'],
  ['TypeScript', 'export type A<T> = { a: T };\n', 'export type A<T = { a: T };\n'],
  ['TSX', 'const a = <A b={c as D}>e</A>;\n', 'const a = <A b={c as D}>e</B\n'],
  ['Python', 'def f(a):\n    match a:\n        case 1: pass\n', 'def f(a:\n    return\n'],
  ['Go', 'package a\nfunc f[T any](x T) T { return x }\n', 'package a\nfunc f( { return }\n'],
  ['Java', 'record A(int b) { int c() { return b; } }\n', 'class A { int c( { return b; } }\n'],
  ['C', 'int class(void) { return 1; }\n', 'int f(void) { return 1 }}\n'],
  ['C Header', 'static inline int new(int a) { return a; }\n', 'int f(int a;\n'],
  ['C++', 'template <class T> auto f(T a) -> T { return a; }\n', 'template <class T auto f( { }\n'],
  ['C++ Header', 'namespace a { class B; }\n', 'namespace a { class B\n'],
  ['C++ Module', 'namespace a { class B; }\n', 'namespace a { class B\n'],
  ['Arduino', 'void loop() { delay(1); }\n', 'void loop() { delay(1; }\n'],
  ['C#', 'record A(int B); class C { int D => 1; }\n', 'class C { int D( => 1; }\n'],
  ['C# Designer', 'partial class C { int d; }\n', 'partial class C { int d;\n'],
  ['Rust', "fn f<'a>(a: &'a str) -> Option<&'a str> { Some(a) }\n", 'fn f(a: -> { }\n'],
  ['Ruby', 'def f(a) = a&.b\n', 'def f(a\n  if a\n'],
  ['PHP', '<?php function f(?int $a): int { return $a ?? 1; }\n', '<?php function f( { return; }\n'],
  ['Shell', 'if [ -n "$a" ]; then echo "$a"; fi\n', 'if [ -n "$a" ]; then echo\n'],
  ['Bash', '[[ $a =~ b ]] && echo "${a[@]}"\n', '[[ $a =~ b && ( echo\n'],
  ['PKGBUILD', 'pkgver=1\nbuild() {\n  make\n}\n', 'build() {\n  make\n'],
  ['Ebuild', 'EAPI=8\nsrc_compile() {\n  emake\n}\n', 'src_compile() {\n  emake\n'],
  ['Swift', 'func f(_ a: Int?) -> Int { guard let a else { return 1 }\n  return a }\n', 'func f( -> { }\n'],
  ['Dart', 'int f(int? a) => a ?? 1;\n', 'int f(int? a => a ?? 1\n'],
];

describe('the errors of a text', () => {
  const shared = createSyntax();
  afterAll(() => shared.close());

  it.each(TEXTS)('are none where %s is well-formed, and some where it is not', async (language, sound, broken) => {
    expect(await shared.countSyntaxErrors(language, sound, { signal: never })).toBe(0);
    expect(await shared.countSyntaxErrors(language, broken, { signal: never })).toBeGreaterThan(0);
  });

  it('are known for every language with a grammar, each a language by that name', () => {
    expect(TEXTS.map(([language]) => language).sort()).toEqual([...parsedLanguages].sort());
    const known = new Set(languages.map(({ name }) => name));
    expect(parsedLanguages.filter((name) => !known.has(name))).toEqual([]);
  });

  it('count stretches that fit nowhere and tokens that are missing', async () => {
    const { errors } = setup();
    expect(await errors('JavaScript', 'f(;\n')).toBe(1);
    expect(await errors('JavaScript', 'f(a b);\n{ @ }\n')).toBeGreaterThan(1);
    expect(await errors('C', 'int f(void) { return 1; }\nint a = (1;\n')).toBe(1);
  });

  it('are unknown for a language without a grammar and for a text over the limit', async () => {
    const { errors } = setup({ maxBytes: 10 });
    expect(await errors('COBOL', 'x')).toBeUndefined();
    expect(await errors('no language', 'x')).toBeUndefined();
    expect(await errors('JavaScript', 'äääääa')).toBeUndefined();
    expect(await errors('JavaScript', 'aaaaaaaaaa')).toBe(0);
  });

  it('are unknown where a parse takes too many steps, which harms no other text', async () => {
    const { errors } = setup({ maxSteps: 100 });
    expect(await errors('JavaScript', 'f(a && b);'.repeat(100_000))).toBeUndefined();
    expect(await errors('JavaScript', 'f(')).toBe(1);
  });
});

describe('a hostile text', () => {
  const HOSTILE: readonly (readonly [what: string, language: string, text: string])[] = [
    ['20,000 brackets in each other', 'JavaScript', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['100,000 brackets that never close', 'C', '('.repeat(100_000)],
    ['deep blocks', 'Go', `package a\nfunc f() {${'{'.repeat(20_000)}${'}'.repeat(20_000)}}`],
    ['deep calls', 'Python', `${'f('.repeat(20_000)}${')'.repeat(20_000)}`],
    ['deep templates', 'TypeScript', '`${'.repeat(20_000)],
    ['deep generics', 'Rust', `type A = ${'B<'.repeat(10_000)}C${'>'.repeat(10_000)};`],
    ['one line of a megabyte', 'JavaScript', 'a=b&&c||d?e:f(g);'.repeat(61_000)],
    ['NULs', 'C', 'int\0x;\0'.repeat(10_000)],
    ['replacement characters and lone surrogates', 'Python', '\ufffd\udc80 = "\ud800"\n'.repeat(1000)],
    ['open here-documents', 'Bash', 'cat <<A <<B\n'.repeat(2000)],
    ['nothing', 'PHP', ''],
  ];

  it.each(HOSTILE)('of %s is answered or given up, and the next is read as ever', async (_what, language, text) => {
    const { errors } = setup({ maxSteps: 10_000 });
    const found = await errors(language, text);
    expect(found === undefined || found >= 0).toBe(true);
    expect(await errors('JavaScript', 'f(')).toBe(1);
  });

  it('that takes more memory than a thread may have is given up, and the next is read as ever', async () => {
    const { errors } = setup({ maxBytes: 1 << 24, maxSteps: 10_000_000 });
    const [large, small] = await Promise.all([
      errors('JavaScript', 'a=b&&c||d?e:f(g);'.repeat(500_000)),
      errors('JavaScript', 'f('),
    ]);
    expect([large, small]).toEqual([undefined, 1]);
  });
});

describe('the service', () => {
  it('answers many at once on its threads', async () => {
    const { errors } = setup({ threads: 2 });
    const found = await Promise.all(
      Array.from({ length: 40 }, (_, i) => errors('C', 'int a = (1;\n'.repeat(i), new AbortController().signal)),
    );
    expect(found).toEqual(Array.from({ length: 40 }, (_, i) => i));
  });

  it('rejects with the reason of an abort, at work and in the queue, and goes on', async () => {
    const { errors } = setup();
    const abort = new AbortController();
    const reason = new Error('enough');
    const asked = [1, 2, 3].map(() => errors('JavaScript', 'f(a && b);'.repeat(100_000), abort.signal));
    abort.abort(reason);
    for (const question of asked) await expect(question).rejects.toBe(reason);
    await expect(errors('C', '', abort.signal)).rejects.toBe(reason);
    expect(await errors('JavaScript', 'f(')).toBe(1);
  });

  it('lets a process end that forgot to close it, and lets one that closes it see that through', () => {
    const url = new URL('../../../../dist/workers/analysis/syntax/syntax.js', import.meta.url).href;
    const run = (end: string) => {
      const script = `import('${url}').then(async ({ createSyntax }) => {
        const syntax = createSyntax();
        const { signal } = new AbortController();
        const errors = await syntax.countSyntaxErrors('C', 'int x;', { signal });
        ${end}
        process.stdout.write('errors ' + errors);
      })`;
      return execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 60_000 });
    };
    expect(run('')).toBe('errors 0');
    expect(run('await syntax.close();')).toBe('errors 0');
  });

  it('rejects what is open when it is closed, and what comes later', async () => {
    const { syntax, errors } = setup();
    const open = Promise.allSettled([errors('C', 'int x;'), errors('C', 'int y;')]);
    await Promise.all([syntax.close(), syntax.close()]);
    expect(await open).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    await expect(errors('C', '')).rejects.toThrow(/closed/);
  });
});
