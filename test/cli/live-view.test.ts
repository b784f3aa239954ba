import { describe, expect, it } from 'vitest';
import { clipped, openLiveView } from '../../src/cli/live-view.js';
import type { Screen } from '../../src/cli/ports.js';

function setup(size = { columns: 20, rows: 3 }) {
  const written: string[] = [];
  const listeners = new Map<string, () => void>();
  const listen = (name: string) => (listener: () => void) => {
    listeners.set(name, listener);
    return () => void listeners.delete(name);
  };
  const screen: Screen = {
    write: (text) => void written.push(text),
    size: () => size,
    onResize: listen('resize'),
    onExit: listen('exit'),
  };
  let resized = 0;
  const view = openLiveView(screen, () => {
    resized += 1;
  });
  return { view, written, listeners, resized: () => resized };
}

describe('a live view', () => {
  it('draws over what was there and never clears the screen first', () => {
    const { view, written } = setup();
    view.show(['one', 'two']);
    expect(written[1]).toBe('\u001b[?2026h\u001b[Hone\u001b[K\r\ntwo\u001b[K\u001b[J\u001b[?2026l');
    expect(written.join('')).not.toContain('\u001b[2J');
  });

  it('says how many lines do not fit', () => {
    const { view, written } = setup();
    view.show(['1', '2', '3', '4']);
    expect(written[1]).toContain('1\u001b[K\r\n2\u001b[K\r\n… 2 more lines');
  });

  it('gives the terminal back with its cursor, once, and draws no more', () => {
    const { view, written, listeners } = setup();
    view.close();
    view.close();
    view.show(['late']);
    expect(written).toHaveLength(2);
    for (const mode of ['7', '25', '1049']) {
      const [on, off] = mode === '1049' ? ['h', 'l'] : ['l', 'h'];
      expect(written[0]).toContain(`\u001b[?${mode}${on}`);
      expect(written[1]).toContain(`\u001b[?${mode}${off}`);
    }
    expect(listeners.size).toBe(0);
  });

  it('gives it back when the process ends in any other way', () => {
    const { written, listeners } = setup();
    listeners.get('exit')?.();
    expect(written[1]).toContain('\u001b[?25h');
  });

  it('asks to be shown anew when the terminal changes its size', () => {
    const { listeners, resized } = setup();
    listeners.get('resize')?.();
    expect(resized()).toBe(1);
  });

  it('cuts a line at its visible width and leaves styles whole', () => {
    expect(clipped('\u001b[1mbold\u001b[22m plain', 6)).toBe('\u001b[1mbold\u001b[22m p');
    expect(clipped('\u001b[1mbold\u001b[22m', 2)).toBe('\u001b[1mbo\u001b[22m');
    expect(clipped('short', 80)).toBe('short');
  });
});
