/** Scripting languages and shells. */
import {
  cLike,
  double,
  javascript,
  longDouble,
  longSingle,
  python,
  single,
  slashStar,
  spacedHash,
  tripleDouble,
  tripleSingle,
} from './families.js';
import type { Language } from './language.js';

const ruby = {
  line: ['#'],
  block: [{ open: '=begin', close: '=end', place: 'column0' as const, closePlace: 'column0' as const }],
  text: [{ ...longDouble, interpolate: '#{' }, longSingle],
  heredoc: { mark: '<<', flags: '-~', capital: true },
  escapes: '?',
  regex: 'ruby' as const,
  quotes: 'ruby' as const,
  ends: ['__END__'],
};
const pod = {
  open: '=',
  close: '=cut',
  place: 'column0' as const,
  closePlace: 'column0' as const,
  notBefore: ' \t=~>(){}[]"\'$@%&;:,.-+*/\\|<!?#^`0123456789\n\r',
};
const perl = {
  line: [{ mark: '#', notAfter: '$' }],
  block: [pod],
  text: [
    { ...longDouble, notAfter: '$' },
    { ...longSingle, notAfter: '$&abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_' },
    { open: '`', close: '`', escape: '\\', multiline: true, notAfter: '$' },
  ],
  escapes: '\\',
  heredoc: { mark: '<<', flags: '~', capital: true },
  regex: 'ruby' as const,
  quotes: 'perl' as const,
  ends: ['__END__', '__DATA__'],
};
const lua = {
  line: ['--'],
  fences: [
    { open: '--[', fence: '=', quote: '[', close: ']', tail: ']', comment: true },
    { open: '[', fence: '=', quote: '[', close: ']', tail: ']' },
  ],
  text: [double, single],
};
const luau = { ...lua, text: [{ open: '`', close: '`', escape: '\\' }, double, single] };
const coffee = {
  line: ['#'],
  block: [{ open: '###', close: '###', notBefore: '#' }],
  text: [tripleDouble, tripleSingle, { ...longDouble, interpolate: '#{' }, longSingle],
  regex: 'script' as const,
};
const glimmer = {
  ...javascript,
  block: [slashStar, { open: '<!--', close: '-->' }, { open: '{{!--', close: '--}}' }, { open: '{{!', close: '}}' }],
};
const php = {
  line: ['//', { mark: '#', notBefore: '[' }],
  block: [slashStar, { open: '<!--', close: '-->' }],
  text: [longDouble, longSingle],
  heredoc: { mark: '<<<', flags: '', spaces: true, indented: true },
};

