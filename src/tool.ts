/** The public entry for tools of one's own, imported as `longhaul-mcp-server/tool`. */

/** The schema library contracts and forms are written with, in the one version the server reads them by. */
export { z } from 'zod';
export { choices, type ElicitationRequest, type FormFields, type FormValue } from './core/elicitation.js';
export { AppError, type AppErrorOptions, type ErrorCode } from './core/errors.js';
export type { LogLevel, Progress } from './core/events.js';
export type { HandOffReply, HandOffRequest } from './core/hand-off.js';
export { type ClientAbilities, type InputReply, whyUnanswered } from './core/input.js';
export type { JsonObject, JsonValue } from './core/json.js';
export type { SamplingAnswer, SamplingMessage, SamplingRequest, SamplingTool } from './core/sampling.js';
export type { Cell, Row, Section, SectionSize } from './core/table.js';
export {
  defineTool,
  type FolderClaim,
  type Handler,
  type HandlerContext,
  type QueueName,
  type Tool,
  type ToolAnnotations,
  type ToolContract,
  type ToolLimits,
} from './core/tool.js';
