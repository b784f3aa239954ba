/** Turns the replies about chosen files into entries of the report, with the texts that are fit to be written. */
import type { InputReply } from '../../src/core/input.js';
import type { ModelWorkStatus } from '../../src/core/model-work.js';
import type { SamplingAnswer } from '../../src/core/sampling.js';
import { type ModelReply, readReply } from '../review/ask-model.js';
import { readAnswer } from '../review/ladder/read-answer.js';
import { type RewriteStyle, type Rewritten, rewrittenForm } from '../review/rewrite-prompts.js';
import type { ChosenFile } from './choose-files.js';
import { type CountErrors, judgeRewrite } from './judge-rewrite.js';
import { plainAnswer } from './text-form.js';
import { unifiedDiff } from './unified-diff.js';

/** A reply and what it is about. */
export interface Answered {
  readonly file: ChosenFile;
  readonly style: RewriteStyle;
  readonly reply: InputReply<SamplingAnswer>;
}

/** What a file's reply came to; plain JSON. */
export type Judged = JudgedFit | JudgedOtherwise;

/** A rewrite that may be written. */
export interface JudgedFit {
  readonly kind: 'fit';
  readonly summary: string;
  readonly diff: string;
  readonly diffCut: boolean;
  readonly added: number;
  readonly removed: number;
  readonly model?: string;
}

/** No rewrite: `status` says what became of the question if nothing was answered that can be used. */
export interface JudgedOtherwise {
  readonly kind: 'unchanged' | 'refused' | 'unanswered';
  readonly reason?: string;
  readonly status?: ModelWorkStatus;
  /** Whether the user would not have the model asked. */
  readonly denied?: boolean;
  readonly summary?: string;
  readonly model?: string;
}

/** The text of an answer in the file's plain form; undefined if it has none that can be read whole. */
export function answerText({ file, reply }: Answered): string | undefined {
  const read = readWhole(reply);
  return read.kind === 'read' && !read.cut ? plainAnswer(read.value.content, file.form) : undefined;
}

/** Judges one reply. An answer that was cut off is no answer, however whole it looks. */
export async function judgeAnswer(answered: Answered, countErrors: CountErrors): Promise<Judged> {
  const { file, style, reply } = answered;
  const read = readWhole(reply);
  const model = read.model === undefined ? {} : { model: read.model };
  if (read.kind === 'unread') {
    const { note: reason, status, denied = false } = read;
    return { kind: 'unanswered', reason, status, ...(denied && { denied }), ...model };
  }
  if (read.cut) {
    const reason = 'The model was cut off by its token limit: the file may lack its end.';
    return { kind: 'unanswered', reason, status: 'truncated', ...model };
  }
  const { summary } = read.value;
  const answer = plainAnswer(read.value.content, file.form);
  const verdict = await judgeRewrite({ language: file.language, style, original: file.body, answer }, countErrors);
  if (verdict.kind === 'unchanged') return { kind: 'unchanged', ...(summary !== '' && { summary }), ...model };
  if (verdict.kind === 'refused') return { kind: 'refused', reason: verdict.reason, ...model };
  const { text, cut, added, removed } = unifiedDiff(file.path, file.body, answer);
  return { kind: 'fit', summary, diff: text, diffCut: cut, added, removed, ...model };
}

/** As every answer is read, but for JSON that had to be mended: a guess at a quote may be a guess at code. */
function readWhole(reply: InputReply<SamplingAnswer>): ModelReply<Rewritten> {
  const read = readReply(reply, rewrittenForm);
  if (read.kind !== 'read' || reply.kind !== 'answered') return read;
  const how = readAnswer(reply.value, rewrittenForm);
  if (how.kind !== 'read' || how.rung !== 'repaired') return read;
  const note = 'The model answered, but its answer is no valid JSON, and whole files are not guessed at.';
  return { kind: 'unread', status: 'unparseable', note, ...(read.model !== undefined && { model: read.model }) };
}
