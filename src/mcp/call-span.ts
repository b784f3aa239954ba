/** The span of a call of a tool: part of the client's trace, and the beginning of whatever its job does. */
import { type CallToolResult, type InputRequiredResult, ProtocolError } from '@modelcontextprotocol/server';
import { logWith } from '../core/process-log.js';
import type { ToolContract } from '../core/tool.js';
import { type Span, traceContextIn } from '../core/tracing.js';
import type { ToolCall } from './call.js';

type Answer = CallToolResult | InputRequiredResult;

/**
 * Answers a call within a span of its own, which its log lines name. Names are those of OpenTelemetry's conventions for MCP (in
 * development, docs/gen-ai/mcp.md of semantic-conventions-genai); arguments, results and the session's id are left out, since the
 * first two are the caller's own and the third opens the session.
 */
export async function inSpan(
  call: Omit<ToolCall, 'span'>,
  answer: (call: ToolCall) => Promise<Answer>,
): Promise<Answer> {
  const { frontEnd, ctx, name } = call;
  const span = frontEnd.tracer.start(`tools/call ${name}`, {
    kind: 'server',
    parent: traceContextIn(ctx.mcpReq._meta),
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'jsonrpc.request.id': String(ctx.mcpReq.id),
    },
  });
  if (!span.context) return answer({ ...call, span });
  try {
    const log = logWith(frontEnd.log, span.logFields);
    const result = await answer({ ...call, span, frontEnd: { ...frontEnd, log } });
    if (ctx.mcpReq.signal.aborted) span.fail('cancelled');
    else if ('isError' in result && result.isError) span.fail('tool_error');
    return result;
  } catch (error) {
    span.fail(error instanceof ProtocolError ? String(error.code) : 'internal');
    throw error;
  } finally {
    span.end();
  }
}

/** The handing over of a job to its queue; the job's runs belong to it. */
export function startSend({ frontEnd, span }: ToolCall, { name, queue }: ToolContract): Span {
  return frontEnd.tracer.start(`send ${queue}`, {
    kind: 'producer',
    parent: span.context,
    attributes: {
      'messaging.system': 'bullmq',
      'messaging.destination.name': queue,
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'gen_ai.tool.name': name,
    },
  });
}
