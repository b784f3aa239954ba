/** The rules of counting, one short text each, and the scanner against arbitrary bytes. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs of other languages.
import { describe, expect, it } from 'vitest';
import { createLexers } from '../../../workers/analysis/embedded.js';
import { languages, other } from '../../../workers/analysis/languages/index.js';
import { countLines, type LineCounts } from '../../../workers/analysis/lexer/scan-lines.js';
import { figures, measure } from './measure.js';

/** Name, text, `code/comments/blanks`. */
const RULES: readonly (readonly [rule: string, name: string, text: string, expected: string])[] = [
  ['a blank line in a block comment is comment', 'a.c', '/*\n\n*/\n', '0/3/0'],
  ['form feeds and vertical tabs are blank', 'a.c', '\f\n\v\n \t\r\n', '0/0/3'],
  ['code after the end of a comment is code', 'a.c', '/*\n*/ int x;\n', '1/1/0'],
  ['a missing final newline changes nothing', 'a.c', 'int x;\n// y', '1/1/0'],
  ['a backslash continues a line comment in C', 'a.c', '// a \\\n b\nint x;\n', '1/2/0'],
  ['an open comment runs to the end', 'a.c', 'int x;\n/* a\n\nb', '1/3/0'],
  ['an open string ends with its line', 'a.c', 'char *s = "a;\n// c\n', '1/1/0'],
  ['a digit separator opens no literal', 'a.cpp', "int x = 1'000'000; /* a\nb */\nchar c = '\"'; // \"\n", '2/1/0'],
  ['a raw string hides comment marks in C++', 'a.cpp', 'auto s = R"x(\n/* )" \n)x";\n// c\n', '3/1/0'],
  ['comments nest in Rust', 'a.rs', '/* /* */\n*/\nfn f() {}\n', '1/2/0'],
  ['a lifetime is not a character', 'a.rs', "fn f<'a>(x: &'a str) {} /*\n'\"' */\nlet c = '\"'; // \"\n", '2/1/0'],
  ['a raw string counts its hashes', 'a.rs', 'let s = r##"\n"# /*\n"##;\n// c\n', '3/1/0'],
  ['a backslash continues a comment in Tcl', 'a.tcl', '# a \\\n b\nset x "# c"\nset y 1 ;# d \\\n e\n', '2/3/0'],
  ['a section of characters holds no comment', 'a.xml', '<a><![CDATA[\n<!-- b\n]]></a>\n<!-- c\n-->\n', '3/2/0'],
  [
    'what LaTeX prints as it stands holds no comment, and what it leaves out is one',
    'a.tex',
    '\\begin{verbatim}\n% a\n\\end{verbatim}\n\\begin{comment}\nb\n\\end{comment}\n\\begin{verbatimx}% c\n\\% d\n% e\n',
    '5/4/0',
  ],
  ['a back-quoted string is raw in Go', 'a.go', 'var s = `\n\n/*`\n// c\n', '3/1/0'],
  [
    'a docstring is comment, an assigned string is code',
    'a.py',
    'def f():\n    """D\n\n    d."""\n    x = """a\n\n    b"""\n',
    '4/3/0',
  ],
  ['an argument is no docstring', 'a.py', 'f(\n"""a\nb"""\n)\n', '4/0/0'],
  ['a prefixed docstring is comment, a formatted string is code', 'a.py', 'r"""a\nb"""\nf"""c\nd"""\n', '2/2/0'],
  ['a continued string is no docstring', 'a.py', 'x = \\\n"""a\nb"""\n', '3/0/0'],
  ['a shebang is comment where the hash is', 'a.sh', '#!/bin/sh\necho "#"\n', '1/1/0'],
  ['a hash within a shell word opens no comment', 'a.sh', 'echo ${#x} a#b $# "\n# c"\n# d\n', '2/1/0'],
  ['a here-document is code to its word', 'a.sh', "cat <<-'EOF' <<B\n# a\n\n\tEOF\n# b\nB\n# c\n", '6/1/0'],
  ['a shift is no here-document', 'a.sh', 'x=$((1 <<y))\n# c\n\n', '1/1/1'],
  [
    'a template literal holds expressions that hold literals',
    'a.js',
    'x = `\n${f(`/*`, { a: "}" })} // a\n`;\n// c\n',
    '3/1/0',
  ],
  [
    'a regular expression hides quotes and marks',
    'a.js',
    'x = a / b; y = /["/*]\\//; // "\nreturn /`/.test(z);\n// c\n',
    '2/1/0',
  ],
  ['a regular expression takes no line end along', 'a.js', 'x = /\\\n/; // a\ny\n', '3/0/0'],
  ['a division is no regular expression', 'a.ts', "x = (a) / 2; y = '/'; /* a\nb */\n", '1/1/0'],
  [
    'a script in a page is scanned as a script',
    'a.html',
    '<!-- a\n-->\n<script>\n// b\nx = "<!--";\n</script>\n<p>don\'t</p>\n<style>\n/* c */\n</style>\n',
    '6/4/0',
  ],
  ['a long bracket closes at its own level in Lua', 'a.lua', '--[==[ a\n]] b\n]==] x = [[\n-- c\n]]\n-- d\n', '3/3/0'],
  [
    'a heredoc ends in Ruby where its flag lets it',
    'a.rb',
    'x = <<~A + y\n  # a\n  A\n# b\nz = %w[# a]\n=begin\nq\n=end\n',
    '4/4/0',
  ],
  [
    'quote operators take any delimiter in Perl',
    'a.pl',
    'my $x = q{# a {b} #};\ns{#}{"} if m/\\/#/;\n$#a; $h{s}; # c\n# d\n',
    '3/1/0',
  ],
  ['documentation ends at its cut in Perl', 'a.pl', 'my $x;\n=pod\n\n= x\n\n=cut\n1;\n__END__\nrest\n', '3/6/0'],
  ['a here-string ends at the start of a line in PowerShell', 'a.ps1', '$x = @"\n "@ # a\n"@\n# b\n', '3/1/0'],
  [
    'a verbatim string ends at its quote in C#',
    'a.cs',
    'var s = @"\\"; // "\nvar r = """\n" /*\n""";\n// c\n',
    '4/1/0',
  ],
  ['interpolation holds strings in Kotlin', 'a.kt', 'val s = "${m["/*"]}"\n// c\n', '1/1/0'],
  ['a doubled quote stays in its string in SQL', 'a.sql', "select 'it''s -- a\n/*'\n-- c\n", '2/1/0'],
  ['dollar quotes hold functions in PostgreSQL', 'a.sql', 'do $f$\n-- a\n$f$;\n-- c\n', '3/1/0'],
  ['an arrow is no comment in Haskell', 'a.hs', "x --> y = f' '\"' {- a {- b -}\n-}\n-- c\n", '1/2/0'],
  [
    'a literal scalar is text in YAML',
    'a.yml',
    'a:\n  - run: |\n      # a\n\n      b\n    # c\n  - >-\n    # d\n\nx: |y # e\n',
    '8/1/1',
  ],
  ['a comment that fills whole lines in MATLAB', 'a.m', "function f()\n%{\n a %}\n%}\nx = y';  % '\n", '2/3/0'],
  ['fixed form comments in Fortran 77', 'a.f', 'C a\nc b\n      CALL X\n! c\n', '1/3/0'],
  ['column seven comments in COBOL', 'a.cbl', '000100* a\n000200 MOVE A TO B.\n', '1/1/0'],
  ['whatever is no command is a remark in Brainfuck', 'a.bf', 'adds two\n,>,[-<+>] and so on\n\nso.\n', '2/1/1'],
  [
    'a literate text is comment but for the lines it marks',
    'a.lhs',
    'Prose.\n  -- more\n\n> f x = "{-" -- c\n> -- d\n>\nEnd.\n\\begin{code}\ng = 1\n\\end{code}\n',
    '4/4/2',
  ],
  [
    'the margin of an export is no part of its lines',
    'a.xpo',
    'SOURCE #f\n  #/* a\n  #\n  # b */\n  #\n  #x;\n',
    '2/3/1',
  ],
  ['an escape of several bytes keeps a string open', 'a.🍇', '🔤a❌🔤\n💭 b🔤\n💭 c\n', '2/1/0'],
  ['a quoted remark is a comment in Wenyan', 'a.wy', '批曰。「「甲\n乙」」。\n吾有一數。曰「「批曰」」。\n', '1/2/0'],
  [
    'a hash beside a word opens no comment in Civet',
    'a.civet',
    '#private = list#\n  #x = 1\n  # c\n/// a # b\n// c ///\n',
    '3/2/0',
  ],
  ['prose is code', 'a.md', '# a\n\n<!-- b -->\n', '2/0/1'],
  ['a text of no known language has code and blanks', 'a.unheard-of', 'a\n\n# b\n', '2/0/1'],
];

