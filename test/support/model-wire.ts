/** Drives a tool as a scripted client does, on raw messages of either era and transport: its model, user and folders are the test's. */
import { expect } from 'vitest';
import { until } from './gate.js';
import { init, MODERN, post, type Reply, type Target, type WireMessage, type WireResult } from './http-wire.js';
import { isQuestion } from './questions-wire.js';
import { type Model, type ModelQuestion, type Move, readQuestion } from './scripted-model.js';
import type { StdioWire } from './stdio-wire.js';
import { modernMessage, requestMessage } from './wire-messages.js';

/** A call and who answers what it asks. */
export interface ModelCall {
  readonly tool: string;
  readonly args: object;
  readonly model: Model;
  /** Answer to `elicitation/create`. */
  readonly form?: object;
  /** Answer to `roots/list`; roots are not declared without it. */
  readonly roots?: object;
  /** What is declared of sampling; `{}` unless said. */
  readonly sampling?: object | undefined;
}

/** What came of a call. */
export interface ModelRun {
  readonly result: WireResult;
  /** What the model was asked, in order. */
  readonly asked: readonly ModelQuestion[];
  /** Statuses of the answers that were not accepted, over HTTP; codes of the errors, in rounds of 2026. */
  readonly unaccepted: readonly number[];
}

/** Drives calls over one transport in one era. */
export type Driver = (call: ModelCall) => Promise<ModelRun>;

/** Covers a review of many questions on a busy machine. */
const LIMIT_MS = 60_000;
let calls = 0;
const nextId = () => {
  calls += 1;
  return `model-${calls}`;
};

function capabilitiesOf({ form, roots, sampling = {} }: ModelCall): object {
  return { sampling, ...(form && { elicitation: {} }), ...(roots && { roots: {} }) };
}

/** What the client does with any question; those to the model are kept. */
function moveFor({ method, params }: WireMessage, call: ModelCall, asked: ModelQuestion[]): Move {
  if (method === 'roots/list') return { gives: call.roots ?? { roots: [] } };
  if (method === 'elicitation/create') return { gives: call.form ?? { action: 'cancel' } };
  const question = readQuestion(params);
  asked.push(question);
  return call.model(question);
}

