/** Reads what a file tells Emacs or Vim about its own language (Emacs manual, "File Variables"; Vim, `:help modeline`). */

/** How much is looked at, at either end; editors look at a few lines. */
const LOOKED_AT_BYTES = 1024;
const LOOKED_AT_LINES = 5;

const EMACS = /-\*-[ \t]*(.+?)[ \t]*-\*-/;
const EMACS_MODE = /(?:^|;)[ \t]*mode[ \t]*:[ \t]*([\w+#.-]+)/i;
const VIM =
  /(?:^|[ \t])(?:vim?|ex)(?:[<=>]?\d+)?:[ \t]*(?:set?[ \t])?(?:.*?[ \t:])?(?:ft|filetype|syntax)=([\w+#.-]+)/i;

/** What a text calls its language; undefined where it says nothing. */
export function modelineOf(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, LOOKED_AT_BYTES);
  const first = head.includes('-*-') ? emacsMode(head) : undefined;
  if (first !== undefined) return first;
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - LOOKED_AT_BYTES));
  const firstLines = speaksToVim(head) ? vimType(head.split('\n', LOOKED_AT_LINES)) : undefined;
  return firstLines ?? (speaksToVim(tail) ? vimType(tail.split('\n').slice(-LOOKED_AT_LINES - 1)) : undefined);
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
