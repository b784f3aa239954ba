/** Answers a call whose job was handed over to its caller: with the preliminary result, and how the job is finished. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { preliminaryOf, SUBMIT_TOOL } from '../core/hand-off.js';
import { openIn, type Question } from '../core/input.js';
import { createPatience } from '../jobs/patience.js';
import type { Attachment } from './call.js';
import { resultOf } from './outcome.js';

/** The `_meta` field of a preliminary result: which tool takes the submission, and until when. */
export const HAND_OFF_META = 'longhaul/handOff';

/**
 * The preliminary result, if a submission is all that the job waits for. What is asked of a client beside it comes first,
 * since it is asked by way of the call, which this result ends.
 */
export async function preliminaryResult(attachment: Attachment): Promise<CallToolResult | undefined> {
  const { call, jobs, id } = attachment;
  const bearing = createPatience({ signal: call.ctx.mcpReq.signal });
  const [question, ...others] = openIn((await bearing(() => jobs.inputs(id))) ?? []);
  if (!question || others.length > 0 || question.kind !== 'submission') return undefined;
  return resultOfHandOff(attachment, question);
}

/** The contract's own rendering stays as it is; what to do with it follows in a block of its own. */
function resultOfHandOff(attachment: Attachment, question: Question): CallToolResult {
  const result = resultOf(attachment, { state: 'completed', result: preliminaryOf(question) });
  const until = new Date(question.deadlineMs).toISOString();
  const note =
    `This result is preliminary: job ${attachment.id} waits until ${until} for ${SUBMIT_TOOL}, which finishes it. ` +
    'get_job gives this result again.';
  return {
    ...result,
    content: [...result.content, { type: 'text', text: note }],
    _meta: { ...result._meta, [HAND_OFF_META]: { tool: SUBMIT_TOOL, job_id: attachment.id, until } },
  };
}
