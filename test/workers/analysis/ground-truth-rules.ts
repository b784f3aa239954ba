/** Where our rules make another count of a file than the tools do: what moves, from which column to which, and in which lines. */
import { detectLanguage } from '../../../workers/analysis/detect.js';
import { createLexers } from '../../../workers/analysis/embedded.js';
import { countLines, type LineCounts } from '../../../workers/analysis/lexer/scan-lines.js';

/** A column of a count. */
export type Column = 'code' | 'comments' | 'blanks';
/** How the lines of a file divide. */
export type Division = Pick<LineCounts, Column>;

/** One rule by which our count differs from a tool's. */
export interface CountingRule {
  readonly says: string;
  /** The tool's column, and ours. */
  readonly moves: readonly [from: Column, to: Column];
  /** By file, what stands in the lines that move; of those it touches, the ones that we count in the column `to`. */
  readonly files: Readonly<Record<string, RegExp>>;
}

const EMPTY = /^[^\S\n]*$/gm;
const SHEBANG = /^#!.*/g;
const PRAGMA = /^\{-#.*#-\}/gm;
const DECLARATION = /^(?:VERSION|BEGIN|END$|\s+\w+\s+= .*'|Attribute ).*$/gim;

/** All rules by which a count may differ; a file may fall under several. */
export const COUNTING_RULES: readonly CountingRule[] = [
  {
    says: 'a blank line within a comment or docstring is comment',
    moves: ['blanks', 'comments'],
    files: {
      ...{ 'cython.pyx': EMPTY, 'AnsProlog.lp': EMPTY, 'C.g4': EMPTY, 'eddsa.circom': EMPTY, 'class.imba': EMPTY },
      ...{
        'SimpleODE.mo': EMPTY,
        'demo.odin': EMPTY,
        'sdp_parser.peg': EMPTY,
        'prob060-andreoss.p6': EMPTY,
        'io.c3': EMPTY,
      },
      ...{ 'capture.ecr': EMPTY, 'comp.ecpp': EMPTY, 'test2.lhs': EMPTY },
    },
  },
  {
    says: 'a blank line within a string is code',
    moves: ['blanks', 'code'],
    files: { 'Xtend.xtend': EMPTY },
  },
  {
    says: 'a blank line outside comments and strings is blank',
    moves: ['code', 'blanks'],
    files: { 'emojicode.🍇': /^\n(?= *🐇❗)/gmu },
  },
  {
    says: 'text in a string of many lines is code, whatever it looks like',
    moves: ['comments', 'code'],
    files: { 'Xtend.xtend': /^[^\S\n]+(?:\/\*\*|\*\/|\* ).*$/gm, 'io.c3': /^raw string with \/\/ .*$/gm },
  },
  {
    says: 'a line with code beside a comment is code',
    moves: ['comments', 'code'],
    files: { 'dust.dust': /^.*!\} *\S.*$/gm, 'velocity.vm': /^.*\*# *\S.*$/gm },
  },
  {
    says: 'what a program’s comment quotes is comment, to the mark that ends it',
    moves: ['code', 'comments'],
    files: {
      'md5.rkt': /#\|[\s\S]*?\|#/g,
      // The inner mark of a nested comment does not end the outer one.
      'sharpsign.cl': /^ {3}\(format t "Don't use \|# unmatched.*\n \|#$/gm,
      'PlusCalExample.tla': /^PlusCal options[\s\S]*?^\}$/gm,
    },
  },
  {
    says: 'a comment of the language is one, though the tool does not know it',
    moves: ['code', 'comments'],
    files: {
      'ruby_html.erb': /<%\s?#[^%]*%>/g,
      'comp.ecpp': /^ *\/\/ define.*$/gm,
      'parser_2.civet': /^ *\/\/ +if.*$/gm,
    },
  },
  {
    says: 'a shebang line is comment where the hash is its mark',
    moves: ['code', 'comments'],
    files: { 'mfile.mk': SHEBANG, 'messages.rb': SHEBANG },
  },
  { says: 'and code elsewhere', moves: ['comments', 'code'], files: { 'hello.sp': SHEBANG } },
  {
    says: 'a pragma stands in the marks of a comment',
    moves: ['code', 'comments'],
    files: { 'Test.daml': PRAGMA, 'Splice.hs-boot': PRAGMA },
  },
  {
    says: 'prose is code',
    moves: ['comments', 'code'],
    files: {
      'reStructuredText.rst': /^\.\.[^\n]*\n(?: .*\n)*/gm,
      'orgmode.org': /^\* COMMENT.*\n.*$/gm,
      'specman_e.e': /^this text is ignored\n.*/g,
    },
  },
  {
    says: 'a declaration, directive, heading or statement without an effect is code',
    moves: ['comments', 'code'],
    files: {
      ...{ 'JetCar.cls': DECLARATION, 'vba_test.vba': DECLARATION, 'forgecfg.cfg': /^~.*$/gm, 'logos.xm': /^# .*$/gm },
      ...{ 'ProcessPO.odx': /^\ufeff?#.*$/gm, 'robotframework.robot': /^\*\*\*.*$/gm, 'offline.jcl': /^\/\/ *$/gm },
    },
  },
];

/** What a tool would have counted by our rules, and by which of them. */
export function byOurRules(
  file: string,
  bytes: Buffer,
  said: Division,
): { readonly counts: Division; readonly rules: readonly string[] } {
  const name = baseName(file);
  const text = bytes.toString('utf8');
  const rules = COUNTING_RULES.flatMap(({ files, ...rule }) => {
    const lines = files[name];
    return lines ? [{ ...rule, lines }] : [];
  });
  const columns = rules.length > 0 ? columnsOf(name, text) : [];
  const counts = { ...said };
  for (const {
    moves: [from, to],
    lines,
  } of rules) {
    const moved = linesWith(text, lines).filter((line) => columns[line] === to).length;
    counts[from] -= moved;
    counts[to] += moved;
  }
  return { counts, rules: rules.map(({ says }) => says) };
}

/** Which column each line is counted in, by counting the text up to its end and up to the end of the line before. */
function columnsOf(name: string, text: string): Column[] {
  const language = detectLanguage(name, Buffer.from(text));
  const lexer = createLexers().of(language);
  const lines = text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined);
  let before: Division = { code: 0, comments: 0, blanks: 0 };
  return lines.map((_line, i) => {
    const head = Buffer.from(`${lines.slice(0, i + 1).join('\n')}\n `);
    const counted = countLines(head, { start: 0, end: head.length - 1 }, lexer);
    const column = (['code', 'comments', 'blanks'] as const).find((one) => counted[one] > before[one]);
    before = counted;
    return column ?? 'code';
  });
}

/** The numbers of the lines, from zero, that the matches of a pattern touch. */
function linesWith(text: string, pattern: RegExp): number[] {
  const touched = new Set<number>();
  for (const { index, 0: match } of text.matchAll(pattern)) {
    const first = text.slice(0, index).split('\n').length - 1;
    for (let line = first; line < first + match.replace(/\n$/, '').split('\n').length; line += 1) touched.add(line);
  }
  return [...touched];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
