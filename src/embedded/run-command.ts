/** Runs one short-lived program and hands back what it said. */
import { execFile } from 'node:child_process';

/** How a program is run. */
export interface RunOptions {
  /** Working folder; default this process's. */
  cwd?: string;
  /** The program's whole environment; default this process's, so that proxy settings reach a package manager. */
  env?: Record<string, string>;
  /** Milliseconds after which the program is killed; default 10 000. */
  limitMs?: number;
  /** An abort kills the program and rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What came of it: `failure` is undefined after exit code 0, else says why, with the last of what was written to stderr. */
export interface RunResult {
  stdout: string;
  stderr: string;
  failure?: string;
}

/** Runs `command` without a shell and without stdin. Rejects only on abort; every other fault is in `failure`. */
export function runCommand(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { cwd, env, limitMs = 10_000, signal } = options;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const settings = { cwd, env, timeout: limitMs, signal, maxBuffer: 16 * 1024 * 1024 };
    const child = execFile(command, args, settings, (error, stdout, stderr) => {
      if (signal?.aborted) return reject(signal.reason);
      if (!error) return resolve({ stdout, stderr });
      const detail = error.killed ? `took longer than ${limitMs} ms` : lastLine(stderr) || error.message;
      resolve({ stdout, stderr, failure: `${command} ${args[0] ?? ''}: ${detail}` });
    });
    child.stdin?.end();
  });
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