/** A small generator with a seed, so that a failure can be had again (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const PIECES = [
  ...[
    '\n',
    '\n',
    '\r\n',
    ' ',
    '\\',
    '"',
    "'",
    '`',
    '"""',
    "'''",
    '/*',
    '*/',
    '//',
    '#',
    '--',
    '<!--',
    '-->',
    '{-',
    '-}',
    '(*',
    '*)',
  ],
  ...[
    '${',
    '}',
    '{',
    '(',
    ')',
    '[',
    ']',
    '<<EOF',
    'EOF',
    '<<~A',
    'r#"',
    '"#',
    'R"x(',
    ')x"',
    '=begin',
    '=end',
    '=pod',
    '=cut',
    '%w[',
  ],
  ...[
    'q{',
    's/',
    'm!',
    '/',
    '|',
    '>',
    ': |',
    '<script>',
    '</script>',
    '<style',
    '<script type=text/html>',
    '<template lang=pug>',
    '```',
    '~~~md',
    '---',
    'js',
    'html',
    '-#',
    '$$',
    '[==[',
    ']==]',
    '@"',
    '"@',
    '%{',
    '%}',
    'x',
    '1',
    '\0',
    'é',
    '\xff',
  ],
];

const lexers = createLexers();
const sum = (parts: LineCounts['embedded'], field: 'code' | 'comments' | 'blanks') =>
  parts.reduce((total, part) => total + part[field], 0);

