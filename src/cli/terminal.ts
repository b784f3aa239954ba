/** The process's own streams as a `Terminal`. */
import { text } from 'node:stream/consumers';
import type { RawSettings } from '../config.js';
import type { Terminal } from './ports.js';

/** Wraps stdin, stdout and stderr; a reader that hangs up (`| head`) ends the process quietly. */
export function processTerminal(env: RawSettings): Terminal {
  const { stdin, stdout, stderr } = process;
  const quitOnHangUp = (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1);
  stdout.on('error', quitOnHangUp);
  stderr.on('error', quitOnHangUp);
  const outIsTty = stdout.isTTY === true;
  return {
    out: (line) => new Promise((resolve) => stdout.write(`${line}\n`, () => resolve())),
    err: (line) => void stderr.write(`${line}\n`),
    readInput: () => text(stdin),
    stderr,
    outIsTty,
    // https://no-color.org: any value but the empty one.
    colour: outIsTty && !env.NO_COLOR && env.TERM !== 'dumb',
  };
}
