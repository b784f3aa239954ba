/** Traces as the core sees them: a context that travels with a job, and spans that something else records, or nothing. */
import { createHash } from 'node:crypto';
import { z } from 'zod';

/**
 * Where in a trace something belongs, in the words of W3C Trace Context and Baggage. MCP names these fields of `_meta`, without a
 * prefix (SEP-414), in every era.
 */
export const traceContextSchema = z.object({
  traceparent: z.string().regex(/^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/),
  tracestate: z.string().max(512).optional().catch(undefined),
  baggage: z.string().max(8_192).optional().catch(undefined),
});

/** See `traceContextSchema`. */
export type TraceContext = z.infer<typeof traceContextSchema>;

/** The context among the fields of a request's `_meta`; undefined if there is none, or a malformed one, which is as good as none. */
export function traceContextIn(meta: unknown): TraceContext | undefined {
  return traceContextSchema.safeParse(meta).data;
}

/** What is told of a span: bounded words and ids, never arguments, paths or anybody's text. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** How a span begins. */
export interface SpanStart {
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** What it is a part of; it begins a trace of its own without. */
  readonly parent?: TraceContext | undefined;
  readonly attributes?: SpanAttributes;
  /** Milliseconds since the epoch; now unless said. */
  readonly startMs?: number;
  /** What its id is derived from, so that somebody else can end the span in its place; a random id unless said. */
  readonly name?: string;
  /** Other contexts that led to it. */
  readonly links?: readonly TraceContext[];
}

/** A span under way; all of it may be called again, and does nothing once it ended. */
export interface Span {
  /** What is begun by it belongs here; undefined where nothing is traced. */
  readonly context: TraceContext | undefined;
  /** The fields by which a log line names it, `trace_id` and `span_id`; empty where nothing is traced. */
  readonly logFields: Readonly<Record<string, string>>;
  set(attributes: SpanAttributes): void;
  /** Says that it failed, with a word of a table (`error.type`). */
  fail(type: string): void;
  /** Ends it, now unless said, in milliseconds since the epoch. */
  end(atMs?: number): void;
}

/** Begins spans. */
export interface Tracer {
  /** False where nothing is traced: what would only be read for a span need not be. */
  readonly on: boolean;
  start(what: string, start: SpanStart): Span;
  /** Sends what is left, for at most so many milliseconds. */
  close(limitMs: number): Promise<void>;
}

const NO_SPAN: Span = {
  context: undefined,
  logFields: {},
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

/** Traces nothing. */
export const NO_TRACER: Tracer = { on: false, start: () => NO_SPAN, close: () => Promise.resolve() };

/** The id of a span that is derived from a name (16 hexadecimal digits, not all of them 0). */
export function spanIdOf(name: string): string {
  return `${createHash('sha256').update(`span ${name}`).digest('hex').slice(0, 15)}1`;
}

/** The context of the span of this name within the trace of another. */
export function contextOfSpan(context: TraceContext, name: string): TraceContext {
  const [version = '', trace = '', , flags = ''] = context.traceparent.split('-');
  return { ...context, traceparent: [version, trace, spanIdOf(name), flags].join('-') };
}

/** What the span of a run is derived from. */
export function runSpanName(run: string): string {
  return `run ${run}`;
}

/** What the span of a question is derived from. */
export function questionSpanName(job: string, key: string): string {
  return `question ${job} ${key}`;
}
