/** Translates what the MCP client throws into the product's errors. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { AppError, isErrorCode } from '../core/errors.js';
import { settlesWithin } from '../core/lifecycle.js';
import type { ServerLink } from './server-link.js';

/** JSON-RPC's and MCP's code for parameters, tool names included, that the server does not take. */
const INVALID_PARAMS = -32602;
/** A child that hung up is about to end; how it ended is worth this wait. */
const END_WAIT_MS = 2_000;

/** The error of a connection that did not come about. */
export async function connectError(error: unknown, link: ServerLink): Promise<AppError> {
  const ending = await endingOf(link);
  if (ending !== undefined) {
    return new AppError('internal', `The server could not be started: it ${ending}; what it said is above.`, {
      cause: error,
    });
  }
  const what = `Cannot reach ${link.described}: ${reasonOf(error)}.`;
  return new AppError('server_unreachable', `${what} Is it running (longhaul http), and is the path right (/mcp)?`, {
    cause: error,
  });
}

/** The error of a call that got no result. */
export async function callError(error: unknown, link: ServerLink): Promise<AppError> {
  if (error instanceof ProtocolError) return refusal(error);
  const ending = await endingOf(link);
  const what = ending === undefined ? `lost the connection to ${link.described} (${reasonOf(error)})` : `it ${ending}`;
  return new AppError(
    'server_unreachable',
    `The server did not answer: ${what}. An accepted job goes on; see it with: longhaul jobs list`,
    { cause: error },
  );
}

function refusal(error: ProtocolError): AppError {
  const data = typeof error.data === 'object' && error.data !== null ? error.data : {};
  const code = 'code' in data && isErrorCode(data.code) ? data.code : undefined;
  const fallback = error.code === INVALID_PARAMS ? 'invalid_arguments' : 'internal';
  return new AppError(code ?? fallback, error.message, { cause: error });
}

async function endingOf(link: ServerLink): Promise<string | undefined> {
  if (!link.ended || !(await settlesWithin(link.ended, END_WAIT_MS))) return undefined;
  return await link.ended;
}

function reasonOf(error: unknown): string {
  if (error instanceof SdkHttpError) return `it answered HTTP ${error.status}`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'it did not answer in time';
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
