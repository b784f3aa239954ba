/** Languages of the Java and .NET machines, Swift, Dart, Rust and others with rich string literals. */
import {
  cLike,
  double,
  hashQuoted,
  java,
  longDouble,
  longSingle,
  nestedSlashStar,
  parenStar,
  single,
  slashStar,
  tripleDouble,
  tripleSingle,
  WORD,
} from './families.js';
import type { Language } from './language.js';

const rawTripleDouble = { open: '"""', close: '"""', multiline: true };
const rawTripleSingle = { open: "'''", close: "'''", multiline: true };
const groovy = {
  line: ['//'],
  block: [slashStar],
  text: [tripleDouble, tripleSingle, double, single],
};
const visualBasic = {
  line: ["'", { mark: 'rem', place: 'word' as const, ignoreCase: true }],
  text: [{ open: '"', close: '"', doubled: true }],
};
const fsharp = {
  line: ['//'],
  block: [{ ...parenStar, notBefore: ')' }],
  text: [rawTripleDouble, { open: '@"', close: '"', doubled: true, multiline: true }, longDouble],
  chars: "'",
};
const csharp = {
  line: ['//'],
  block: [slashStar],
  fences: [{ open: '""', fence: '"', quote: '', close: '""', minimum: 1 }],
  text: [
    { open: '$@"', close: '"', doubled: true, multiline: true },
    { open: '@$"', close: '"', doubled: true, multiline: true },
    { open: '@"', close: '"', doubled: true, multiline: true },
    double,
    single,
  ],
};

