/** Cyclomatic and cognitive complexity against what their sources publish, one row a rule or an example. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs of other languages.
import { afterAll, describe, expect, it } from 'vitest';
import { createSyntax } from '../../../../workers/analysis/syntax/syntax.js';

const syntax = createSyntax();
afterAll(() => syntax.close());

async function measure(language: string, text: string) {
  const measured = await syntax.measureFunctions(language, text, { signal: new AbortController().signal });
  if (measured === undefined) throw new Error(`${language} was not measured`);
  return measured;
}

/** Each function as `name cyclomatic/cognitive`, by its line. */
async function figures(language: string, text: string): Promise<string> {
  const { functions } = await measure(language, text);
  const rows = [...functions].sort((a, b) => a.line - b.line || b.endLine - a.endLine);
  return rows.map(({ name, cyclomatic, cognitive }) => `${name} ${cyclomatic}/${cognitive}`).join(', ');
}

const inMethod = (body: string) => `class A {\n boolean m(int n) {\n${body}\n }\n}\n`;

/** Examples in the shape of those in G. Ann Campbell's paper, with the scores that it gives them. */
const PUBLISHED: readonly (readonly [example: string, language: string, text: string, expected: string])[] = [
  [
    'a sum of primes, with a labelled jump, is 7 where McCabe has 4',
    'Java',
    inMethod(
      'int t = 0;\nNEXT: for (int i = 2; i <= n; i++) {\nfor (int j = 2; j < i; j++) {\nif (i % j == 0) {\ncontinue NEXT;\n}\n}\nt += i;\n}\nreturn t > 0;',
    ),
    'm 4/7',
  ],
  [
    'a switch is 1 where McCabe has 4',
    'Java',
    inMethod('switch (n) {\ncase 1: return a;\ncase 2: return b;\ncase 3: return c;\ndefault: return d;\n}'),
    'm 4/1',
  ],
  [
    'nesting: a try with an if, a for and a while in each other, and an if in its catch, is 9',
    'Java',
    inMethod('try {\nif (a) {\nfor (;;) {\nwhile (b) { }\n}\n}\n} catch (E | F e) {\nif (c) { }\n}'),
    'm 6/9',
  ],
  ['an if in a lambda is 2', 'Java', inMethod('Runnable r = () -> {\nif (a) { }\n};'), 'm 2/2'],
  ['a row of like operators is 1', 'Java', inMethod('return a && b && c && d;'), 'm 4/1'],
  ['operators that change are 1 a change', 'Java', inMethod('return a && b && c || d || e && f;'), 'm 6/3'],
  ['a negated row is a row of its own', 'Java', inMethod('if (a && !(b && c)) { }'), 'm 4/3'],
  [
    'an else-if is 1, however deep the if',
    'C#',
    'class A { void m() { while (a) { if (b) { } else if (c) { } else { } } } }',
    'm 4/5',
  ],
  [
    'in C, where functions do not nest, one that a macro seems to open around others does not answer for them',
    'C',
    'int macro(a)\n{\nint f(int n) { if (n) { if (n > 1) return 1; } return 0; }\nint g(int n) { while (n) n--; return n; }\n}\n',
    'macro 1/0, f 3/3, g 2/1',
  ],
  ['a null-coalescing operator costs nothing', 'C#', 'class A { B m() => a?.b ?? c; }', 'm 2/0'],
  [
    'a switch expression is 1',
    'C#',
    'class A { int m(int n) { return n switch { 1 => 2, 3 => 4, _ => 5 }; } }',
    'm 3/1',
  ],
  ['a goto is 1', 'C', 'void m(void) {\nif (a) goto out;\nout: return;\n}', 'm 2/2'],
  ['recursion is 1', 'C', 'int m(int n) { return n ? m(n - 1) + m(n - 2) : 0; }', 'm 2/2'],
  [
    'a decorator does not answer for what it wraps',
    'Python',
    'def d(a, b):\n    def inner(f):\n        if a:\n            return b\n    return inner\n',
    'd 1/0, inner 2/1',
  ],
  [
    'but any other function around a function does',
    'Python',
    'def d(a, b):\n    c = a\n    def inner(f):\n        if c:\n            return b\n    return inner\n',
    'd 1/2, inner 2/1',
  ],
  [
    'a function that is but a namespace does not answer either',
    'JavaScript',
    'function space() {\n var x = 0;\n function inner() {\n if (x) { }\n }\n return inner;\n}',
    'space 1/0, inner 2/1',
  ],
  [
    'one that branches itself does',
    'JavaScript',
    'function outer() {\n if (y) { }\n function inner() {\n if (x) { }\n }\n}',
    'outer 2/3, inner 2/1',
  ],
];

