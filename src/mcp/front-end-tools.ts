/** The tools that the front end answers by itself: they are no jobs. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { PublishedTool } from '../core/tool.js';
import { submitReview } from '../tools/submit-review.js';
import { whereCanIWork } from '../tools/where-can-i-work.js';
import type { ToolCall } from './call.js';
import { tellFolders } from './folder-tool.js';
import { JOB_TOOLS } from './job-tools.js';
import { takeReview } from './submit-review.js';

/** What is published, and what answers a call. */
export interface FrontEndTool {
  readonly contract: PublishedTool;
  /** Parses and answers; throws an `AppError` that becomes an error result. */
  answer(call: ToolCall): Promise<CallToolResult | InputRequiredResult>;
}

const tools: readonly FrontEndTool[] = [
  ...JOB_TOOLS.map(({ contract, answer }) => ({
    contract,
    answer: (call: ToolCall) => answer(call.args, () => jobCall(call)),
  })),
  { contract: submitReview as unknown as PublishedTool, answer: takeReview },
  { contract: whereCanIWork as unknown as PublishedTool, answer: tellFolders },
];

/** Every such tool by its name. */
export const FRONT_END_TOOLS: ReadonlyMap<string, FrontEndTool> = new Map(
  tools.map((tool) => [tool.contract.name, tool]),
);

async function jobCall({ frontEnd, connection, ctx }: ToolCall) {
  return { jobs: await frontEnd.jobs(), principal: connection.principal, signal: ctx.mcpReq.signal };
}
