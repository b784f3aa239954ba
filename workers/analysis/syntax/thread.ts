/** The entry of a syntax thread: parses what it is asked to, one request at a time. */
import { parentPort } from 'node:worker_threads';
import { createFileMeter } from '../complexity/measure-file.js';
import { countErrors } from './count-errors.js';
import { createFunctionMeter, type FunctionMeter } from './function-meter.js';
import type { SyntaxAnswer, SyntaxRequest, SyntaxResponse, TextRequest } from './messages.js';
import { createTreeParser, type TreeParser } from './tree-parser.js';

interface Tools {
  readonly parser: TreeParser;
  readonly meter: FunctionMeter;
}

/** Prepared when the first text is to be parsed: many files never are. */
let tools: Promise<Tools> | undefined;
let isWorn = () => false;
const measureFile = createFileMeter(async (text, grammar, maxSteps) => {
  const { meter } = await toolsFor(grammar);
  return meter(text, { grammar, maxSteps });
});

async function toolsFor(grammar: string): Promise<Tools> {
  tools ??= prepare();
  const ready = await tools;
  await ready.parser.load(grammar);
  return ready;
}

async function prepare(): Promise<Tools> {
  const parser = await createTreeParser();
  isWorn = parser.isWorn;
  return { parser, meter: createFunctionMeter(parser) };
}

async function answerTo(request: SyntaxRequest): Promise<SyntaxAnswer> {
  if (request.question === 'file') return { question: 'file', value: await measureFile(request) };
  return answerOn(request, await toolsFor(request.grammar));
}

function answerOn({ question, text, ...task }: TextRequest, { parser, meter }: Tools): SyntaxAnswer {
  if (question === 'functions') return { question, value: meter(text, task) };
  return { question, value: parser.parse(text, { ...task, visit: countErrors }) };
}

async function respond(request: SyntaxRequest): Promise<void> {
  const answer = await answerTo(request);
  const response: SyntaxResponse = { answer, worn: isWorn() };
  parentPort?.postMessage(response);
}

// A rejection is none of the text's: it ends the thread, whose owner hears of it.
parentPort?.on('message', (request: SyntaxRequest) => void respond(request));
