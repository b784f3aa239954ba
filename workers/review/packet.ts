/** The review packet: what a calling model needs to do a review itself that this server could not ask its client for. */
import { SUBMIT_TOOL } from '../../src/core/hand-off.js';
import type { Chunk } from './chunks.js';
import { markData } from './mark-data.js';
import { numberedParts, type ReviewSubject } from './review-questions.js';
import { findingRules, findTask, languageOf, numberRule, SEVERITY_RULE } from './review-rules.js';
import { dataRule } from './rules.js';
import { findingsJsonSchema } from './submit-schema.js';

/** See `reviewPacket`; plain JSON. */
export interface ReviewPacket {
  readonly task: string;
  readonly rules: string[];
  readonly rubric: string[];
  readonly chunks: { number: number; files: string[]; text: string }[];
  readonly result_schema: Record<string, unknown>;
  readonly submit: { tool: string; job_id: string };
}

/** Chunks in one packet: more is not read by a model at one go. */
export const PACKET_CHUNKS = 16;

/** Builds the packet of the first chunks; its code is marked as data as in every question. */
export function reviewPacket(subject: ReviewSubject, chunks: readonly Chunk[]): ReviewPacket {
  const shown = chunks.slice(0, PACKET_CHUNKS);
  const parts = shown.flatMap((chunk) => chunk.parts);
  const marked = shown.map((chunk) =>
    markData(`${subject.jobId} packet:${chunk.number}`, 'CODE', numberedParts(chunk.parts)),
  );
  const [first] = marked;
  const about = first
    ? `${dataRule(first)} The other chunks have delimiters of their own. ${numberRule(parts)}`
    : 'There is no code to review.';
  return {
    task: findTask(languageOf(parts), subject.focus),
    rules: [about, ...findingRules(`Give all findings in one call of ${SUBMIT_TOOL}.`)],
    rubric: [
      SEVERITY_RULE,
      'Scores are whole numbers from 1, bad, to 10, faultless, or null where there is no ground to judge; no score can be higher than the worst finding allows.',
    ],
    chunks: shown.map(({ number, parts: own }, index) => ({
      number,
      files: [...new Set(own.map(({ source }) => source.path))],
      text: marked[index]?.text ?? '',
    })),
    result_schema: findingsJsonSchema(),
    submit: { tool: SUBMIT_TOOL, job_id: subject.jobId },
  };
}
