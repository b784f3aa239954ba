/** Tells languages that share a file extension apart by a few telltale patterns in the head of the file. */
import { compileLineOpenings, type LineOpenings } from './line-openings.js';

/**
 * White space at the start of a line is written `[^\S\n]*`, not `\s*`, which would take the empty lines below along: from each
 * of many such lines anew, in quadratic time.
 */
interface Rule {
  readonly language: string;
  readonly pattern: RegExp;
}

/** How much of a file is looked at to decide between languages. */
const HEAD_BYTES = 4096;

/** Those of its standard headers that C++ shares with no library of C. */
const CPP_HEADERS =
  'algorithm|array|atomic|bitset|cassert|chrono|climits|cmath|condition_variable|cstddef|cstdint|cstdio|cstdlib|cstring|deque|exception|functional|initializer_list|ios|iosfwd|iostream|istream|iterator|limits|list|map|memory|mutex|new|numeric|optional|ostream|queue|set|span|sstream|stack|stdexcept|string|string_view|thread|tuple|type_traits|typeindex|unordered_map|unordered_set|utility|variant|vector';

/** With what a line opens wherever a pattern of the extension holds; headers are many, and most hold none of it. */
const openings: ReadonlyMap<string, LineOpenings> = new Map([
  [
    'h',
    compileLineOpenings([
      ...['@interface', '@protocol', '@class', '@end', '@import', '#import'],
      ...['template', 'class', 'namespace', 'using', 'public:', 'private:', 'protected:'],
      ...['constexpr', 'enum class', 'friend class', 'std::'],
      ...CPP_HEADERS.split('|').map((name) => `#include <${name}>`),
    ]),
  ],
]);

