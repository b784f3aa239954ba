/** The terminal view as a picture needs it: what the command writes to a terminal, as a page of its own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PROGRAM } from '../support/program.js';

const COLUMNS = 120;
const ROWS = 40;
/** ECMA-48 SGR: bold, faint, green, yellow, red, and the ends of them. */
const STYLES: Readonly<Record<string, string>> = {
  1: '<b>',
  2: '<i>',
  22: '</b></i>',
  32: '<span style="color:#3fb950">',
  33: '<span style="color:#d29922">',
  31: '<span style="color:#f85149">',
  39: '</span>',
};

/** Runs `longhaul status` on a terminal, over the Redis of a data folder, and gives the page of what it wrote. */
export async function statusPage(dataDir: string): Promise<string> {
  const line = `stty cols ${COLUMNS} rows ${ROWS}; "${process.execPath}" "${PROGRAM}" status`;
  const env = { ...process.env, TERM: 'xterm-256color', NO_COLOR: '', LONGHAUL_DATA_DIR: dataDir };
  // util-linux's `script` gives the command a terminal.
  const { stdout } = await promisify(execFile)('script', ['-qec', line, '/dev/null'], { env });
  return pageOf(`$ longhaul status --watch\n\n${stdout.replaceAll('\r', '')}`);
}

function pageOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const styled = escaped.replace(/\u001b\[(\d+)m/g, (_, code: string) => STYLES[code] ?? '');
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #0d1117; color: #e6edf3; }
pre { display: inline-block; margin: 0; padding: 18px 22px; font: 13px/1.45 "DejaVu Sans Mono", monospace; }
i { font-style: normal; opacity: 0.6; }
</style><pre>${styled.trimEnd()}</pre>`;
}
