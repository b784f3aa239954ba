/** Reads what a file tells Emacs or Vim about its own language (Emacs manual, "File Variables"; Vim, `:help modeline`). */

/** How much is looked at, at either end; editors look at a few lines. */
const LOOKED_AT_BYTES = 1024;
const LOOKED_AT_LINES = 5;
const LINE_FEED = 0x0a;
const EQUALS = 0x3d;
const DASH = 0x2d;
const STAR = 0x2a;

const EMACS = /-\*-[ \t]*(.+?)[ \t]*-\*-/;
const EMACS_MODE = /(?:^|;)[ \t]*mode[ \t]*:[ \t]*([\w+#.-]+)/i;
const VIM =
  /(?:^|[ \t])(?:vim?|ex)(?:[<=>]?\d+)?:[ \t]*(?:set?[ \t])?(?:.*?[ \t:])?(?:ft|filetype|syntax)=([\w+#.-]+)/i;

/** What a text calls its language; undefined where it says nothing. */
export function modelineOf(bytes: Buffer): string | undefined {
  const end = endOfFirstLines(bytes);
  const head = maySay(bytes, 0, end) ? bytes.toString('latin1', 0, end) : '';
  const first = head.includes('-*-') ? emacsMode(head) : undefined;
  if (first !== undefined) return first;
  const firstLines = speaksToVim(head) ? vimType(head.split('\n')) : undefined;
  if (firstLines !== undefined) return firstLines;
  const start = startOfLastLines(bytes);
  const tail = maySay(bytes, start, bytes.length) ? bytes.toString('latin1', start) : '';
  return speaksToVim(tail) ? vimType(tail.split('\n')) : undefined;
}

/** Whether what no such line does without stands between two places: `*-`, or `t=`, `e=` or `x=`. Most files have none of it there. */
function maySay(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at += 1) {
    const byte = bytes[at];
    if (byte !== EQUALS && byte !== DASH) continue;
    const before = bytes[at - 1];
    if (byte === DASH ? before === STAR : before === 0x74 || before === 0x65 || before === 0x78) return true;
  }
  return false;
}

function endOfFirstLines(bytes: Buffer): number {
  const end = Math.min(bytes.length, LOOKED_AT_BYTES);
  let lines = 0;
  for (let at = 0; at < end; at += 1) {
    if (bytes[at] === LINE_FEED) lines += 1;
    if (lines === LOOKED_AT_LINES) return at;
  }
  return end;
}

/** A line end at the end of the file opens no further line. */
function startOfLastLines(bytes: Buffer): number {
  const start = Math.max(0, bytes.length - LOOKED_AT_BYTES);
  let lines = 0;
  for (let at = bytes.length - 1; at >= start; at -= 1) {
    if (bytes[at] === LINE_FEED) lines += 1;
    if (lines > LOOKED_AT_LINES) return at + 1;
  }
  return start;
}

/** Finding text is far quicker than matching a pattern line by line, and most files say nothing. */
function speaksToVim(text: string): boolean {
  return text.includes('ft=') || text.includes('type=') || text.includes('syntax=');
}

/** On the first line, or the second where the first is a shebang. */
function emacsMode(head: string): string | undefined {
  const [first = '', second = ''] = head.split('\n', 2);
  const variables = EMACS.exec(first)?.[1] ?? (first.startsWith('#!') ? EMACS.exec(second)?.[1] : undefined);
  if (variables === undefined) return undefined;
  return variables.includes(':') ? EMACS_MODE.exec(variables)?.[1] : variables;
}

function vimType(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const found = VIM.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}