/** By extension, the rules in order; where none holds, the table's default language stands. */
const rules: ReadonlyMap<string, readonly Rule[]> = new Map(
  Object.entries({
    h: [
      {
        language: 'Objective-C Header',
        pattern: /^[^\S\n]*(?:@(?:interface|protocol|class|end|import)\b|#import\b)/m,
      },
      {
        language: 'C++ Header',
        pattern: new RegExp(
          `^[^\\S\\n]*(?:template\\s*<|class\\s+\\w+|namespace\\b|using\\s+(?:namespace|\\w+\\s*=)|#include <(?:${CPP_HEADERS})>|(?:public|private|protected):|constexpr\\s+\\w|(?:enum|friend) class\\s+\\w|std::\\w)`,
          'm',
        ),
      },
    ],
    m: [
      {
        language: 'Objective-C',
        pattern: /^[^\S\n]*(?:@(?:interface|implementation|protocol|class|end|import)\b|#(?:import|include)\b)/m,
      },
      { language: 'Mathematica', pattern: /\(\*|^[^\S\n]*(?:BeginPackage|Begin)\[/m },
      { language: 'MUMPS', pattern: /^[A-Za-z%][\w%]*(?:\(.*\))?\s+;/m },
      { language: 'Mercury', pattern: /^:- (?:module|interface|import_module)/m },
      { language: 'MATLAB', pattern: /^[^\S\n]*(?:%|function\b|end\b|classdef\b|clear\b|\w+\s*=[^=])|\.\*|\.\//m },
      {
        language: 'MUMPS',
        pattern: /^[^\S\n]+;|^%?\w+\([\w,]*\)[^\S\n]*\n[^\S\n]+(?:[qsndw]|quit|set|new|do|write)\b/im,
      },
      { language: 'Objective-C', pattern: /\/\*|\/\// },
      { language: 'MATLAB', pattern: /^/ },
    ],
    v: [
      {
        language: 'Verilog',
        // A sensitivity list and an attribute open with what opens a comment in Coq.
        pattern:
          /^[^\S\n]*(?:(?:\(\*[^\n]*\*\)\s*)?module\s+\w+\s*(?:#|\(|;)|endmodule\b|`(?:default_nettype|define|if(?:n?def)?|include|timescale)\b|always(?:_comb|_ff|_latch)?\s*(?:@|begin)|initial\s+begin)/m,
      },
      {
        language: 'Coq',
        pattern: /\(\*|^[^\S\n]*(?:Require|Import|Lemma|Theorem|Definition|Inductive|Fixpoint|Proof)\b/m,
      },
      {
        language: 'Verilog',
        pattern: /^[^\S\n]*(?:always|assign|input|output)\b/m,
      },
      { language: 'V', pattern: /^[^\S\n]*(?:(?:pub\s+)?fn\s|module\s+\w+\s*$|import\s+\w|struct\s+\w+\s*\{)/m },
    ],
    ts: [{ language: 'Qt Linguist', pattern: /^(?:\uFEFF|ï»¿)?\s*<(?:\?xml|!DOCTYPE TS|!--|TS\b)/ }],
    hh: [{ language: 'Hack', pattern: /^(?:#!.*\n)?<\?hh\b/ }],
    ice: [{ language: 'Slice', pattern: /^[^\S\n]*(?:#|module\b|\/\/|\/\*|\[)/m }],
    es: [
      { language: 'Erlang', pattern: /^#!.*\bescript\b|^[^\S\n]*(?:%%|main\s*\([^)\n]*\)\s*->)/m },
      { language: 'JavaScript', pattern: /^/ },
    ],
    gs: [
      { language: 'GLSL', pattern: /^[^\S\n]*#version\b/m },
      { language: 'Gosu', pattern: /^[^\S\n]*(?:uses|package)\s+[\w.]+[^\S\n;]*$/m },
      { language: 'JavaScript', pattern: /^[^\S\n]*(?:function\s+\w+\s*\(|(?:var|let|const)\s+\w+\s*=|\/\/|\/\*)/m },
    ],
    tsp: [
      {
        language: 'TypeSpec',
        pattern: /^[^\S\n]*(?:import\s+"|using\s+\w|namespace\s+\w|model\s+\w|interface\s+\w|op\s+\w|@\w)/m,
      },
    ],
    sls: [{ language: 'SaltStack', pattern: /^(?![;(])[^\n]*:[^\S\n]*$|^\{[%#]/m }],
    sch: [
      { language: 'XML', pattern: /^\s*</ },
      { language: 'KiCad', pattern: /^EESchema\b|^\(kicad_sch\b/ },
    ],
    yy: [{ language: 'JSON', pattern: /^\s*[{[]/ }],
    mm: [{ language: 'XML', pattern: /^\s*</ }],
    tsx: [{ language: 'XML', pattern: /^\s*<\?xml/ }],
    pl: [
      { language: 'Raku', pattern: /^#!.*\b(?:perl6|raku)\b|^[^\S\n]*use\s+v6\b/m },
      {
        language: 'Perl',
        pattern: /^(?:#!.*perl|[^\S\n]*(?:use\s+(?:strict|warnings|v?5|\w+)|package\s+\w|my\s+[$@%(]|sub\s+\w))/m,
      },
      { language: 'Raku', pattern: /^[^\S\n]*(?:use\s+v6|unit\s+(?:module|class))/m },
      { language: 'Prolog', pattern: /^[a-z]\w*(?:\(.*\))?\s*(?::-|\.\s*$)|^[^\S\n]*:-/m },
    ],
    pm: [
      {
        language: 'Raku',
        pattern:
          /^[^\S\n]*(?:use\s+v6|unit\s+(?:module|class)|(?:(?:my|our)\s+)?(?:(?:class|role|grammar|module)\s+[\w:-]+\s*\{|(?:role|grammar|module)\s+[\w:-]+\s*;|class\s+[\w:-]+\s+(?:is|does)\s))/m,
      },
    ],
    t: [
      { language: 'Turing', pattern: /^[^\S\n]*(?:% |var\s+\w+\s*:|put\s)/m },
      { language: 'Raku', pattern: /^[^\S\n]*use\s+v6/m },
    ],
    d: [
      {
        language: 'DTrace',
        pattern:
          /^#!.*dtrace|^[^\S\n]*(?:#pragma\s+D\s|provider\s+\w+\s*\{|(?:[\w$*]*:){3}[\w*-]*\s*$|(?:BEGIN|END)\s*\{?\s*$)|^dtrace:/m,
      },
      {
        language: 'Makefile',
        pattern: /^(?![^\S\n]*(?:import|module)\b)(?:\$\([\w.]+\)|[^\s"'(){};=])+\.\w+\s*:(?:[^:=]|$)/m,
      },
    ],
    fs: [
      { language: 'GLSL', pattern: /^[^\S\n]*(?:#version|precision\s|uniform\s|varying\s|void\s+main\b)/m },
      { language: 'Forth', pattern: /^(?:: |\\ |new-device)/m },
    ],
    cls: [
      { language: 'TeX', pattern: /^[^\S\n]*(?:%|\\(?:NeedsTeXFormat|ProvidesClass|documentclass|def\b))/m },
      { language: 'VB6/VBA', pattern: /^(?:VERSION\s+\d|[^\S\n]*Attribute VB_|[^\S\n]*Option Explicit)/im },
      { language: 'Apex', pattern: /\bclass\s+\w+\s*(?:extends|implements|\{)/ },
    ],
    pro: [
      { language: 'ProGuard', pattern: /^[^\S\n]*-(?:keep|dont|opt|assume|libraryjars|renamesource)/m },
      { language: 'QMake', pattern: /^[^\S\n]*(?:QT|TEMPLATE|TARGET|SOURCES|HEADERS|CONFIG)\s*[+-]?=/m },
      { language: 'Prolog', pattern: /^[a-z]\w*\(.*\)\s*(?::-|\.\s*$)|^[^\S\n]*:-/m },
      { language: 'ProGuard', pattern: /^#.*\bProGuard\b/im },
    ],
    inc: [
      { language: 'PHP', pattern: /<\?(?:php|=|\s)/ },
      { language: 'BitBake', pattern: /^[A-Z][A-Z0-9_]*(?:_\w+)?\s*(?:\?|\+|:)?=\s*"/m },
      { language: 'Pascal', pattern: /^[^\S\n]*(?:\{\$|procedure\b|function\b.*;|unit\b)/im },
      { language: 'Assembly', pattern: /^[^\S\n]*(?:;|%(?:macro|define|include)|\.(?:macro|equ|globl)|section\b)/m },
      { language: 'C++', pattern: /^[^\S\n]*(?:#\s*(?:include|define|ifdef|ifndef|if)\b|\/\/|\/\*)/m },
    ],
    cl: [
      { language: 'Cool', pattern: /^class\s+\w+[^\n]*\{/m },
      {
        language: 'OpenCL',
        pattern: /\b__?kernel\b|\/\*|^[^\S\n]*#(?:include|define|pragma)|\b(?:float|int)[248]\b|^\}/m,
      },
      { language: 'Common Lisp', pattern: /^/ },
    ],
    pp: [{ language: 'Pascal', pattern: /^[^\S\n]*(?:unit|program|uses|interface|implementation)\b|^[^\S\n]*\{\$/im }],
    s: [
      {
        language: 'GNU Assembly',
        pattern: /^[^\S\n]*(?:\/\*|#|\.(?:text|globl|global|section|align|type|file|data|macro)\b)/m,
      },
    ],
    asm: [{ language: 'GNU Assembly', pattern: /^[^\S\n]*\.(?:text|globl|section)\b/m }],
    mac: [{ language: 'HICAD', pattern: /^REM\b/im }],
    mc: [
      {
        language: 'Windows Message File',
        pattern: /^[^\S\n]*(?:MessageIdTypedef|SeverityNames|FacilityNames|MessageId)\s*=/im,
      },
      { language: 'Monkey C', pattern: /^[^\S\n]*(?:using|import)\s+Toybox|\bfunction\s+\w+\(|\bclass\s+\w+/m },
    ],
    inf: [{ language: 'Windows INF', pattern: /^[^\S\n]*\[\w+[\w. ]*\]/m }],
    e: [
      {
        language: 'Phix',
        pattern:
          /^[^\S\n]*(?:--\*\/|global\s+(?:function|procedure)|(?:include|constant|integer|sequence)\s)|\bend\s+(?:function|procedure)\b/m,
      },
      { language: 'Eiffel', pattern: /^[^\S\n]*(?:note|indexing|class\s+[A-Z_]+|feature)\b/m },
    ],
    mod: [
      { language: 'XML', pattern: /^\s*<[!?]/ },
      { language: 'Modula-2', pattern: /^[^\S\n]*(?:DEFINITION\s+|IMPLEMENTATION\s+)?MODULE\s+\w+\s*;/m },
      { language: 'Go Module', pattern: /^module\s+\S+/m },
    ],
    rs: [
      { language: 'XML', pattern: /^\s*<\?xml/ },
      { language: 'RenderScript', pattern: /^#pragma\s+(?:rs|version)\b/m },
    ],
    cs: [{ language: 'Smalltalk', pattern: /^![^\n]*\bmethodsFor:/m }],
    sc: [
      {
        language: 'SuperCollider',
        pattern: /^[^\S\n]*(?:\+\s*\w+\s*\{|\w+\s*:\s*\w+\s*\{|SynthDef\()|\^(?:this|super)\b|^[A-Z]\w*\s*\{/m,
      },
    ],
    st: [
      { language: 'Smalltalk', pattern: /^[^\S\n]*!|\bsubclass:|\|[^\S\n]*\w+\s*\||^[^\S\n]*"|:=/m },
      { language: 'StringTemplate', pattern: /\$\w+[:(]|<\w+>/ },
    ],
    tpl: [{ language: 'Go Template', pattern: /\{\{-?\s*(?:\.|range|if|define|template|include)/ }],
    r: [{ language: 'REBOL', pattern: /\bREBOL\s*\[/i }],
    i: [{ language: 'Assembly', pattern: /^[^\S\n]*(?:;|\.(?:macro|equ))/m }],
    l: [
      { language: 'Common Lisp', pattern: /^[^\S\n]*\((?:def|in-package|let)/m },
      { language: 'Roff', pattern: /^\.(?:TH|SH)\b/m },
    ],
    ms: [{ language: 'Roff', pattern: /^\.\w/m }],
    as: [{ language: 'AngelScript', pattern: /^[^\S\n]*(?:#include\s+"|\w+@\s+\w+)/m }],
    bs: [{ language: 'BrightScript', pattern: /^[^\S\n]*(?:sub|function|')/im }],
    conf: [{ language: 'JSON', pattern: /^\s*\{\s*"/ }],
    cfg: [{ language: 'XML', pattern: /^\s*<\?xml/ }],
  }),
);

/** Whether files of this extension need a look inside. */
export function isAmbiguous(extension: string): boolean {
  return rules.has(extension);
}

/** The language the head of a file speaks for, or undefined where nothing tells. */
export function decideByContent(extension: string, bytes: Buffer): string | undefined {
  if (openings.get(extension)?.(bytes, HEAD_BYTES) === false) return undefined;
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  return rules.get(extension)?.find(({ pattern }) => pattern.test(head))?.language;
}
