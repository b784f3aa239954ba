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

/** With what a line opens wherever a pattern of the extension holds; headers are many, and most hold none of it. */
const openings: ReadonlyMap<string, LineOpenings> = new Map([
  [
    'h',
    compileLineOpenings([
      ...['@interface', '@protocol', '@class', '@end', '@import', '#import'],
      ...['template', 'class', 'namespace', 'using', 'public:', 'private:', 'protected:'],
      ...['string', 'vector', 'map', 'memory', 'iostream', 'utility', 'functional'].map((name) => `#include <${name}>`),
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
        pattern:
          /^[^\S\n]*(?:template\s*<|class\s+\w+|namespace\b|using\s+(?:namespace|\w+\s*=)|#include <(?:string|vector|map|memory|iostream|utility|functional)>|(?:public|private|protected):)/m,
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
      { language: 'Objective-C', pattern: /\/\*|\/\// },
      { language: 'MATLAB', pattern: /^/ },
    ],
    v: [
      {
        language: 'Coq',
        pattern: /\(\*|^[^\S\n]*(?:Require|Import|Lemma|Theorem|Definition|Inductive|Fixpoint|Proof)\b/m,
      },
      {
        language: 'Verilog',
        pattern:
          /^[^\S\n]*(?:module\s+\w+\s*(?:#|\(|;)|endmodule|`(?:define|include|timescale)|always\b|assign\b|input\b|output\b)/m,
      },
      { language: 'V', pattern: /^[^\S\n]*(?:(?:pub\s+)?fn\s|module\s+\w+\s*$|import\s+\w|struct\s+\w+\s*\{)/m },
    ],
    ts: [{ language: 'Qt Linguist', pattern: /^(?:\uFEFF|ï»¿)?\s*<(?:\?xml|!DOCTYPE TS|!--|TS\b)/ }],
    tsx: [{ language: 'XML', pattern: /^\s*<\?xml/ }],
    pl: [
      {
        language: 'Perl',
        pattern: /^(?:#!.*perl|[^\S\n]*(?:use\s+(?:strict|warnings|v?5|\w+)|package\s+\w|my\s+[$@%(]|sub\s+\w))/m,
      },
      { language: 'Raku', pattern: /^[^\S\n]*(?:use\s+v6|unit\s+(?:module|class))/m },
      { language: 'Prolog', pattern: /^[a-z]\w*(?:\(.*\))?\s*(?::-|\.\s*$)|^[^\S\n]*:-/m },
    ],
    pm: [{ language: 'Raku', pattern: /^[^\S\n]*(?:use\s+v6|unit\s+(?:module|class)|(?:my\s+)?class\s+\w+\s*\{)/m }],
    t: [
      { language: 'Turing', pattern: /^[^\S\n]*(?:% |var\s+\w+\s*:|put\s)/m },
      { language: 'Raku', pattern: /^[^\S\n]*use\s+v6/m },
    ],
    d: [
      { language: 'DTrace', pattern: /^#!.*dtrace|^[^\S\n]*(?:#pragma\s+D|(?:\w+:){3}\w*|BEGIN|END)\s*$|^dtrace:/m },
      { language: 'Makefile', pattern: /^(?![^\S\n]*(?:import|module)\b)[^\s"'(){};=]+\.\w+\s*:(?:[^:=]|$)/m },
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
      { language: 'OpenCL', pattern: /\b__?kernel\b|\/\*|^[^\S\n]*#(?:include|define|pragma)|\b(?:float|int)[248]\b/m },
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
    rs: [{ language: 'XML', pattern: /^\s*<\?xml/ }],
    sc: [{ language: 'SuperCollider', pattern: /^[^\S\n]*(?:\+\s*\w+\s*\{|\w+\s*:\s*\w+\s*\{|SynthDef\()|\^this\b/m }],
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
