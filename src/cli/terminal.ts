/** The process's own streams as a `Terminal`. */
import { text } from 'node:stream/consumers';
import type { RawSettings } from '../config.js';
import type { Screen, Terminal } from './ports.js';

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
    ...(outIsTty && env.TERM !== 'dumb' && { screen: screenOf(stdout) }),
  };
}

function screenOf(stream: NodeJS.WriteStream): Screen {
  const listening = (emitter: NodeJS.EventEmitter, event: string) => (listener: () => void) => {
    emitter.on(event, listener);
    return () => void emitter.off(event, listener);
  };
  return {
    write: (text) => void stream.write(text),
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
    onResize: listening(stream, 'resize'),
    onExit: listening(process, 'exit'),
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
