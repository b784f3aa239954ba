/** The process's own streams as a `Terminal`. */
import { text } from 'node:stream/consumers';
import type { RawSettings } from '../config.js';
import type { Terminal } from './ports.js';

/** Wraps stdin, stdout and stderr; a reader that hangs up (`| head`) ends the process quietly. */
export function processTerminal(env: RawSettings): Terminal {
  const { stdin, stdout, stderr } = process;
  const outIsTty = stdout.isTTY === true;
  const toOut = writer(stdout);
  const toErr = writer(stderr);
  return {
    out: toOut,
    err: (line) => void toErr(line),
    readInput: () => text(stdin),
    stderr,
    outIsTty,
    ...(outIsTty && stdout.columns > 0 && { columns: stdout.columns }),
    // https://no-color.org: any value but the empty one.
    colour: outIsTty && !env.NO_COLOR && env.TERM !== 'dumb',
  };
}

/** Listens for a hang-up only once it writes: a server that speaks a protocol on stdout has its own way to end. */
function writer(stream: NodeJS.WriteStream): (line: string) => Promise<void> {
  const quit = (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1);
  return (line) => {
    if (!stream.listeners('error').includes(quit)) stream.on('error', quit);
    return new Promise((resolve) => stream.write(`${line}\n`, () => resolve()));
  };
}