/** The rows. */
export const managed: readonly Language[] = [
  { name: 'Java', extensions: 'java jav jsh', syntax: java },
  {
    name: 'Kotlin',
    extensions: 'kt kts ktm',
    syntax: {
      line: ['//'],
      block: [nestedSlashStar],
      text: [{ ...rawTripleDouble, interpolate: '${' }, { ...double, interpolate: '${' }, single],
    },
  },
  {
    name: 'Scala',
    extensions: 'scala sbt sc kojo',
    interpreters: 'scala scala-cli amm',
    syntax: { line: ['//'], block: [nestedSlashStar], text: [rawTripleDouble, double], chars: "'" },
  },
  {
    name: 'Groovy',
    extensions: 'groovy grt gtpl gvy gy gsh jenkinsfile',
    filenames: 'Jenkinsfile',
    interpreters: 'groovy',
    syntax: groovy,
  },
  { name: 'Gradle', extensions: 'gradle', syntax: groovy },
  { name: 'Nextflow', extensions: 'nf', interpreters: 'nextflow', syntax: groovy },
  { name: 'Apex', extensions: 'apex apxc trigger', syntax: cLike },
  { name: 'Processing', extensions: 'processing', syntax: cLike },
  {
    name: 'Xtend',
    extensions: 'xtend',
    syntax: { line: ['//'], block: [slashStar], text: [rawTripleSingle, longDouble, longSingle] },
  },
  {
    name: 'Ceylon',
    extensions: 'ceylon',
    syntax: { line: ['//'], block: [nestedSlashStar], text: [rawTripleDouble, longDouble, single] },
  },
  { name: 'Fantom', extensions: 'fan', syntax: { line: ['//'], block: [nestedSlashStar], text: [longDouble, single] } },
  { name: 'AspectJ', extensions: 'aj', syntax: java },
  { name: 'Ballerina', extensions: 'bal', syntax: { line: ['//', { mark: '#', place: 'indent' }], text: [double] } },
  { name: 'C#', extensions: 'cs csx cake', interpreters: 'dotnet-script', syntax: csharp },
  { name: 'C# Designer', extensions: 'designer.cs', syntax: csharp },
  { name: 'F#', extensions: 'fs fsi fsx fsscript', interpreters: 'fsharpi', syntax: fsharp },
  { name: 'Visual Basic', extensions: 'vb', syntax: visualBasic },
  { name: 'VB6/VBA', extensions: 'bas vba frm ctl dsr', syntax: visualBasic },
  { name: 'VBScript', extensions: 'vbs', syntax: visualBasic },
  { name: 'BrightScript', extensions: 'brs', syntax: visualBasic },
  {
    name: 'Boo',
    extensions: 'boo',
    syntax: { line: ['#', '//'], block: [slashStar], text: [tripleDouble, double, single] },
  },
  { name: '.NET IL', extensions: 'il', syntax: { line: ['//'], block: [slashStar], text: [double, single] } },
  {
    name: 'Swift',
    extensions: 'swift',
    interpreters: 'swift',
    syntax: {
      line: ['//'],
      block: [nestedSlashStar],
      fences: [
        { open: '#', fence: '#', quote: '"""', close: '"""#' },
        { open: '#', fence: '#', quote: '"', close: '"#' },
      ],
      text: [
        { ...tripleDouble, interpolate: '\\(' },
        { ...double, interpolate: '\\(' },
      ],
    },
  },
  {
    name: 'Dart',
    extensions: 'dart',
    interpreters: 'dart',
    syntax: {
      line: ['//'],
      block: [nestedSlashStar],
      text: [
        { open: 'r"""', close: '"""', multiline: true, notAfter: WORD },
        { open: "r'''", close: "'''", multiline: true, notAfter: WORD },
        { open: 'r"', close: '"', notAfter: WORD },
        { open: "r'", close: "'", notAfter: WORD },
        { ...tripleDouble, interpolate: '${' },
        { ...tripleSingle, interpolate: '${' },
        { ...double, interpolate: '${' },
        { ...single, interpolate: '${' },
      ],
    },
  },
  {
    name: 'Rust',
    extensions: 'rs rs.in',
    interpreters: 'rust-script',
    syntax: {
      line: ['//'],
      block: [nestedSlashStar],
      fences: [{ open: 'r', fence: '#', quote: '"', close: '"', notAfter: 'acdefghijklmnopqrstuvwxyz_0123456789' }],
      text: [longDouble],
      chars: "'",
    },
  },
  {
    name: 'RON',
    extensions: 'ron',
    syntax: {
      line: ['//'],
      block: [nestedSlashStar],
      fences: [{ open: 'r', fence: '#', quote: '"', close: '"' }],
      text: [longDouble],
      chars: "'",
    },
  },
  {
    name: 'LALRPOP',
    extensions: 'lalrpop',
    syntax: {
      line: ['//'],
      fences: [{ open: 'r', fence: '#', quote: '"', close: '"' }],
      text: [longDouble],
      chars: "'",
    },
  },
  { name: 'Pest', extensions: 'pest', syntax: { line: ['//'], block: [nestedSlashStar], text: [double], chars: "'" } },
  {
    name: 'Zig',
    extensions: 'zig zon',
    syntax: { line: ['//'], text: [{ open: '\\\\', close: '\n' }, double, single] },
  },
  { name: 'Haxe', extensions: 'hx hxsl', syntax: { line: ['//'], block: [slashStar], text: [longDouble, longSingle] } },
  { name: 'Gosu', extensions: 'gs gsx gst', syntax: cLike },
  { name: 'X10', extensions: 'x10', syntax: cLike },
  {
    name: 'Pony',
    extensions: 'pony',
    syntax: {
      line: ['//'],
      block: [nestedSlashStar],
      text: [{ ...rawTripleDouble, doc: true }, longDouble],
      chars: "'",
    },
  },
  {
    name: 'Nim',
    extensions: 'nim nims nimble',
    syntax: {
      line: ['#'],
      block: [
        { open: '##[', close: ']##', nests: true },
        { open: '#[', close: ']#', nests: true },
      ],
      text: [rawTripleDouble, { open: 'r"', close: '"', doubled: true, notAfter: WORD }, double],
      chars: "'",
    },
  },
  {
    name: 'Crystal',
    extensions: 'cr',
    interpreters: 'crystal',
    syntax: {
      line: ['#'],
      text: [{ ...longDouble, interpolate: '#{' }],
      chars: "'",
      heredoc: { mark: '<<-', flags: '', indented: true },
    },
  },
  {
    name: 'Mojo',
    extensions: 'mojo',
    syntax: { line: ['#'], text: [{ ...tripleDouble, doc: true }, { ...tripleSingle, doc: true }, double, single] },
  },
  {
    name: 'GDScript',
    extensions: 'gd',
    syntax: { ...hashQuoted, text: [{ ...tripleDouble, doc: true }, { ...tripleSingle, doc: true }, double, single] },
  },
];
