/** Goes on with a 2026-07-28 call that was answered by questions: its job is there already; what is still unanswered is asked again. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Attachment } from './call.js';
import { followJob } from './follow-job.js';
import { askInRound, storeReplies } from './round-trip.js';

/** Stores the replies that came with the retry and follows the job from `cursor` on, if nothing is left to ask. */
export async function resumeJob(attachment: Attachment, cursor: string): Promise<CallToolResult | InputRequiredResult> {
  const { call, jobs, id } = attachment;
  await storeReplies(call, jobs, id);
  const again = await askInRound(call, jobs, { id, cursor });
  return again ?? followJob(attachment, cursor);
}
