/** What our own messages carry from the handler of a call to its session, which takes it off again before they are sent. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type JobId, jobIdSchema } from '../core/ids.js';
import type { Connection } from './front-end.js';

const MARK = 'longhaul/mark';

const markSchema = z.object({
  cursor: z.string().optional(),
  question: z.object({ job: jobIdSchema, key: z.string() }).optional(),
});

/** See `takeMark`. */
export type Mark = z.infer<typeof markSchema>;

/** Marks the parameters of a notification with the job event it tells of; only where a session takes marks off. */
export function markPlace<Params extends object>(connection: Connection, params: Params, cursor: string | undefined) {
  return connection.calls && cursor !== undefined ? marked(params, { cursor }) : params;
}

/** Marks a request with the question of the job that it puts. */
export function markQuestion<Request extends { readonly params?: Record<string, unknown> }>(
  connection: Connection,
  request: Request,
  question: { readonly job: JobId; readonly key: string },
): Request {
  return connection.calls ? { ...request, params: marked(request.params ?? {}, { question }) } : request;
}

/** The message as it is to be sent, and what it was marked with. */
export function takeMark(message: JSONRPCMessage): { readonly message: JSONRPCMessage; readonly mark: Mark } {
  const params = 'params' in message ? message.params : undefined;
  const meta = params?._meta;
  if (!params || !meta || !Object.hasOwn(meta, MARK)) return { message, mark: {} };
  const { [MARK]: raw, ...ownMeta } = meta as Record<string, unknown>;
  const { _meta, ...rest } = params;
  const clean = Object.keys(ownMeta).length > 0 ? { ...rest, _meta: ownMeta } : rest;
  const { params: _, ...envelope } = message as Record<string, unknown>;
  const bare = Object.keys(clean).length > 0 ? { ...envelope, params: clean } : envelope;
  // Only an own mark was taken off a message that was one before.
  return { message: bare as unknown as JSONRPCMessage, mark: markSchema.safeParse(raw).data ?? {} };
}

function marked<Params extends object>(params: Params, mark: Mark): Params {
  const meta = '_meta' in params ? params._meta : undefined;
  return { ...params, _meta: { ...Object(meta), [MARK]: mark } };
}
