/** What is stored of 2025-era sessions and told among front ends, and how it is read back. */
import { z } from 'zod';
import type { LogLevel } from './events.js';
import { jobIdSchema } from './ids.js';
import { RECORD_VERSION } from './job.js';
import type { JsonObject } from './json.js';
import { type ClientRoot, clientRootSchema } from './roots.js';
import { traceContextSchema } from './tracing.js';

/** A JSON-RPC request id; `1` and `"1"` are two. */
export type RequestId = string | number;

const jsonObject = z.record(z.string(), z.unknown()).transform((value) => value as JsonObject);

/** What `initialize` settled for the life of a session. */
const recordSchema = z.object({
  v: z.number().max(RECORD_VERSION),
  principal: z.string(),
  /** The revision that was agreed on. */
  protocolVersion: z.string(),
  /** The parameters of `initialize` as the client sent them: capabilities and client information. */
  params: jsonObject,
});

/** See `parseSessionRecord`. */
export type SessionRecord = Readonly<z.infer<typeof recordSchema>>;

/** What changes in a session by what its client says. */
export interface SessionState {
  readonly logLevel?: LogLevel | undefined;
  /** Whether the client has said that it is ready. */
  readonly initialized: boolean;
  /** The roots it told last; absent if it has told none, or said since that they changed. */
  readonly roots?: readonly ClientRoot[] | undefined;
  /** How often it has said that they changed. */
  readonly rootsChanges: number;
}

/** A request that is not answered yet, as any front end must know it to go on with it. */
const openCallSchema = z.object({
  v: z.number().max(RECORD_VERSION),
  id: z.union([z.string(), z.number()]),
  /** The name of its event stream, unique and never used again. */
  stream: z.string(),
  method: z.string(),
  tool: z.string().optional(),
  progressToken: z.union([z.string(), z.number()]).optional(),
  /** The id of its job, chosen before the job is submitted. */
  job: jobIdSchema.optional(),
  /** Kept only where the call may have to begin anew; free of secrets. */
  args: jsonObject.optional(),
  /** What its client said of its trace. */
  trace: traceContextSchema.optional().catch(undefined),
});

/** See `parseOpenCall`. */
export type OpenCall = z.infer<typeof openCallSchema>;

/** A question that lies with the client, by the id it was sent under. */
const openQuestionSchema = z.object({
  v: z.number().max(RECORD_VERSION),
  wireId: z.string(),
  /** The call on whose stream it was put. */
  callId: z.union([z.string(), z.number()]),
  /** The job's question it puts; absent if the front end itself asks, which alone can use the answer. */
  job: jobIdSchema.optional(),
  key: z.string().optional(),
  kind: z.enum(['sampling', 'elicitation', 'roots']),
});

/** See `parseOpenQuestion`. */
export type OpenQuestion = z.infer<typeof openQuestionSchema>;

/** What one front end tells the others; a hint only, since all that must not be lost lies in the store. */
export type SessionHint = { readonly session: string; readonly from: string } & (
  | { readonly kind: 'changed' }
  | { readonly kind: 'cancel'; readonly id: RequestId; readonly reason: string }
  | { readonly kind: 'answer'; readonly message: JsonObject }
  | { readonly kind: 'taken'; readonly id: RequestId; readonly owner: string }
  | { readonly kind: 'place' }
  | { readonly kind: 'ended' }
);

const anyId = z.union([z.string(), z.number()]);
const sender = { session: z.string(), from: z.string() };

const sessionHintSchema = z.discriminatedUnion('kind', [
  z.object({ ...sender, kind: z.literal('changed') }),
  z.object({ ...sender, kind: z.literal('cancel'), id: anyId, reason: z.string() }),
  z.object({
    ...sender,
    kind: z.literal('answer'),
    message: jsonObject,
  }),
  z.object({ ...sender, kind: z.literal('taken'), id: anyId, owner: z.string() }),
  z.object({ ...sender, kind: z.literal('place') }),
  z.object({ ...sender, kind: z.literal('ended') }),
]);

/** Reads what is stored; undefined for what is not there, or what a newer version wrote in a way that is not understood. */
function reader<T>(schema: z.ZodType<T>): (text: unknown) => T | undefined {
  return (text) => (typeof text === 'string' ? schema.safeParse(JSON.parse(text)).data : undefined);
}

/** Reads a session's record; as all of these, undefined for one that a newer version wrote. */
export const parseSessionRecord = reader(recordSchema);

/** Reads an open call. */
export const parseOpenCall = reader(openCallSchema);

/** Reads an open question. */
export const parseOpenQuestion = reader(openQuestionSchema);

/** Reads roots as they are stored. */
export const parseRoots = reader(z.array(clientRootSchema));

/** Reads a hint. */
export const parseSessionHint = reader(sessionHintSchema);
