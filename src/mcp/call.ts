/** A tool call on its way through the server. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { JobId } from '../core/ids.js';
import type { JsonObject } from '../core/json.js';
import type { PublishedTool } from '../core/tool.js';
import type { Span } from '../core/tracing.js';
import type { Jobs } from '../jobs/jobs.js';
import type { RequestEra } from './era.js';
import type { Connection, FrontEnd } from './front-end.js';

/** One tools/call as it reached the server. */
export interface ToolCall {
  readonly frontEnd: FrontEnd;
  readonly connection: Connection;
  readonly name: string;
  readonly args: JsonObject;
  readonly ctx: ServerContext;
  readonly era: RequestEra;
  /** What the call begins belongs to it. */
  readonly span: Span;
}

/** A call and the job it attaches to. */
export interface Attachment {
  readonly call: ToolCall;
  /** The contract that renders the job's outcome. */
  readonly contract: PublishedTool;
  readonly jobs: Jobs;
  readonly id: JobId;
  /** The parsed arguments, for rendering. */
  readonly input: JsonObject;
  /** Whether the job was there before this call; other calls may be attached to it. */
  readonly existing: boolean;
  /** Whether the job is cancelled when the client gives this call up. */
  readonly cancels: boolean;
  /** The progress its client has heard of already, where the call goes on after another front end. */
  readonly toldProgress?: number | undefined;
}