/** The rows. */
export const scripting: readonly Language[] = [
  {
    name: 'JavaScript',
    extensions: 'js mjs cjs jsx es6 jsm ssjs bones frag.js',
    interpreters: 'node nodejs deno bun',
    syntax: javascript,
  },
  { name: 'TypeScript', extensions: 'ts mts cts', interpreters: 'tsx ts-node', syntax: javascript },
  { name: 'TSX', extensions: 'tsx', syntax: javascript },
  {
    name: 'Glimmer JS',
    extensions: 'gjs',
    syntax: glimmer,
  },
  {
    name: 'Glimmer TS',
    extensions: 'gts',
    syntax: glimmer,
  },
  {
    name: 'Civet',
    extensions: 'civet',
    // A hash beside a word is a private name or a length; three slashes open a regular expression.
    syntax: {
      ...coffee,
      line: [
        { mark: '//', notBefore: '/' },
        { mark: '#', place: 'column0' },
        { mark: '# ', place: 'spaced' },
      ],
      block: [{ open: '###', close: '###', notBefore: '#' }, slashStar],
      text: [{ open: '///', close: '///', multiline: true }, ...coffee.text],
    },
  },
  {
    name: 'CoffeeScript',
    extensions: 'coffee cson cjsx iced',
    filenames: 'Cakefile',
    interpreters: 'coffee',
    syntax: coffee,
  },
  {
    name: 'LiveScript',
    extensions: 'ls',
    filenames: 'Slakefile',
    syntax: { ...coffee, block: [slashStar], text: [tripleDouble, tripleSingle, longDouble, longSingle] },
  },
  { name: 'Imba', extensions: 'imba', syntax: { ...coffee, line: ['#', '//'] } },
  {
    name: 'Python',
    extensions: 'py pyw pyi py3 pyde gypi pyp xpy wsgi',
    filenames: 'SConstruct SConscript wscript .gclient',
    interpreters: 'python pypy uv',
    syntax: python,
  },
  { name: 'Cython', extensions: 'pyx pxd pxi', syntax: python },
  { name: 'Snakemake', extensions: 'smk snakefile', filenames: 'Snakefile', syntax: python },
  { name: 'Starlark', extensions: 'bzl star bazel', filenames: 'BUILD WORKSPACE BUCK', syntax: python },
  { name: "Ren'Py", extensions: 'rpy', syntax: { line: ['#'], text: [longDouble] } },
  { name: 'Vyper', extensions: 'vy', syntax: python },
  {
    name: 'Ruby',
    extensions: 'rb rbw rbx ru gemspec podspec thor rake jbuilder rbi builder rabl',
    filenames:
      'Rakefile Gemfile Vagrantfile Podfile Fastfile Guardfile Capfile Brewfile Berksfile Thorfile Appraisals Dangerfile .irbrc .pryrc',
    interpreters: 'ruby jruby rbx macruby rake',
    syntax: ruby,
  },
  {
    name: 'Perl',
    extensions: 'pl pm perl ph plx al.pl t psgi',
    filenames: 'Makefile.PL cpanfile ack Rexfile',
    interpreters: 'perl cperl',
    syntax: perl,
  },
  {
    name: 'Raku',
    extensions: 'raku rakumod rakutest p6 pm6 pl6 6pl 6pm nqp',
    interpreters: 'raku perl6 rakudo',
    syntax: {
      line: [{ mark: '#', notBefore: '`|=' }],
      block: [
        { open: '=begin', close: '=end', place: 'indent', closePlace: 'indent' },
        { open: '#`(', close: ')' },
        { open: '#`[', close: ']' },
        { open: '#`{', close: '}' },
      ],
      text: [longDouble],
    },
  },
  {
    name: 'PHP',
    extensions: 'php php3 php4 php5 phps phpt ctp',
    filenames: '.php_cs',
    interpreters: 'php',
    syntax: php,
  },
  { name: 'Hack', extensions: 'hack hh.php hhi', interpreters: 'hhvm', syntax: php },
  { name: 'Lua', extensions: 'lua wlua nse rockspec pd_lua p8', interpreters: 'lua luajit texlua', syntax: lua },
  { name: 'Luau', extensions: 'luau', syntax: luau },
  { name: 'MoonScript', extensions: 'moon', interpreters: 'moon', syntax: { ...lua, text: [longDouble, longSingle] } },
  { name: 'Teal', extensions: 'tl', syntax: lua },
  {
    name: 'R',
    extensions: 'r rsx rprofile',
    filenames: '.Rprofile',
    interpreters: 'Rscript r',
    syntax: {
      line: ['#'],
      fences: [{ open: 'r"', fence: '-', quote: '(', close: ')', tail: '"' }],
      text: [longDouble, longSingle],
    },
  },
  {
    name: 'Julia',
    extensions: 'jl',
    interpreters: 'julia',
    syntax: {
      line: ['#'],
      block: [{ open: '#=', close: '=#', nests: true }],
      text: [{ ...tripleDouble, doc: true }, longDouble],
      chars: "'",
    },
  },
  { name: 'Elixir', extensions: 'ex exs', interpreters: 'elixir', syntax: elixir() },
  {
    name: 'Janet',
    extensions: 'janet',
    interpreters: 'janet',
    syntax: { line: ['#'], text: [longDouble], fences: [{ open: '`', fence: '`', quote: '', close: '`' }] },
  },
  { name: 'Puppet', extensions: 'pp', syntax: { line: ['#'], block: [slashStar], text: [longDouble, longSingle] } },
  { name: 'Bean', extensions: 'bean beancount', syntax: { line: [';'], text: [longDouble] } },
  { name: 'Magik', extensions: 'magik', syntax: { line: ['#'], text: [longDouble] } },
  { name: 'Io', extensions: 'io', syntax: { ...cLike, line: ['//', '#'] } },
  { name: 'Kakoune', extensions: 'kak', syntax: { line: [spacedHash], text: [longDouble, longSingle] } },
];

/** Elixir's `@doc` strings are documentation in the language's own sense, as Python's docstrings are. */
function elixir() {
  const doc = (open: string, quote: string) => ({ open, close: quote, place: 'indent' as const });
  const names = ['@doc ', '@moduledoc ', '@typedoc ', '@shortdoc '];
  const sigils = ['', '~S', '~s', '~c', '~C'];
  const docs = names.flatMap((name) =>
    sigils.flatMap((sigil) => ['"""', "'''"].map((quote) => doc(name + sigil + quote, quote))),
  );
  return {
    line: ['#'],
    block: docs,
    text: [tripleDouble, tripleSingle, { ...longDouble, interpolate: '#{' }],
    escapes: '?',
  };
}
