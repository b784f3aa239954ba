/** Takes secrets out of what callers and clients send, before it is stored with a job. */
import { AppError } from '../core/errors.js';
import type { StoredReply } from '../core/input.js';
import { type JsonObject, nestsDeeper } from '../core/json.js';
import type { JsonRedactor } from '../core/redaction.js';
import { parseArguments, type ToolContract } from '../core/tool.js';

/** No answer that anybody asked for nests like that; what does would overflow whoever searches or stores it. */
const DEEPEST = 200;
/** Of an error's words, so much is kept. */
const WORDS_CHARS = 300;

/**
 * The arguments without the secrets in those that hold text for a model. A placeholder may be longer than what it stands
 * for, so they are parsed once more: a worker would refuse them otherwise.
 */
export async function redactArguments(
  redactor: JsonRedactor,
  contract: ToolContract,
  args: JsonObject,
): Promise<JsonObject> {
  const names = (contract.modelText ?? []).filter((name) => args[name] !== undefined);
  if (names.length === 0) return args;
  const clean = await Promise.all(
    names.map(async (name) => [name, await redactor.redactJson(args[name] ?? null)] as const),
  );
  return parseArguments(contract, { ...args, ...Object.fromEntries(clean) });
}

/**
 * The reply without secrets, whatever was asked: a model may repeat one it knows of elsewhere, and an error may quote one. An
 * answer that cannot be searched counts as none, since it cannot be stored and would be sent again for ever.
 */
export async function redactReply(redactor: JsonRedactor, reply: StoredReply): Promise<StoredReply> {
  if (reply.kind === 'answered' && nestsDeeper(reply.value, DEEPEST))
    return { kind: 'failed', message: `its answer nests deeper than ${DEEPEST} levels, so it was not kept` };
  try {
    if (reply.kind === 'answered') return { kind: 'answered', value: await redactor.redactJson(reply.value) };
    if ('message' in reply) return { ...reply, message: await wordsOf(redactor, reply.message) };
    return reply;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'redaction_failed') throw error;
    return { kind: 'failed', message: 'its answer could not be searched for secrets, so it was not kept' };
  }
}

/** Cut only now: the first half of a secret would not be known for one. */
async function wordsOf(redactor: JsonRedactor, message: string): Promise<string> {
  return (await redactor.redact(message)).text.slice(0, WORDS_CHARS);
}
