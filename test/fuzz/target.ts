/** Measures one fuzzed input the way a scan does and says what must never be so, whatever the bytes. */
import { createDecisionCounter } from '../../workers/analysis/complexity/count-decisions.js';
import { decodeText } from '../../workers/analysis/decode.js';
import { detectLanguage } from '../../workers/analysis/detect.js';
import { createTokenizer } from '../../workers/analysis/duplication/tokens.js';
import { createLexers } from '../../workers/analysis/embedded.js';
import { generatedByContent, generatedByShape } from '../../workers/analysis/generated.js';
import type { LineCounts } from '../../workers/analysis/lexer/scan-lines.js';
import { countByBoth } from '../workers/analysis/both-scanners.js';

const NEWLINE = 0x0a;
const lexers = createLexers();
const tokenizer = createTokenizer('names');
const decisions = createDecisionCounter();

/** What a scan makes of the bytes of a file: its language and lines; undefined for a binary. Leaves `bytes` as they are. Throws where the two scanners differ. */
export function count(
  name: string,
  bytes: Buffer,
  place: Place = EVEN,
): { language: string; counts: LineCounts } | undefined {
  const text = decodeText(placed(bytes, place), bytes.length);
  if (text === undefined || generatedByContent(text)) return undefined;
  const language = detectLanguage(name, text.bytes.subarray(text.start, text.end));
  const counts = countByBoth(text, language, lexers);
  generatedByShape(language.name, { bytes: bytes.length, lines: counts.lines });
  return { language: language.name, counts };
}

/** Where in memory a text lies, and what a longer one has left behind it. */
interface Place {
  readonly offset: number;
  readonly stale: Buffer;
}
const EVEN: Place = { offset: 0, stale: Buffer.alloc(1) };
const ODD: Place = { offset: 1, stale: Buffer.from('*/ --> """ \' \n EOF\n') };

function placed(bytes: Buffer, { offset, stale }: Place): Buffer {
  return Buffer.concat([Buffer.alloc(offset), bytes, stale]).subarray(offset);
}

/** What is wrong with what an input is measured as; empty where nothing is. */
export function faultsOf(name: string, bytes: Buffer): string[] {
  const counted = count(name, bytes);
  if (counted === undefined) return [];
  const elsewhere = count(name, bytes, ODD);
  return [
    ...faultsOfCounts(counted.counts),
    ...(JSON.stringify(elsewhere) === JSON.stringify(counted)
      ? []
      : ['counts depend on where the text lies in memory']),
    ...(name.endsWith('.ipynb') ? [] : faultsOfText(name, bytes, counted.counts)),
  ];
}

function faultsOfCounts({ lines, code, comments, blanks, embedded }: LineCounts): string[] {
  const sum = (field: 'code' | 'comments' | 'blanks') => embedded.reduce((total, part) => total + part[field], 0);
  const figures = [
    lines,
    code,
    comments,
    blanks,
    ...embedded.flatMap((part) => [part.code, part.comments, part.blanks]),
  ];
  return [
    ...(lines === code + comments + blanks ? [] : [`${lines} lines are ${code} + ${comments} + ${blanks}`]),
    ...(figures.every((figure) => Number.isSafeInteger(figure) && figure >= 0) ? [] : ['a figure is no count']),
    ...(sum('code') <= code && sum('comments') <= comments && sum('blanks') <= blanks
      ? []
      : ['parts exceed the whole']),
    ...(new Set(embedded.map(({ language }) => language)).size === embedded.length ? [] : ['a part is listed twice']),
  ];
}

/** Reads the text the ways the other metrics do. */
function faultsOfText(name: string, bytes: Buffer, { lines }: LineCounts): string[] {
  const text = decodeText(placed(bytes, EVEN), bytes.length);
  if (text === undefined) return ['a text has become a binary'];
  const before = Buffer.from(text.bytes.subarray(text.start, text.end));
  const language = detectLanguage(name, before);
  const tokens = tokenizer.read(text, lexers.of(language));
  const { decisions: points, lines: linesAgain } = decisions.count(text, language.name, lexers.of(language));
  const after = text.bytes.subarray(text.start, text.end);
  return [
    ...(lines === linesOf(before) ? [] : [`${linesOf(before)} lines are counted as ${lines}`]),
    ...(linesAgain === lines ? [] : [`complexity sees ${linesAgain} lines of ${lines}`]),
    ...(Number.isSafeInteger(points) && points >= 0 ? [] : ['decision points are no count']),
    ...(tokens.count >= 0 ? [] : ['tokens are no count']),
    ...(before.equals(after) ? [] : ['the scan has changed the text']),
  ];
}

function linesOf(text: Buffer): number {
  let newlines = 0;
  for (const byte of text) if (byte === NEWLINE) newlines += 1;
  return newlines + (text.length > 0 && text.at(-1) !== NEWLINE ? 1 : 0);
}
