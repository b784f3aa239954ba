/** Counts that other people established, read in place; where our rules differ from a tool the rule is named. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { LineCounts } from '../../../workers/analysis/lexer/scan-lines.js';
import { figures, type Measured, measure } from './measure.js';

const FOLDER = fileURLToPath(new URL('../../../../shared/ground-truth/', import.meta.url));
const present = existsSync(FOLDER);
if (!present) process.stderr.write('The ground truth is not there: its suite is skipped.\n');

type Figures = Omit<LineCounts, 'lines' | 'embedded'>;
interface TokeiCase {
  readonly file: string;
  readonly lines: number;
  readonly allAgree: boolean;
  readonly tokei?: Figures;
  readonly scc?: Figures;
  readonly cloc?: Figures;
}
interface ClocCase extends Figures {
  readonly file: string;
  readonly options: readonly string[];
}
interface ReportedCase extends Figures {
  readonly file: string;
  readonly symptom: string;
}

/** Files on which our count is that of no tool, each under the rule that makes it so. */
const BY_RULE: Readonly<Record<string, readonly string[]>> = {
  'blank lines inside a comment or docstring are comment': [
    ...['cython.pyx', 'AnsProlog.lp', 'C.g4', 'eddsa.circom', 'class.imba', 'SimpleODE.mo', 'demo.odin'],
    ...['sdp_parser.peg', 'prob060-andreoss.p6', 'io.c3', 'capture.ecr'],
  ],
  'a line with code before or after a comment is code': ['dust.dust', 'velocity.vm'],
  'text in a multi-line string is code, whatever it looks like': ['Xtend.xtend'],
  'a template’s own comment is a comment': ['ruby_html.erb'],
  'block comments count where the language has them': ['md5.rkt'],
  'a shebang is comment just where the hash is': ['mfile.mk', 'messages.rb', 'hello.sp'],
  'a pragma stands in comment marks': ['Test.daml', 'Splice.hs-boot'],
  'prose counts as code': ['reStructuredText.rst', 'test2.lhs'],
  'declarations that an editor writes are code': ['JetCar.cls', 'vba_test.vba', 'forgecfg.cfg'],
  'a quotation of a program in its comment is comment': ['PlusCalExample.tla'],
};
/** Files whose language we know by its extension alone, or not at all; a wish list. */
const NOT_YET = [
  ...['wenyan.wy', 'emojicode.🍇', 'github_user.aria'],
  ...['ProcessPO.odx', 'hello.bf', 'parser_2.civet', 'comp.ecpp', 'input.gts', 'insertJournalEntry.ipl', 'offline.jcl'],
  ...['sharpsign.cl', 'logos.xm', 'orgmode.org', 'robotframework.robot', 'sample.sema', 'specman_e.e', 'test.vbhtml'],
  ...['ZosMsg.mc', 'X++.xpo'],
];
const settled = (file: string) => !NOT_YET.includes(file) && !Object.values(BY_RULE).flat().includes(file);

function read<T>(folder: string): T[] {
  return present ? JSON.parse(readFileSync(`${FOLDER}${folder}/cases.json`, 'utf8')) : [];
}

function count(folder: string, file: string): Measured {
  return measure(file.slice(file.lastIndexOf('/') + 1), readFileSync(`${FOLDER}${folder}/${file}`));
}

const tokei = read<TokeiCase>('tokei');
const cloc = read<ClocCase>('cloc').filter(({ options }) => options.length === 0);
const reported = read<ReportedCase>('reported');

describe.skipIf(!present)('the ground truth', () => {
  it.each(tokei.filter((row) => row.allAgree))(
    '$file counts as all three tools say',
    ({ file, tokei: expected, lines }) => {
      const counted = count('tokei/files', file);

      expect(counted.lines).toBe(lines);
      expect(figures(counted)).toBe(expected && figures(expected));
    },
  );

  it.each(reported)('$file is right where a tool was wrong: $symptom', ({ file, ...expected }) => {
    expect(figures(count('reported', file))).toBe(figures(expected));
  });

  it('names the languages that reports were about', () => {
    const named = [
      'XAMPPRocky_tokei_186/tool2',
      'boyter_scc_113/a.v',
      'github-linguist_linguist_738/download-all.perl.org-posts',
    ];

    expect(named.map((file) => count('reported', file).language)).toEqual(['Python', 'Coq', 'Perl']);
  });

  it.each(tokei.filter((row) => !row.allAgree && settled(row.file)))('$file counts as one of the tools says', (row) => {
    const said = [row.tokei, row.scc, row.cloc].flatMap((one) => (one ? [figures(one)] : []));

    expect(said).toContain(figures(count('tokei/files', row.file)));
  });

  it.each(cloc.filter(({ file }) => settled(file)))('$file counts as cloc says', ({ file, ...expected }) => {
    expect(figures(count('cloc/files', file))).toBe(figures(expected));
  });

  it('differs by rule only as the rule says: such blank lines move to the comments, and no others', () => {
    const moved = BY_RULE['blank lines inside a comment or docstring are comment'] ?? [];
    const rows = cloc.filter(({ file }) => moved.includes(file) && file !== 'io.c3');

    for (const { file, ...expected } of rows) {
      const counted = count('cloc/files', file);
      expect([file, counted.code]).toEqual([file, expected.code]);
      expect(counted.comments, file).toBeGreaterThan(expected.comments);
    }
  });

  it('lists no exception that has become needless', () => {
    const needless = [
      ...tokei.filter((row) =>
        [row.tokei, row.scc, row.cloc].some((one) => one && figures(one) === figures(count('tokei/files', row.file))),
      ),
      ...cloc.filter((row) => figures(row) === figures(count('cloc/files', row.file))),
    ].map(({ file }) => file);

    expect([...NOT_YET, ...Object.values(BY_RULE).flat()].filter((file) => needless.includes(file))).toEqual([]);
  });
});
