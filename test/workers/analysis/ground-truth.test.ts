/** Counts that other people established, read in place; where our rules differ from a tool the rule is named. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { LineCounts } from '../../../workers/analysis/lexer/scan-lines.js';
import { byOurRules, COUNTING_RULES } from './ground-truth-rules.js';
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

function read<T>(folder: string): T[] {
  return present ? JSON.parse(readFileSync(`${FOLDER}${folder}/cases.json`, 'utf8')) : [];
}

function count(folder: string, file: string): Measured {
  return measure(file.slice(file.lastIndexOf('/') + 1), readFileSync(`${FOLDER}${folder}/${file}`));
}

const tokei = read<TokeiCase>('tokei');
const cloc = read<ClocCase>('cloc').filter(({ options }) => options.length === 0);
const reported = read<ReportedCase>('reported');

/** Whether our count is what was said, or becomes so by our rules; and by which. */
function judge(path: string, said: readonly (Figures | undefined)[]): { verdict: string; rules: readonly string[] } {
  const ours = figures(count(path.slice(0, path.indexOf(':')), path.slice(path.indexOf(':') + 1)));
  const known = said.filter((one) => one !== undefined);
  if (known.some((one) => figures(one) === ours)) return { verdict: 'right', rules: [] };
  const [folder = '', file = ''] = path.split(':');
  const bytes = readFileSync(`${FOLDER}${folder}/${file}`);
  const settled = known.map((one) => byOurRules(file, bytes, one)).find(({ counts }) => figures(counts) === ours);
  return settled ? { verdict: 'by rule', rules: settled.rules } : { verdict: `${ours} is wrong`, rules: [] };
}

/** Every case of every set: where it lies, and what was said of it. */
const CASES: Readonly<Record<string, readonly { path: string; said: readonly (Figures | undefined)[] }[]>> = {
  tokei: tokei.map((row) => ({
    path: `tokei/files:${row.file}`,
    said: row.allAgree ? [row.tokei] : [row.tokei, row.scc, row.cloc],
  })),
  cloc: cloc.map((row) => ({ path: `cloc/files:${row.file}`, said: [row] })),
  reported: reported.map((row) => ({ path: `reported:${row.file}`, said: [row] })),
};

const verdicts = new Map<string, ReturnType<typeof judge>>();

describe.skipIf(!present)('the ground truth', () => {
  beforeAll(() => {
    for (const { path, said } of Object.values(CASES).flat()) verdicts.set(path, judge(path, said));
  });

  it.each(Object.entries(CASES))(
    'of %s holds in every case, by the tool’s count or by a rule of ours',
    (set, cases) => {
      const judged = cases.map(({ path }) => ({ path, verdict: 'wrong', rules: [], ...verdicts.get(path) }));
      const wrong = judged.filter(({ verdict }) => verdict.endsWith('wrong'));
      const byRule = judged.filter(({ verdict }) => verdict === 'by rule');
      const groups = COUNTING_RULES.map(({ says }) => ({
        says,
        files: byRule.filter(({ rules }) => rules.includes(says)).length,
      }));
      process.stderr.write(
        `ground truth of ${set}: ${judged.length - wrong.length - byRule.length} right, ${byRule.length} settled by rule, ${wrong.length} wrong\n${groups
          .filter(({ files }) => files > 0)
          .map(({ says, files }) => `  ${files} × ${says}\n`)
          .join('')}`,
      );

      expect(cases.length).toBeGreaterThan(20);
      expect(wrong).toEqual([]);
    },
  );

  it('of tokei settles no case by rule on which all three tools agree', () => {
    const agreed = tokei.filter((row) => row.allAgree);
    const judged = agreed.map(({ file, tokei: said, lines }) => {
      const counted = count('tokei/files', file);
      return { file, lines: counted.lines === lines, counts: said && figures(counted) === figures(said) };
    });

    expect(agreed.length).toBe(52);
    expect(judged.filter(({ lines, counts }) => !lines || !counts)).toEqual([]);
  });

  it('names the languages that reports were about', () => {
    const named = [
      'XAMPPRocky_tokei_186/tool2',
      'boyter_scc_113/a.v',
      'github-linguist_linguist_738/download-all.perl.org-posts',
    ];

    expect(named.map((file) => count('reported', file).language)).toEqual(['Python', 'Coq', 'Perl']);
  });

  it('needs every file that a rule names', () => {
    const byRule = [...verdicts]
      .filter(([, { verdict }]) => verdict === 'by rule')
      .map(([path]) => path.slice(path.lastIndexOf('/') + 1).replace(/^.*:/, ''));

    expect(COUNTING_RULES.flatMap(({ files }) => Object.keys(files)).filter((file) => !byRule.includes(file))).toEqual(
      [],
    );
  });

  it('has no language that only its name is known of', () => {
    const unknown = Object.values(CASES)
      .flat()
      .map(({ path }) => path.split(':'))
      .filter(([folder = '', file = '']) => count(folder, file).language === 'Other');

    expect(unknown).toEqual([]);
  });
});
