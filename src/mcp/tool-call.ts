/** The one path of every tool call in both protocol eras: submit a job, follow it, answer with its outcome. */
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { AppError } from '../core/errors.js';
import type { JsonObject } from '../core/json.js';
import { suggestion } from '../core/nearest.js';
import { parseArguments, type ToolContract } from '../core/tool.js';
import type { ToolCall } from './call.js';
import { inSpan, startSend } from './call-span.js';
import { eraOf } from './era.js';
import {
  ASK_ROOTS,
  askRoots,
  foldersIn,
  givenPaths,
  knownRoots,
  mayHaveRoots,
  type ResolvedCall,
  type RootsAnswer,
  resolveFolders,
  resolveInRoots,
  toldRoots,
} from './folders.js';
import { followJob } from './follow-job.js';
import type { FrontEnd } from './front-end.js';
import { FRONT_END_TOOLS } from './front-end-tools.js';
import { callLost, goOn } from './go-on.js';
import { noWorker } from './heartbeat.js';
import { abilitiesOf } from './input-wire.js';
import { failure } from './results.js';
import { resumeJob } from './resume-job.js';
import { resumePoint } from './round-trip.js';

/** Answers a call. An unknown tool is a protocol error (-32602); all that is wrong with arguments or job is an error result. */
export async function callTool(call: Omit<ToolCall, 'era' | 'span'>): Promise<CallToolResult | InputRequiredResult> {
  const { frontEnd, connection, name, ctx } = call;
  const contract = frontEnd.tools.get(name);
  const own = FRONT_END_TOOLS.get(name);
  if (!contract && !own) throw unknownTool(frontEnd, name);
  // Parsed first: a bad log level is a protocol error of its own.
  const era = eraOf(ctx, connection);
  return inSpan({ ...call, era }, async (traced) => {
    try {
      if (contract) return await runAsJob(traced, contract);
      refuseLost(traced);
      return (await own?.answer(traced)) ?? failure(new AppError('unknown_tool', `There is no tool ${name}.`));
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      report(traced.frontEnd, name, error);
      return failure(error);
    }
  });
}

/** What the front end answers by itself is only done again, after its death, where the arguments were kept. */
function refuseLost({ connection, ctx, name }: ToolCall): void {
  const resumed = connection.calls?.planOf(ctx.mcpReq.id)?.resumed;
  if (resumed && !resumed.args) throw callLost(name);
}

async function runAsJob(call: ToolCall, contract: ToolContract): Promise<CallToolResult | InputRequiredResult> {
  const plan = call.connection.calls?.planOf(call.ctx.mcpReq.id);
  const again = plan?.resumed && (await goOn(call, contract, plan));
  if (again) return again;
  const args = parseArguments(contract, call.args);
  const point = await resumePoint(call);
  if (point) {
    const jobs = await call.frontEnd.jobs();
    const attachment = { call, contract, jobs, id: point.id, input: args, existing: true, cancels: true };
    return resumeJob(attachment, point.cursor);
  }
  const resolved = await resolveForCall(call, contract, args);
  if (resolved === ASK_ROOTS) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  const jobs = await call.frontEnd.jobs();
  const why = await call.frontEnd.unstaffed();
  if (why !== undefined) throw noWorker(why, 'Nothing was accepted; call again later.');
  const key = resolved.args.idempotency_key;
  const sending = startSend(call, contract);
  const asked = {
    principal: call.connection.principal,
    ...(plan?.job !== undefined && { id: plan.job }),
    args: resolved.args,
    allowedFolders: resolved.allowedFolders,
    given: givenPaths(contract, args, resolved.args),
    client: abilitiesOf(call.era.capabilities),
    ...(call.era.kind === 'legacy' && call.connection.session !== undefined && { session: call.connection.session }),
    ...(typeof key === 'string' && { idempotencyKey: key }),
    trace: sending.context,
  };
  const { id, existing } = await jobs.submit(contract, asked).finally(() => sending.end());
  if (existing) await call.connection.calls?.note(call.ctx.mcpReq.id, { job: id });
  return followJob({ call, contract, jobs, id, input: resolved.args, existing, cancels: true });
}

/** 2025 clients are asked for roots over the call's stream; 2026 clients by a round trip, whose answer comes with the retry. */
async function resolveForCall(
  call: ToolCall,
  contract: ToolContract,
  args: JsonObject,
): Promise<ResolvedCall | typeof ASK_ROOTS> {
  const { frontEnd, connection, ctx, era } = call;
  if (contract.pathWithin === 'client_roots' && era.capabilities?.roots !== undefined) {
    const roots = era.kind === 'modern' ? toldRoots(ctx) : await askForRoots(call, contract, args);
    return roots ? resolveInRoots(frontEnd, { contract, args, roots }) : ASK_ROOTS;
  }
  const may = mayHaveRoots(frontEnd, era.capabilities);
  const known = era.kind === 'modern' ? toldRoots(ctx) : knownRoots(connection);
  const first = await resolveFolders(frontEnd, { contract, args, clientRoots: may ? foldersIn(known) : [] });
  if (first !== ASK_ROOTS || era.kind === 'modern') return first;
  const clientRoots = foldersIn(await askForRoots(call, contract, args));
  return resolveFolders(frontEnd, { contract, args, clientRoots });
}

/** Asks for the roots before there is a job. Another front end that goes on with the call needs its arguments until then. */
async function askForRoots(call: ToolCall, contract: ToolContract, args: JsonObject): Promise<RootsAnswer> {
  const { frontEnd, connection, ctx } = call;
  if (connection.calls && !knownRoots(connection)) {
    try {
      const kept = await (await frontEnd.jobs()).withoutSecrets(contract, args);
      await connection.calls.note(ctx.mcpReq.id, { args: kept });
    } catch (err) {
      frontEnd.log.debug({ err }, 'the arguments of a call could not be kept');
    }
  }
  return askRoots(frontEnd, connection, ctx);
}

function unknownTool(frontEnd: FrontEnd, name: string): ProtocolError {
  const known = [...frontEnd.tools.keys(), ...FRONT_END_TOOLS.keys()];
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${name.slice(0, 80)} (${suggestion(name, known)})`,
  );
}

/** The caller's own mistakes are no news for the operator. */
function report(frontEnd: FrontEnd, tool: string, err: unknown): void {
  if (!(err instanceof AppError) || err.code === 'internal')
    frontEnd.log.error({ err, tool }, 'a tool call failed by a fault');
  else if (err.retryable) frontEnd.log.warn({ err, tool }, 'a tool call could not be served');
  else frontEnd.log.debug({ code: err.code, tool }, err.message);
}
