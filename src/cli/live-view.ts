/** Shows a text that changes in place, on a terminal's alternate screen: without flicker, and leaving no trace. */
import type { Screen } from './ports.js';

/** A view under way. */
export interface LiveView {
  /** Shows lines in place of the last ones; what does not fit is left out. */
  show(lines: readonly string[]): void;
  /** Puts the terminal back in order; a second call changes nothing. */
  close(): void;
}

/** Xterm control sequences: alternate screen (1049), cursor (25), wrapping of long lines (7), updates shown whole (2026). */
const OPEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const BEGIN_UPDATE = '\u001b[?2026h\u001b[H';
const END_UPDATE = '\u001b[J\u001b[?2026l';
const ERASE_REST_OF_LINE = '\u001b[K';
/** A style (SGR), which takes no place on the line. */
const STYLE = /\u001b\[[0-9;]*m/g;

/** Opens the view; `onResize` is to show it anew. It is closed, too, when the process ends, whyever. */
export function openLiveView(screen: Screen, onResize: () => void): LiveView {
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    for (const stop of stops) stop();
    screen.write(CLOSE);
  };
  const stops = [screen.onResize(onResize), screen.onExit(close)];
  screen.write(OPEN);
  return {
    show(lines) {
      if (!isOpen) return;
      const { columns, rows } = screen.size();
      // Drawn over what was there, each line erased from its end on: a screen that is cleared first flickers.
      const shown = fitting(lines, rows).map((line) => `${clipped(line, columns)}${ERASE_REST_OF_LINE}`);
      screen.write(`${BEGIN_UPDATE}${shown.join('\r\n')}${END_UPDATE}`);
    },
    close,
  };
}

/** The beginning of a line that takes at most `width` characters, its styles left whole. */
export function clipped(line: string, width: number): string {
  let left = width;
  const texts = line.split(STYLE);
  const styles = line.match(STYLE) ?? [];
  return texts
    .map((text, at) => {
      const part = text.slice(0, Math.max(0, left));
      left -= text.length;
      return `${part}${styles[at] ?? ''}`;
    })
    .join('');
}

function fitting(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const kept = lines.slice(0, Math.max(0, rows - 1));
  return [...kept, `… ${lines.length - kept.length} more lines`];
}