/** One function a language that holds what the language can branch with; the sums stand in the comments. */
const LANGUAGES: readonly (readonly [language: string, text: string, expected: string])[] = [
  // cyclomatic as ESLint: default, ??, ?., &&, if, ternary · cognitive: if, &&, ternary 2
  ['JavaScript', 'const f = (a = 1) => {\n if (a && b) { return c ? d : e; }\n return a?.b ?? c;\n};', 'f 7/4'],
  // switch with two cases, for-of in it, catch
  [
    'TypeScript',
    'class A {\n m(a?: number): void {\n switch (a) {\n case 1: for (const b of c) { } break;\n case 2: break;\n default:\n }\n try { } catch { }\n }\n}',
    'm 5/4',
  ],
  [
    'TSX',
    'const A = () => {\n const q = useCallback(() => { if (b && c) { } });\n return <p>{b ? c : d}</p>;\n};',
    'A 2/4, (anonymous) 3/2',
  ],
  // if elif else, or, for, comprehension with if, except, conditional expression, match with two cases
  [
    'Python',
    'def f(a):\n    if a or b: pass\n    elif c: pass\n    else: pass\n    for i in [x for x in y if x]: pass\n    try: pass\n    except E: d = 1 if a else 2\n    match a:\n        case 1: pass\n        case 2: pass\n',
    'f 11/9',
  ],
  // as gocyclo: if, for, case, && and ||; else-if and else cost, the literal belongs to its function
  [
    'Go',
    'package a\nfunc (t *T) f(a, b int) {\n if a && b || c {\n } else if d {\n } else {\n for { break }\n }\n switch a {\n case 1, 2:\n default:\n }\n g := func() { if a { } }\n}',
    'f 8/10',
  ],
  [
    'Java',
    'class A {\n A(int a) {\n for (int b : c) { if (d) { } else { } }\n do { } while (e ? f : g);\n }\n}',
    'A 5/6',
  ],
  // do and case, conditional, switch
  [
    'C',
    'static int *f(int a, char *b) {\n do { } while (a);\n switch (a) {\n case 1: case 2: break;\n default: break;\n }\n return a ? b : 0;\n}',
    'f 5/3',
  ],
  // range-for with a try in it, alternative tokens, the lambda belongs to its function
  [
    'C++',
    'int A::f(int a) {\n for (auto x : y) { try { } catch (...) { } }\n auto l = [](int z) { return z && 1; };\n return a and b or c;\n}',
    'A::f 6/6',
  ],
  [
    'C#',
    'class A {\n int P { get { return a ?? b; } }\n int F() {\n foreach (var x in y) { }\n switch (a) { case 1: break; default: break; }\n int L() { if (a) { } return 1; }\n return 0;\n }\n}',
    'get 2/0, F 3/4, L 2/1',
  ],
  // if, &&, else-if, else; a match of three arms decides twice; a labelled break; a let with an else
  [
    'Rust',
    "impl A {\n fn f(&self, a: i32) -> i32 {\n if a > 1 && b { 1 } else if let Some(x) = y { 2 } else {\n match a { 1 => 2, 2 => 3, _ => 4 } };\n 'l: loop { break 'l; }\n let Some(z) = y else { return 1 };\n self.f(2)\n }\n}",
    'f 7/9',
  ],
  // if, &&, elsif, else with an if in it, modifier, case with two
  [
    'Ruby',
    'def f(a)\n if a && b\n  x\n elsif c\n  y\n else\n  if d then 1 end\n end\n x if y\n case a\n when 1 then 2\n when 2 then 3\n end\nrescue E\n 1\nend\n',
    'f 9/9',
  ],
  [
    'PHP',
    '<?php function f($a) {\n if ($a && $b) { } elseif ($c) { } else { }\n if ($a) { } else if ($b) { } else { }\n foreach ($a as $b) { break 2; }\n return match ($a) { 1 => 2, default => $x ?? 3 };\n}',
    'f 9/10',
  ],
  [
    'Shell',
    'f() {\n if a && b; then c; elif d || e; then x; else if g; then h; fi; fi\n for i in a; do b || c; done\n case $a in b) c;; esac\n}\n',
    'f 9/10',
  ],
  [
    'Swift',
    'class A {\n func f(_ a: Int, b: Int) -> Int {\n if a && b { } else if c { } else { }\n guard let x = y else { return 1 }\n switch a {\n case 1: break\n default: break\n }\n return z ?? 1\n }\n}',
    'f 7/6',
  ],
];

