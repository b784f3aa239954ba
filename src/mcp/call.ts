/** A tool call on its way through the server. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { JsonObject } from '../core/json.js';
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
}
