/** Assembly, hardware description, scientific and older languages. */
import {
  c,
  cLike,
  double,
  doubledDouble,
  doubledSingle,
  fortran,
  hashed,
  longDouble,
  longSingle,
  parenStar,
  semicolons,
  single,
  slashed,
  slashStar,
  tripleDouble,
} from './families.js';
import type { Language } from './language.js';

const column0 = 'column0' as const;
const anyCase = { place: 'word' as const, ignoreCase: true };
const pascal = {
  line: ['//'],
  block: [
    { open: '{', close: '}' },
    { open: '(*', close: '*)' },
  ],
  text: [doubledSingle],
};
const ada = { line: ['--'], text: [doubledDouble], chars: "'" };
const cobol = {
  line: [
    { mark: '*', place: 'column6' as const },
    { mark: '/', place: 'column6' as const },
    { mark: '*', place: column0 },
    '*>',
  ],
};
const verilog = { line: ['//'], block: [slashStar], text: [double] };
const assembly = {
  line: [
    ';',
    { mark: '#', place: 'indent' as const },
    '//',
    { mark: '@', place: 'indent' as const },
    { mark: '|', place: 'indent' as const },
    { mark: '*', place: column0 },
  ],
  block: [slashStar],
  text: [double],
};
const basic = { line: ["'", { mark: 'rem', ...anyCase }], text: [doubledDouble] };

