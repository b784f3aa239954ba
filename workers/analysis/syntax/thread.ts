/** The entry of a syntax thread: parses what it is asked to, one request at a time. */
import { parentPort } from 'node:worker_threads';
import { countErrors } from './count-errors.js';
import type { SyntaxAnswer, SyntaxRequest, SyntaxResponse } from './messages.js';
import { createTreeParser, type TreeParser } from './tree-parser.js';

let parser: Promise<TreeParser> | undefined;

async function respond(request: SyntaxRequest): Promise<SyntaxResponse> {
  parser ??= createTreeParser();
  const trees = await parser;
  const answer = await answerTo(request, trees);
  return { answer, worn: trees.isWorn() };
}

async function answerTo({ grammar, text, timeoutMs }: SyntaxRequest, trees: TreeParser): Promise<SyntaxAnswer> {
  await trees.load(grammar);
  return { kind: 'errors', errors: trees.parse(text, { grammar, timeoutMs, visit: countErrors }) };
}

parentPort?.on('message', (request: SyntaxRequest) => {
  // A failure here is none of the text's: it ends the thread, whose owner hears of it.
  void respond(request).then((response) => parentPort?.postMessage(response));
});
