/** Shows how a call of a tool ended. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { AppError, isErrorCode } from '../core/errors.js';
import type { CallOptions } from './call-options.js';
import type { CallEnd } from './call-tool.js';
import { EXIT, jsonText } from './exit.js';
import { exitCodeOf } from './interrupts.js';
import type { CliPorts } from './ports.js';
import { plainLines } from './table.js';

/** What is printed of a result: words, or with `--json` a document. */
export interface Rendering {
  readonly text: (result: CallToolResult) => string | Promise<string>;
  /** The structured result as it is, unless given. */
  readonly json?: (result: CallToolResult) => unknown;
}

/** Prints how a call ended, and gives the exit code; throws the error of a failed tool. */
export async function showEnd(
  { terminal }: CliPorts,
  { json }: CallOptions,
  end: CallEnd,
  rendering: Rendering,
): Promise<number> {
  if (end.kind === 'interrupted') {
    terminal.err('Cancelled.');
    if (json) await terminal.out(jsonText({ error: { code: 'cancelled', message: 'Cancelled.', retryable: false } }));
    return exitCodeOf(end.by);
  }
  const { result } = end;
  if (result.isError) throw toolError(result);
  const document = rendering.json ?? structuredOf;
  await terminal.out(json ? jsonText(document(result)) : await rendering.text(result));
  return EXIT.success;
}

/** The structured result, or the content of a tool that has none. */
export function structuredOf({ structuredContent, content }: CallToolResult): unknown {
  return structuredContent ?? { content };
}

/** On a terminal a tool's text must not steer it; a file or pipe gets the text as it is. */
export function shownText({ terminal }: CliPorts, result: CallToolResult): string {
  return terminal.outIsTty ? plainLines(textOf(result)) : textOf(result);
}

function textOf({ content }: CallToolResult): string {
  const texts = content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
  return texts.join('\n\n');
}

/** The server puts code and `retryable` beside the text; another server's error is taken by its text alone. */
export function toolError(result: CallToolResult): AppError {
  const meta = result._meta?.['longhaul/error'];
  const report = typeof meta === 'object' && meta !== null ? meta : {};
  const code = 'code' in report && isErrorCode(report.code) ? report.code : 'handler_failed';
  const retryable = 'retryable' in report && report.retryable === true;
  return new AppError(code, textOf(result) || 'The tool failed and did not say why.', { retryable });
}
