/** The phases that judge: whether findings are true, chunk by chunk, and how good the code is as a whole. */
import type { Finding } from '../../src/core/finding.js';
import { askModel, MOST_REPAIRS } from './ask-model.js';
import type { Chunk } from './chunks.js';
import type { ChunkOfFindings } from './fix-phase.js';
import { type Judgement, SCORES_FORM } from './review-forms.js';
import { type ReviewSubject, scoreRequest, verifyRequest } from './review-questions.js';
import type { Branch } from './rounds.js';

/** A judgement, or why there is none. */
export interface Judging {
  readonly judgement?: Judgement;
  readonly lacks: readonly string[];
}

const VERIFY_TOKENS = 2_048;
const SCORE_TOKENS = 2_048;

/** Asks whether the findings of a chunk are true. */
export function verifyChunk(
  branch: Branch,
  { chunk, findings }: ChunkOfFindings,
  subject: ReviewSubject,
): Promise<Judging> {
  const key = `verify:${chunk.number}`;
  const request = verifyRequest(subject, chunk, { key, maxTokens: VERIFY_TOKENS, findings });
  return askToJudge(branch, { key, request, what: `The findings of chunk ${chunk.number} were not verified` });
}

/** Asks for scores; `chunk` is the code if it is short enough to be shown whole. */
export function scoreAll(
  branch: Branch,
  subject: ReviewSubject,
  {
    chunk,
    findings,
    about,
  }: { readonly chunk: Chunk | undefined; readonly findings: readonly Finding[]; readonly about: string },
): Promise<Judging> {
  const request = scoreRequest(subject, chunk, { key: 'score', maxTokens: SCORE_TOKENS, findings, about });
  return askToJudge(branch, { key: 'score', request, what: 'There are no scores' });
}

async function askToJudge(
  branch: Branch,
  {
    key,
    request,
    what,
  }: { readonly key: string; readonly request: ReturnType<typeof verifyRequest>; readonly what: string },
): Promise<Judging> {
  const repairs = Math.min(MOST_REPAIRS, branch.left() - 1);
  const reply = await askModel(branch, { key, request, form: SCORES_FORM, repairs });
  if (reply.kind === 'unread') return { lacks: [`${what}. ${reply.note}`] };
  const faults = reply.faults.map(({ path, message }) => `${path} ${message}, so it does not count.`);
  return { judgement: reply.value, lacks: faults };
}
