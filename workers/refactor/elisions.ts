/** Finds where an answer leaves code out and says so, as in "rest unchanged": written, it would delete that code. */

/** What begins a comment in any language; a line may hold code before it. */
const COMMENT = /(?:\/\/|\/\*+|<!--|\{\/\*|#|--|;;|^\s*;|%|"""|''')/;
/** Lines of no language: an outline's ellipsis or bracketed remark in place of code. */
const REMARK = /^\s*[[(<{*.…-](?!.*(?:[;={}]|\.{3}\w))/;
const DOTS = /\.{3}|…/;
/** Nothing but an ellipsis, with or without comment marks and brackets around it. */
const BARE_DOTS = /^[\s/*#<!\-;%"'`[({]*(?:\.{3,}|…)[\s/*#>\-;%"'`\])}]*$/;
/** Beside an ellipsis these speak of left-out code. */
const LEFT_OUT =
  /\b(?:rest|remain\w*|existing|other|previous|original|unchanged|same|omitted|code|methods?|functions?|imports?|before|etc|more|implementation|here|goes)\b/i;
const SPOKEN = [
  /\b(?:rest|remainder|remaining)\b.{0,60}\b(?:unchanged|same|omitted|stays?|remains?|here|as (?:before|is)|code|file|page|document|template|functions?|methods?|class|implementation|logic|body)\b/i,
  /\b(?:unchanged|existing|previous|original)\b.{0,30}\b(?:code|contents?|implementation|functions?|methods?|imports?|lines|logic|body)\b/i,
  /\b(?:code|contents?|implementation|functions?|methods?|imports?|lines|logic|body|everything(?: else)?)\b.{0,30}\b(?:unchanged|omitted|as before|stays? the same|remains? the same)\b/i,
  /\bfor brevity\b|\bomitted\b|\b(?:same|unchanged) (?:as|from) (?:before|above|the original)\b|^\W*unchanged\W*$|\bno changes? (?:here|needed|below)\b/i,
];

/** The first line by which `answer` leaves code out, trimmed; lines that `original` has as often are its own. */
export function findElision(original: string, answer: string): string | undefined {
  const own = countLines(original);
  for (const line of answer.split('\n')) {
    const text = line.trim();
    if (text === '' || !elides(line)) continue;
    const left = own.get(text) ?? 0;
    if (left === 0) return text.slice(0, 120);
    own.set(text, left - 1);
  }
  return undefined;
}

function elides(line: string): boolean {
  if (BARE_DOTS.test(line)) return true;
  const at = line.search(COMMENT);
  const remark = at >= 0 ? line.slice(at) : REMARK.test(line) ? line : '';
  if (remark === '') return false;
  return (DOTS.test(remark) && LEFT_OUT.test(remark)) || SPOKEN.some((words) => words.test(remark));
}

function countLines(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  return counts;
}