describe('counting lines', () => {
  it.each(RULES)('%s', (_rule, name, text, expected) => {
    expect(figures(measure(name, text))).toBe(expected);
    expect(figures(measure(name, text.replaceAll(/\r?\n/g, '\r\n')))).toBe(expected);
  });

  it('never throws, and divides all lines, whatever the bytes', () => {
    const random = createRandom(20);
    for (const language of languages) {
      const { name } = language;
      const lexer = lexers.of(language);
      for (let round = 0; round < 3; round += 1) {
        const text = Buffer.from(
          Array.from({ length: random(120) }, () => PIECES[random(PIECES.length)]).join(''),
          'latin1',
        );
        const bytes = Buffer.concat([text, Buffer.from('*/ """ x')]);
        const { lines, code, comments, blanks, embedded } = countLines(bytes, { start: 0, end: text.length }, lexer);
        const newlines = text.filter((byte) => byte === 10).length;
        const expected = newlines + (text.length > 0 && text.at(-1) !== 10 ? 1 : 0);

        expect([name, text.toString('latin1'), lines]).toEqual([name, text.toString('latin1'), expected]);
        expect(code + comments + blanks).toBe(lines);
        expect(embedded.flatMap((part) => [part.code, part.comments, part.blanks]).filter((n) => n < 0)).toEqual([]);
        expect(sum(embedded, 'code')).toBeLessThanOrEqual(code);
        expect(sum(embedded, 'comments')).toBeLessThanOrEqual(comments);
        expect(sum(embedded, 'blanks')).toBeLessThanOrEqual(blanks);
      }
    }
  });

  it('does not read behind the end of its range', () => {
    const text = Buffer.from('int x; /* a');
    const stale = Buffer.concat([text, Buffer.from('\0 */ int y;\nint z;\n')]);

    expect(countLines(stale, { start: 0, end: text.length }, lexers.of(other)).lines).toBe(1);
  });

  it('refuses a buffer without room for its end mark', () => {
    expect(() => countLines(Buffer.from('x'), { start: 0, end: 1 }, lexers.of(other))).toThrow(RangeError);
  });

  it.each([
    ['a.pl', 'q(s{m['],
    ['a.swift', '#'],
    ['a.pl', '<<A <<B '],
    ['a.pl', "'\n$x =~ /"],
    ['a.js', 'a = /[`${'],
    ['a.sh', 'cat <<X\n'],
    ['a.html', '<script '],
    ['a.cpp', "1'1'"],
    ['a.yml', 'a: |\n'],
    ['a.rs', "r#####'a"],
    ['a.md', '```md\n~~~md\n'],
    ['a.md', '```html\n<script>\n'],
    ['a.md', '```html\n<script>\n```\n'],
    ['a.md', '`'],
    ['a.html', '<script type=text/html>\n'],
    ['a.html', '<script></style>'],
    ['a.vue', '<template \n'],
    ['a.vue', '<template >\n'],
    ['a.haml', '/\n\n'],
    ['a.haml', ' -# a\n'],
    ['a.ipynb', '['],
    ['a.ipynb', '{"cells":'],
  ])('takes time in proportion to the text, even for %s full of %j', (name, piece) => {
    const [some, fourTimes] = [125_000, 500_000].map((chars) => piece.repeat(Math.ceil(chars / piece.length)));
    // Four times the text takes about four times as long; a reader that is quadratic takes sixteen times, of seconds. What takes
    // less than a millisecond is drowned by what the process does besides.
    expect(leastCpuMs(name, fourTimes)).toBeLessThan(10 * leastCpuMs(name, some) + 10);
  });
});

/** The time this process itself spends, whatever else the machine does: the least of a few, without what is only met at first. */
function leastCpuMs(name: string, text = ''): number {
  const times = Array.from({ length: 4 }, () => {
    const before = process.cpuUsage();
    expect(measure(name, text).lines).toBeGreaterThan(0);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