/** The rows. */
export const systems: readonly Language[] = [
  { name: 'Assembly', extensions: 'asm s nasm a51 masm', syntax: assembly },
  {
    name: 'GNU Assembly',
    extensions: 'S sx',
    syntax: {
      ...c,
      line: ['//', { mark: '#', place: 'spaced', notBefore: 'acdefghijklmnopqrstuvwxyz0123456789<' }],
      text: [double],
    },
  },
  {
    name: 'WebAssembly',
    extensions: 'wat wast',
    syntax: { line: [';;'], block: [{ open: '(;', close: ';)', nests: true }], text: [double] },
  },
  { name: 'Fortran', extensions: 'f90 f95 f03 f08 f18 F90 F95 fpp', syntax: fortran },
  {
    name: 'Fortran 77',
    extensions: 'f for f77 ftn F FOR pfo',
    syntax: { ...fortran, line: ['!', ...['c', 'C', '*', 'd', 'D'].map((mark) => ({ mark, place: column0 }))] },
  },
  { name: 'Ada', extensions: 'adb ads ada gpr', syntax: ada },
  { name: 'SparForte', extensions: 'sp', syntax: { line: ['--'], text: [double] } },
  { name: 'VHDL', extensions: 'vhd vhdl vho vht', syntax: { ...ada, block: [slashStar] } },
  { name: 'Verilog', extensions: 'v vh veo', syntax: verilog },
  { name: 'SystemVerilog', extensions: 'sv svh svi', syntax: verilog },
  { name: 'Bluespec', extensions: 'bsv bs', syntax: verilog },
  { name: 'Pascal', extensions: 'pas dpr lpr dfm pascal', interpreters: 'instantfpc', syntax: pascal },
  { name: 'Modula-2', extensions: 'def.mod m2', syntax: { block: [parenStar], text: [double, single] } },
  { name: 'Oberon', extensions: 'ob2 obn', syntax: { block: [parenStar], text: [double] } },
  { name: 'COBOL', extensions: 'cob cbl cobol ccp cpy COB CBL', syntax: cobol },
  { name: 'PL/I', extensions: 'pl1 pli', syntax: { block: [slashStar], text: [doubledSingle] } },
  { name: 'JCL', extensions: 'jcl', syntax: { line: [{ mark: '//*', place: column0 }] } },
  {
    name: 'REXX',
    extensions: 'rexx rex',
    interpreters: 'rexx regina',
    syntax: { line: ['--'], block: [{ ...slashStar, nests: true }], text: [doubledDouble, doubledSingle] },
  },
  { name: 'ABAP', extensions: 'abap', syntax: { line: [{ mark: '*', place: column0 }, '"'], text: [doubledSingle] } },
  { name: 'AL', extensions: 'al', syntax: { ...slashed, text: [doubledDouble, doubledSingle] } },
  { name: 'BASIC', extensions: 'bi bb.bas pb', syntax: basic },
  {
    name: 'FreeBASIC',
    extensions: 'freebasic',
    syntax: { ...basic, block: [{ open: "/'", close: "'/", nests: true }] },
  },
  { name: 'PureBasic', extensions: 'purebasic pbi', syntax: { line: [';'], text: [double] } },
  {
    name: 'Smalltalk',
    extensions: 'st',
    syntax: { block: [{ open: '"', close: '"' }], text: [{ ...doubledSingle, multiline: true }] },
  },
  { name: 'Eiffel', extensions: 'e.eif', syntax: { line: ['--'], text: [double] } },
  { name: 'Specman e', extensions: 'e', syntax: { line: ['//', '--'], block: [slashStar], text: [double] } },
  {
    name: 'Stata',
    extensions: 'do ado doh ihlp mata',
    syntax: { line: [{ mark: '*', place: 'indent' }, '//'], block: [slashStar], text: [double] },
  },
  {
    name: 'SAS',
    extensions: 'sas',
    syntax: { line: [{ mark: '*', place: 'indent' }], block: [slashStar], text: [doubledDouble, doubledSingle] },
  },
  { name: 'SPSS', extensions: 'sps.spss', syntax: { line: [{ mark: '*', place: 'indent' }], block: [slashStar] } },
  { name: 'IDL', extensions: 'pro', syntax: { line: [';'], text: [doubledDouble, doubledSingle] } },
  { name: 'Scilab', extensions: 'sce sci', syntax: { line: ['//'], block: [slashStar], text: [doubledDouble] } },
  { name: 'Maple', extensions: 'mpl', syntax: { line: ['#'], block: [{ ...parenStar }], text: [longDouble] } },
  { name: 'Maxima', extensions: 'mac', syntax: { block: [{ ...slashStar, nests: true }], text: [longDouble] } },
  {
    name: 'Gnuplot',
    extensions: 'gp gnu gnuplot plt.gp',
    interpreters: 'gnuplot',
    syntax: { line: ['#'], text: [double, single] },
  },
  { name: 'GDB', extensions: 'gdb gdbinit', filenames: '.gdbinit', syntax: hashed },
  { name: 'MUMPS', extensions: 'mps mumps', syntax: { line: [';'], text: [doubledDouble] } },
  { name: 'K', extensions: 'k', syntax: { line: [{ mark: '/', place: 'spaced' }], text: [longDouble] } },
  {
    name: 'q',
    extensions: 'q',
    syntax: {
      line: [{ mark: '/', place: 'spaced' }],
      block: [{ open: '/', close: '\\', place: 'alone', closePlace: 'alone' }],
      text: [longDouble],
    },
  },
  { name: 'J', extensions: 'ijs ijt', syntax: { line: [{ mark: 'NB.', place: 'spaced' }], text: [doubledSingle] } },
  { name: 'Brainfuck', extensions: 'bf', syntax: { remarks: { code: '+-<>.,[]' } } },
  {
    name: 'LOLCODE',
    extensions: 'lol',
    syntax: {
      line: [{ mark: 'BTW', place: 'word' }],
      block: [{ open: 'OBTW', close: 'TLDR' }],
      text: [{ open: '"', close: '"', escape: ':' }],
    },
  },
  { name: 'CIL', extensions: 'cil', syntax: semicolons },
  { name: 'TEAL', extensions: 'teal', syntax: { line: ['//'], text: [double] } },
  { name: 'Sway', extensions: 'sw', syntax: { ...slashed, text: [double] } },
  { name: 'Ceu', extensions: 'ceu', syntax: { line: ['//'], block: [slashStar], text: [double] } },
  {
    name: 'X++',
    extensions: 'xpo',
    syntax: { line: ['//'], block: [slashStar], text: [double], margin: '#' },
  },
  { name: 'IPL', extensions: 'ipl', syntax: cLike },
  {
    name: 'Windows Message File',
    syntax: {
      line: [
        { mark: ';//', place: column0 },
        { mark: ';', place: 'alone' },
      ],
    },
  },
  {
    name: 'PL/SQL',
    extensions: 'pls pck pks pkb plsql plb prc fnc trg',
    syntax: { line: ['--'], block: [slashStar], text: [{ ...doubledSingle, multiline: true }] },
  },
  {
    name: 'TNSDL',
    extensions: 'cii cin in1 in2 in3 in4 inf sdl sdt spd ssc sst',
    syntax: { block: [slashStar], text: [single] },
  },
  { name: 'Haxe HXML', extensions: 'hxml', syntax: hashed },
  {
    name: 'Hare',
    extensions: 'ha',
    syntax: { line: ['//'], text: [{ open: '`', close: '`', multiline: true }, double], chars: "'" },
  },
  {
    name: 'Phix',
    extensions: 'exw',
    syntax: { line: ['--', '//'], block: [{ ...slashStar, nests: true }], text: [tripleDouble, double], chars: "'" },
  },
  { name: 'CoCoA', extensions: 'cocoa5', syntax: { line: ['//', '--'], block: [slashStar], text: [longDouble] } },
  { name: 'HICAD', extensions: 'MAC', syntax: { line: [{ mark: 'REM', ...anyCase }] } },
  { name: 'Focus', extensions: 'focexec', syntax: { line: [{ mark: '-*', place: 'indent' }] } },
  { name: 'Lingo', extensions: 'lingo', syntax: { line: ['--'], text: [double] } },
  { name: 'Poke', extensions: 'pk', syntax: { block: [slashStar], text: [longDouble] } },
  { name: 'Pan', extensions: 'pan', syntax: { line: ['#'], text: [longDouble, longSingle] } },
];
