/** Tells languages that share a file extension apart by a few telltale patterns in the head of the file. */

interface Rule {
  readonly language: string;
  /** One of these must occur for the pattern to be tried: finding text is far quicker, and headers are many. */
  readonly words?: readonly string[];
  readonly pattern: RegExp;
}

/** By extension, the rules in order; where none holds, the table's default language stands. */
const rules: ReadonlyMap<string, readonly Rule[]> = new Map(
  Object.entries({
    h: [
      {
        language: 'Objective-C Header',
        words: ['@interface', '@protocol', '@class', '@end', '@import', '#import'],
        pattern: /^\s*(?:@(?:interface|protocol|class|end|import)\b|#import\b)/m,
      },
      {
        language: 'C++ Header',
        words: [
          'class ',
          'namespace',
          'template',
          'public:',
          'private:',
          'protected:',
          'using ',
          '<string>',
          '<vector>',
          '<map>',
          '<memory>',
          '<iostream>',
          '<utility>',
          '<functional>',
        ],
        pattern:
          /^\s*(?:template\s*<|class\s+\w+|namespace\b|using\s+(?:namespace|\w+\s*=)|#include <(?:string|vector|map|memory|iostream|utility|functional)>|(?:public|private|protected):)/m,
      },
    ],
    m: [
      {
        language: 'Objective-C',
        pattern: /^\s*(?:@(?:interface|implementation|protocol|class|end|import)\b|#(?:import|include)\b)/m,
      },
      { language: 'Mathematica', pattern: /\(\*|^\s*(?:BeginPackage|Begin)\[/m },
      { language: 'MUMPS', pattern: /^[A-Za-z%][\w%]*(?:\(.*\))?\s+;/m },
      { language: 'Mercury', pattern: /^:- (?:module|interface|import_module)/m },
      { language: 'MATLAB', pattern: /^\s*(?:%|function\b|end\b|classdef\b|clear\b|\w+\s*=[^=])|\.\*|\.\//m },
      { language: 'Objective-C', pattern: /\/\*|\/\// },
      { language: 'MATLAB', pattern: /^/ },
    ],
    v: [
      { language: 'Coq', pattern: /\(\*|^\s*(?:Require|Import|Lemma|Theorem|Definition|Inductive|Fixpoint|Proof)\b/m },
      {
        language: 'Verilog',
        pattern:
          /^\s*(?:module\s+\w+\s*(?:#|\(|;)|endmodule|`(?:define|include|timescale)|always\b|assign\b|input\b|output\b)/m,
      },
      { language: 'V', pattern: /^\s*(?:(?:pub\s+)?fn\s|module\s+\w+\s*$|import\s+\w|struct\s+\w+\s*\{)/m },
    ],
    ts: [{ language: 'Qt Linguist', pattern: /^(?:\uFEFF|ï»¿)?\s*<(?:\?xml|!DOCTYPE TS|!--|TS\b)/ }],
    tsx: [{ language: 'XML', pattern: /^\s*<\?xml/ }],
    pl: [
      {
        language: 'Perl',
        pattern: /^(?:#!.*perl|\s*(?:use\s+(?:strict|warnings|v?5|\w+)|package\s+\w|my\s+[$@%(]|sub\s+\w))/m,
      },
      { language: 'Raku', pattern: /^\s*(?:use\s+v6|unit\s+(?:module|class))/m },
      { language: 'Prolog', pattern: /^[a-z]\w*(?:\(.*\))?\s*(?::-|\.\s*$)|^\s*:-/m },
    ],
    pm: [{ language: 'Raku', pattern: /^\s*(?:use\s+v6|unit\s+(?:module|class)|(?:my\s+)?class\s+\w+\s*\{)/m }],
    t: [
      { language: 'Turing', pattern: /^\s*(?:% |var\s+\w+\s*:|put\s)/m },
      { language: 'Raku', pattern: /^\s*use\s+v6/m },
    ],
    d: [
      { language: 'DTrace', pattern: /^#!.*dtrace|^\s*(?:#pragma\s+D|(?:\w+:){3}\w*|BEGIN|END)\s*$|^dtrace:/m },
      { language: 'Makefile', pattern: /^(?!\s*(?:import|module)\b)[^\s"'(){};=]+\.\w+\s*:(?:[^:=]|$)/m },
    ],
    fs: [
      { language: 'GLSL', pattern: /^\s*(?:#version|precision\s|uniform\s|varying\s|void\s+main\b)/m },
      { language: 'Forth', pattern: /^(?:: |\\ |new-device)/m },
    ],
    cls: [
      { language: 'TeX', pattern: /^\s*(?:%|\\(?:NeedsTeXFormat|ProvidesClass|documentclass|def\b))/m },
      { language: 'VB6/VBA', pattern: /^(?:VERSION\s+\d|\s*Attribute VB_|\s*Option Explicit)/im },
      { language: 'Apex', pattern: /\bclass\s+\w+\s*(?:extends|implements|\{)/ },
    ],
    pro: [
      { language: 'ProGuard', pattern: /^\s*-(?:keep|dont|opt|assume|libraryjars|renamesource)/m },
      { language: 'QMake', pattern: /^\s*(?:QT|TEMPLATE|TARGET|SOURCES|HEADERS|CONFIG)\s*[+-]?=/m },
      { language: 'Prolog', pattern: /^[a-z]\w*\(.*\)\s*(?::-|\.\s*$)|^\s*:-/m },
      { language: 'ProGuard', pattern: /^#.*\bProGuard\b/im },
    ],
    inc: [
      { language: 'PHP', pattern: /<\?(?:php|=|\s)/ },
      { language: 'BitBake', pattern: /^[A-Z][A-Z0-9_]*(?:_\w+)?\s*(?:\?|\+|:)?=\s*"/m },
      { language: 'Pascal', pattern: /^\s*(?:\{\$|procedure\b|function\b.*;|unit\b)/im },
      { language: 'Assembly', pattern: /^\s*(?:;|%(?:macro|define|include)|\.(?:macro|equ|globl)|section\b)/m },
      { language: 'C++', pattern: /^\s*(?:#\s*(?:include|define|ifdef|ifndef|if)\b|\/\/|\/\*)/m },
    ],
    cl: [
      { language: 'OpenCL', pattern: /\b__?kernel\b|\/\*|^\s*#(?:include|define|pragma)|\b(?:float|int)[248]\b/m },
      { language: 'Common Lisp', pattern: /^/ },
    ],
    pp: [{ language: 'Pascal', pattern: /^\s*(?:unit|program|uses|interface|implementation)\b|^\s*\{\$/im }],
    s: [
      {
        language: 'GNU Assembly',
        pattern: /^\s*(?:\/\*|#|\.(?:text|globl|global|section|align|type|file|data|macro)\b)/m,
      },
    ],
    asm: [{ language: 'GNU Assembly', pattern: /^\s*\.(?:text|globl|section)\b/m }],
    mac: [{ language: 'HICAD', pattern: /^REM\b/im }],
    mc: [
      {
        language: 'Windows Message File',
        pattern: /^\s*(?:MessageIdTypedef|SeverityNames|FacilityNames|MessageId)\s*=/im,
      },
      { language: 'Monkey C', pattern: /^\s*(?:using|import)\s+Toybox|\bfunction\s+\w+\(|\bclass\s+\w+/m },
    ],
    inf: [{ language: 'Windows INF', pattern: /^\s*\[\w+[\w. ]*\]/m }],
    e: [
      {
        language: 'Phix',
        pattern:
          /^\s*(?:--\*\/|global\s+(?:function|procedure)|(?:include|constant|integer|sequence)\s)|\bend\s+(?:function|procedure)\b/m,
      },
      { language: 'Eiffel', pattern: /^\s*(?:note|indexing|class\s+[A-Z_]+|feature)\b/m },
    ],
    mod: [
      { language: 'XML', pattern: /^\s*<[!?]/ },
      { language: 'Modula-2', pattern: /^\s*(?:DEFINITION\s+|IMPLEMENTATION\s+)?MODULE\s+\w+\s*;/m },
      { language: 'Go Module', pattern: /^module\s+\S+/m },
    ],
    rs: [{ language: 'XML', pattern: /^\s*<\?xml/ }],
    sc: [{ language: 'SuperCollider', pattern: /^\s*(?:\+\s*\w+\s*\{|\w+\s*:\s*\w+\s*\{|SynthDef\()|\^this\b/m }],
    st: [
      { language: 'Smalltalk', pattern: /^\s*!|\bsubclass:|\|\s*\w+\s*\||^\s*"|:=/m },
      { language: 'StringTemplate', pattern: /\$\w+[:(]|<\w+>/ },
    ],
    tpl: [{ language: 'Go Template', pattern: /\{\{-?\s*(?:\.|range|if|define|template|include)/ }],
    r: [{ language: 'REBOL', pattern: /\bREBOL\s*\[/i }],
    i: [{ language: 'Assembly', pattern: /^\s*(?:;|\.(?:macro|equ))/m }],
    l: [
      { language: 'Common Lisp', pattern: /^\s*\((?:def|in-package|let)/m },
      { language: 'Roff', pattern: /^\.(?:TH|SH)\b/m },
    ],
    ms: [{ language: 'Roff', pattern: /^\.\w/m }],
    as: [{ language: 'AngelScript', pattern: /^\s*(?:#include\s+"|\w+@\s+\w+)/m }],
    bs: [{ language: 'BrightScript', pattern: /^\s*(?:sub|function|')/im }],
    conf: [{ language: 'JSON', pattern: /^\s*\{\s*"/ }],
    cfg: [{ language: 'XML', pattern: /^\s*<\?xml/ }],
  }),
);

/** Whether files of this extension need a look inside. */
export function isAmbiguous(extension: string): boolean {
  return rules.has(extension);
}

/** The language the head of a file speaks for, or undefined where nothing tells. */
export function decideByContent(extension: string, head: string): string | undefined {
  return rules.get(extension)?.find((rule) => speaks(rule, head))?.language;
}

function speaks({ words, pattern }: Rule, head: string): boolean {
  return (words === undefined || words.some((word) => head.includes(word))) && pattern.test(head);
}
