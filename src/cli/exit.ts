/** How a command ends: its exit code, and how its failure is told. */
import { AppError, type ErrorCode, type ErrorReport } from '../core/errors.js';
import type { Terminal } from './ports.js';
import { plainLines } from './table.js';

/** Exit codes of every command; a signal that ended a call gives 128 and its number, so 130 for Ctrl-C. */
export const EXIT = { success: 0, failure: 1, usage: 2 } as const;

/** What `--help` says of exit codes and of `--json`. */
export const EXIT_HELP = `
Exit codes: 0 success, 1 failure, 2 wrong usage or settings, 130 cancelled by Ctrl-C.
With --json, stdout carries one JSON document: the result or, when the command fails,
{"error":{"code","message","retryable"}}. Everything else, wrong usage included, is on stderr.`;

/** Faults of whoever typed the command, also where only the server can tell: it knows its tools, and may be another version. */
const MISUSE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_configuration',
  'invalid_arguments',
  'unknown_tool',
]);

/** Tells a failure, on stderr and with `json` on stdout too, and gives the exit code for it. Never shows a stack. */
export async function reportFailure(terminal: Terminal, error: unknown, json: boolean): Promise<number> {
  const report = describe(error);
  // What a tool said of its failure is foreign text.
  terminal.err(`error: ${plainLines(report.message)}`);
  if (json) await terminal.out(jsonText({ error: report }));
  return MISUSE.has(report.code) ? EXIT.usage : EXIT.failure;
}

/** One JSON document, indented for people, parseable by programs. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function describe(error: unknown): ErrorReport {
  if (error instanceof AppError) return { code: error.code, message: error.message, retryable: error.retryable };
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
    message: `Longhaul met a fault of its own: ${message}. Please report it.`,
    retryable: false,
  };
}