describe('complexity', () => {
  it.each(PUBLISHED)('%s', async (_example, language, text, expected) => {
    expect(await figures(language, text)).toBe(expected);
  });

  it.each(LANGUAGES)('is counted in %s as its table says', async (language, text, expected) => {
    expect(await figures(language, text)).toBe(expected);
  });

  it('counts every optional step of a chain, as ESLint does', async () => {
    const chain = 'function f() { a?.b?.[c]?.(d); }';
    expect(await figures('JavaScript', chain)).toBe('f 4/0');
    expect(await figures('TypeScript', chain)).toBe('f 4/0');
  });

  it('of a file counts code outside functions, and no function twice', async () => {
    const text =
      'if (a) { }\nfunction f() {\n if (b) { }\n function g() { if (c) { } }\n}\nfunction n() {\n const h = () => { if (d) { } };\n}\n';
    const { cognitive } = await measure('JavaScript', text);
    expect(await figures('JavaScript', text)).toBe('f 2/3, g 2/1, n 1/0, h 2/1');
    expect(cognitive).toBe(1 + 3 + 0 + 1);
  });

  it('does not take a bare call of a method for recursion where it calls a function', async () => {
    const call = (language: string, text: string) => figures(language, text);
    expect(await call('JavaScript', 'class A { open() { open(); } close() { this.close(); } }')).toBe(
      'open 1/0, close 1/1',
    );
    expect(await call('Python', 'class A:\n  def open(self): open()\n  def close(self): self.close()\n')).toBe(
      'open 1/0, close 1/1',
    );
    expect(await call('Java', 'class A { void open() { open(); } void opened() { open(); } }')).toBe(
      'open 1/1, opened 1/0',
    );
  });
});

describe('a function', () => {
  const PARAMETERS: readonly (readonly [language: string, text: string, name: string, parameters: number])[] = [
    ['C', 'int (*f(int a, char *b))(int) { return 0; }', 'f', 2],
    ['C', 'void f(void) { }', 'f', 0],
    ['C++', 'bool A::operator==(const A& a) const { return true; }', 'A::operator==', 1],
    ['Go', 'package a\nfunc f(a, b int, c ...string) { }', 'f', 3],
    ['JavaScript', 'exports.f = async a => a;', 'exports.f', 1],
    ['JavaScript', 'const o = { "k-l": function (a, /* no */ b) { } };', '"k-l"', 2],
    ['TypeScript', 'class A { private f = (a: B<C>) => a; }', 'f', 1],
    ['Python', 'def f(self, a=1, *b, **c): pass', 'f', 4],
    ['Rust', 'fn f<T>(a: T, b: T) {}', 'f', 2],
    ['Ruby', 'def self.f(a, b = 1, &c); end', 'f', 3],
    ['PHP', '<?php function f(int $a, ...$b) {}', 'f', 2],
    ['C#', 'class A { public static A operator +(A a, A b) => a; void F<T>(T a) { } }', 'F', 1],
    ['Swift', 'func f(_ a: Int, b: Int) { }', 'f', 2],
    ['Bash', 'function f { a; }', 'f', 0],
  ];

  it.each(PARAMETERS)('in %s, `%s`, has its name and parameters', async (language, text, name, parameters) => {
    const { functions } = await measure(language, text);
    expect(functions.find((found) => found.name === name)?.parameters).toBe(parameters);
  });

  it('has its first and last line, and how deep it nests', async () => {
    const { functions } = await measure('C', '\n/* a */\nint f(int a)\n{\n\tif (a)\n\t\twhile (a)\n\t\t\ta--;\n}\n');
    expect(functions).toMatchObject([{ name: 'f', line: 3, endLine: 8, nesting: 2 }]);
  });

  it('is found beside code that does not parse', async () => {
    expect(await figures('JavaScript', 'let = = 3;\nfunction f() { if (a) { } }\n)))\n')).toContain('f 2/1');
  });

  it('may nest as deep as a text can', async () => {
    const deep = 10_000;
    const { functions } = await measure('JavaScript', `function f() {${'if (a) {'.repeat(deep)}${'}'.repeat(deep)}}`);
    expect(functions).toMatchObject([{ cyclomatic: deep + 1, cognitive: (deep * (deep + 1)) / 2, nesting: deep }]);
    const closures = await measure('JavaScript', `${'(() => {'.repeat(5000)}${'})()'.repeat(5000)}`);
    expect(closures.functions).toHaveLength(5000);
  });
});