function bodyOf(id: unknown, move: Exclude<Move, 'nothing'>): string {
  if ('raw' in move) return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${move.raw}}`;
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    ...('gives' in move ? { result: move.gives } : { error: move.refuses }),
  });
}

/** A session of 2025-11-25 for each call; questions come on the call's own stream. */
export function drive25(target: Target): Driver {
  return async (call) => {
    const session = await init(target, capabilitiesOf(call));
    const id = nextId();
    const stream = await session.call(id, call.tool, call.args);
    const asked: ModelQuestion[] = [];
    const unaccepted: number[] = [];
    const known = new Set<unknown>();
    for (;;) {
      const isNext = (one: WireMessage) => (isQuestion(one) ? !known.has(one.id) : one.id === id);
      const next = await stream.message(isNext, LIMIT_MS);
      if (next.method === undefined) return { result: resultIn(next), asked, unaccepted };
      known.add(next.id);
      const move = moveFor(next, call, asked);
      if (move === 'nothing') continue;
      const { status } = await post(target, bodyOf(next.id, move), session.headers);
      if (status !== 202) unaccepted.push(status);
    }
  };
}

/** On stdio, in the way of 2025; the front end must have been told the capabilities. */
export function driveStdio(wire: StdioWire): Driver {
  return async (call) => {
    const id = nextId();
    const from = wire.seen.length;
    wire.send(requestMessage(id, 'tools/call', { name: call.tool, arguments: call.args }));
    const asked: ModelQuestion[] = [];
    const known = new Set<unknown>();
    for (;;) {
      const isNext = (one: WireMessage) => (isQuestion(one) ? !known.has(one.id) : one.id === id);
      const next = await wire.message(`the next of ${id}`, isNext, { limitMs: LIMIT_MS, from });
      if (next.method === undefined) return { result: resultIn(next), asked, unaccepted: [] };
      known.add(next.id);
      const move = moveFor(next, call, asked);
      if (move !== 'nothing') wire.sendRaw(`${bodyOf(next.id, move)}\n`);
    }
  };
}

/**
 * Round trips of 2026-07-28. A client that answers nothing, or nothing that is accepted, does not come back: what its job
 * came to is then told by `get_job`.
 */
export function drive26(target: Target): Driver {
  return async (call) => (await begin26(target)(call)).end();
}

/** What is left of a call whose client has said what it has to say. */
export interface BegunRun {
  /** Waits for what came of the call, by itself or by the time its job takes to give the client up. */
  end(): Promise<ModelRun>;
}

/** As `drive26`, up to the client's last word. */
export function begin26(target: Target): (call: ModelCall) => Promise<BegunRun> {
  return async (call) => {
    const asked: ModelQuestion[] = [];
    const ended = (result: WireResult) => ({ end: async () => ({ result, asked, unaccepted: [] }) });
    const left = async (...unaccepted: readonly number[]): Promise<BegunRun> => {
      const job = await latestJob(target, call.tool);
      return { end: async () => ({ result: await resultOfJob(target, job), asked, unaccepted }) };
    };
    let retry: Retry = {};
    for (;;) {
      const reply = await sendRound(target, call, retry);
      if (reply.status === 413) return left(413);
      const response = await reply.message(({ method }) => method === undefined, LIMIT_MS);
      if (response.error && retry.answers) return left(response.error.code);
      const result = resultIn(response);
      if (result.resultType !== 'input_required') return ended(result);
      const answers = Object.entries(Object(result.inputRequests)).flatMap(([key, request]) => {
        const move = moveFor(request as WireMessage, call, asked);
        return move === 'nothing' ? [] : [[key, answerOf(move)] as const];
      });
      if (answers.length === 0) return left();
      retry = { requestState: result.requestState, answers };
    }
  };
}

interface Retry {
  readonly requestState?: unknown;
  /** JSON of each answer, by key. */
  readonly answers?: readonly (readonly [string, string])[];
}

/** A client of 2026 has no way to answer with an error: the nearest is a response that is one. */
function answerOf(move: Exclude<Move, 'nothing'>): string {
  if ('raw' in move) return move.raw;
  return JSON.stringify('gives' in move ? move.gives : { error: move.refuses });
}

function sendRound(target: Target, call: ModelCall, { answers, ...retry }: Retry): Promise<Reply> {
  const inputResponses = Object.fromEntries((answers ?? []).map(([key], index) => [key, `@@${index}@@`]));
  const params = { name: call.tool, arguments: call.args, ...retry, ...(answers && { inputResponses }) };
  const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilitiesOf(call) };
  const body = JSON.stringify(modernMessage(nextId(), 'tools/call', params, meta));
  const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': call.tool };
  return post(
    target,
    body.replace(/"@@(\d+)@@"/g, (_all, index) => answers?.[Number(index)]?.[1] ?? ''),
    headers,
  );
}

/** The id of the newest job of a tool. */
async function latestJob(target: Target, tool: string): Promise<string> {
  const session = await init(target);
  const page = await session.result('l', 'list_jobs', { tool, limit: 1 });
  const [job] = [page.structuredContent?.jobs].flat();
  await session.delete();
  return String(Object(job).job_id);
}

/** What a job came to, once it has ended. */
async function resultOfJob(target: Target, id: string): Promise<WireResult> {
  const session = await init(target);
  const look = async () => {
    const told = await session.result(nextId(), 'get_job', { job_id: id, wait_seconds: 5 });
    return { ...told.structuredContent };
  };
  const ended = await until(look, ({ state }) => ['completed', 'failed', 'cancelled'].includes(String(state)), {
    what: `job ${id} to end`,
    limitMs: LIMIT_MS,
  });
  await session.delete();
  return { structuredContent: Object(ended.result), isError: ended.state !== 'completed' };
}

function resultIn({ result, error }: WireMessage): WireResult {
  if (!result) throw new Error(`a protocol error came: ${JSON.stringify(error)}`);
  return result;
}

/** That the server goes on as if nothing had happened: it answers at once, and no job is left that is not over. */
export async function expectHealthy(target: Target): Promise<void> {
  const session = await init(target);
  const { result } = await (await session.request('tools', 'tools/list')).response('tools');
  expect([result?.tools].flat().length).toBeGreaterThan(5);
  const open = await session.result('jobs', 'list_jobs', { states: ['waiting', 'active', 'delayed', 'parked'] });
  expect(open.structuredContent).toMatchObject({ total_count: 0 });
  await session.delete();
}
