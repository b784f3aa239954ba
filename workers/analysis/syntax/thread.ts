/** The entry of a syntax thread: parses what it is asked to, one request at a time. */
import { parentPort } from 'node:worker_threads';
import { countErrors } from './count-errors.js';
import { createFunctionMeter, type FunctionMeter } from './function-meter.js';
import type { SyntaxAnswer, SyntaxRequest, SyntaxResponse } from './messages.js';
import { createTreeParser, type TreeParser } from './tree-parser.js';

interface Tools {
  readonly parser: TreeParser;
  readonly meter: FunctionMeter;
}

let tools: Promise<Tools> | undefined;

async function prepare(): Promise<Tools> {
  const parser = await createTreeParser();
  return { parser, meter: createFunctionMeter(parser) };
}

async function respond(request: SyntaxRequest): Promise<SyntaxResponse> {
  tools ??= prepare();
  const { parser, meter } = await tools;
  await parser.load(request.grammar);
  const answer = answerTo(request, { parser, meter });
  return { answer, worn: parser.isWorn() };
}

function answerTo({ question, text, ...task }: SyntaxRequest, { parser, meter }: Tools): SyntaxAnswer {
  if (question === 'functions') return { question, value: meter(text, task) };
  return { question, value: parser.parse(text, { ...task, visit: countErrors }) };
}

parentPort?.on('message', (request: SyntaxRequest) => {
  // A failure here is none of the text's: it ends the thread, whose owner hears of it.
  void respond(request).then((response) => parentPort?.postMessage(response));
});
