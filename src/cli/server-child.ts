/**
 * A server of our own as a child that speaks MCP over its stdin and stdout, and that is gone when it is closed.
 *
 * The SDK's own transport for children leaves them in our process group, where Ctrl-C would stop the server before it
 * hears of the cancel, and kills them after 2 s, which is too soon to give a private Redis back.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import type { RawSettings } from '../config.js';
import { settlesWithin } from '../core/lifecycle.js';

/** How to start the server and how long it may take to end. */
export interface ServerChildOptions {
  /** Absolute path of the compiled entry. */
  readonly entry: string;
  readonly settings: RawSettings;
  /** Milliseconds the child may take to end once its stdin is closed, before it is told, and again before it is killed. */
  readonly endLimitMs: number;
  onStderrLine(line: string): void;
}

/** A transport whose server is a child. */
export interface ServerChild extends Transport {
  /** Resolves when the child has ended, with words on how. */
  readonly ended: Promise<string>;
  /** Kills the child and its workers at once. */
  kill(): void;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Largest message taken: a result may be 32 MiB, and structured and text forms travel together. */
const MESSAGE_LIMIT_BYTES = 96 * 1024 * 1024;
const TERM_LIMIT_MS = 5_000;

/** Prepares the child; `start`, which the SDK's client calls, runs it. */
export function createServerChild(options: ServerChildOptions): ServerChild {
  let child: Child | undefined;
  let closed: Promise<void> | undefined;
  let tellEnd: (how: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    tellEnd = resolve;
  });
  const killAtExit = () => signalGroup(child, 'SIGKILL');
  const transport: ServerChild = {
    ended,
    async start() {
      child = spawnServer(options);
      process.once('exit', killAtExit);
      readMessages(child, transport);
      createInterface({ input: child.stderr }).on('line', options.onStderrLine);
      child.once('error', (error) => tellEnd(`could not be run: ${error.message}`));
      // `close`, unlike `exit`, comes after the last of its output was read.
      child.once('close', (code, signal) => tellEnd(signal ? `was ended by ${signal}` : `exited with code ${code}`));
      ended.then(() => {
        process.off('exit', killAtExit);
        transport.onclose?.();
      });
    },
    send: (message) => write(child, serializeMessage(message)),
    close() {
      closed ??= endChild(child, ended, options.endLimitMs);
      return closed;
    },
    kill: () => signalGroup(child, 'SIGKILL'),
  };
  return transport;
}

function spawnServer({ entry, settings }: ServerChildOptions): Child {
  return spawn(process.execPath, [entry, 'stdio'], {
    env: { ...settings },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C is for the caller, who sends a cancel; and its workers can be killed with it.
    detached: true,
  });
}

function readMessages(child: Child, transport: Transport): void {
  const buffer = new ReadBuffer({ maxBufferSize: MESSAGE_LIMIT_BYTES });
  const report = (error: unknown) => transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  child.stdin.on('error', report);
  child.stdout.on('error', report);
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      buffer.append(chunk);
      for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage())
        transport.onmessage?.(message);
    } catch (error) {
      report(error);
      transport.close().catch(report);
    }
  });
}

function write(child: Child | undefined, text: string): Promise<void> {
  if (!child || child.stdin.destroyed) return Promise.reject(new Error('The server process has ended.'));
  const { stdin } = child;
  return new Promise((resolve, reject) => {
    stdin.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Asks by closing its stdin, as MCP's stdio transport demands, then by SIGTERM, then kills the whole group. */
async function endChild(child: Child | undefined, ended: Promise<string>, limitMs: number): Promise<void> {
  if (!child) return;
  child.stdin.end();
  if (await settlesWithin(ended, limitMs)) return;
  child.kill('SIGTERM');
  if (await settlesWithin(ended, TERM_LIMIT_MS)) return;
  signalGroup(child, 'SIGKILL');
  await ended;
}

function signalGroup(child: Child | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended in the meantime.
  }
}
