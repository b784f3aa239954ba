/** Shows a call's progress on stderr: a bar on a terminal, elsewhere plain lines about once a second. */
import { MultiBar, type Options, type Params } from 'cli-progress';
import type { Progress } from '../core/events.js';
import type { Terminal } from './ports.js';

/** Shows progress and notes without mixing them up. */
export interface ProgressDisplay {
  progress(progress: Progress): void;
  /** Shows a line that stays, above the bar. */
  note(line: string): void;
  /** Removes the bar, or prints the last line held back. Harmless twice. */
  stop(): void;
}

const LINE_EVERY_MS = 1_000;
const BAR_WIDTH = 28;

/** Picks the display that fits stderr; `now` is a clock in milliseconds. */
export function createProgressDisplay(terminal: Terminal, now: () => number = Date.now): ProgressDisplay {
  return terminal.stderr.isTTY ? barDisplay(terminal) : lineDisplay(terminal, now);
}

/** Progress in words: percent if the total is known, then the message or the bare number. */
export function progressText({ progress, total, message }: Progress): string {
  const percent = total !== undefined && total > 0 ? `${Math.min(100, Math.floor((100 * progress) / total))}%` : '';
  const words = message ?? (percent === '' ? `progress ${progress}` : '');
  return [percent.padStart(percent === '' ? 0 : 4), words].filter((part) => part !== '').join('  ');
}

function lineDisplay(terminal: Terminal, now: () => number): ProgressDisplay {
  let shownAtMs = Number.NEGATIVE_INFINITY;
  let held: string | undefined;
  const show = (line: string) => {
    held = undefined;
    shownAtMs = now();
    terminal.err(line);
  };
  return {
    progress(progress) {
      const line = progressText(progress).trim();
      if (now() - shownAtMs >= LINE_EVERY_MS) show(line);
      else held = line;
    },
    note: (line) => terminal.err(line),
    stop() {
      if (held !== undefined) show(held);
    },
  };
}

function barDisplay(terminal: Terminal): ProgressDisplay {
  const bars = new MultiBar({
    stream: terminal.stderr,
    format: formatBar,
    hideCursor: true,
    clearOnComplete: true,
    // Signals are ours: the first one cancels, and the bar goes on until that is confirmed.
    gracefulExit: false,
    forceRedraw: true,
  });
  let bar: ReturnType<MultiBar['create']> | undefined;
  return {
    progress(progress) {
      bar ??= bars.create(1, 0, { text: '' });
      const total = progress.total ?? 0;
      bar.setTotal(Math.max(total, 1));
      bar.update(total > 0 ? Math.min(progress.progress, total) : 0, { text: progressText(progress) });
    },
    note(line) {
      if (bar) bars.log(`${line}\n`);
      else terminal.err(line);
    },
    stop() {
      if (!bar) return;
      bar = undefined;
      bars.update();
      bars.stop();
    },
  };
}

function formatBar(_: Options, params: Params, payload: { readonly text: string }): string {
  const filled = Math.round(BAR_WIDTH * Math.min(1, Math.max(0, params.progress)));
  return `[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}] ${payload.text}`;
}
