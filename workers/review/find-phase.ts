/** The phases that find: every chunk is asked about at once, and again with more room where its answer was cut off. */
import type { Finding, ReportedFinding } from '../../src/core/finding.js';
import { askModel, MOST_REPAIRS, type Unread } from './ask-model.js';
import type { Chunk } from './chunks.js';
import { type Effort, progressiveTokens } from './progressive.js';
import { FINDINGS_FORM } from './review-forms.js';
import { findRequest, type ReviewSubject } from './review-questions.js';
import type { Branch } from './rounds.js';
import { untilDone } from './until-done.js';

/** What a chunk's questions came to. */
export interface ChunkFindings {
  readonly chunk: Chunk;
  readonly findings: readonly ReportedFinding[];
  /** Why something may be missing; none if the chunk was reviewed whole. */
  readonly lacks: readonly string[];
  /** The end of its last question if that could not be read. */
  readonly unread?: Unread;
  /** Whether any answer was read. */
  readonly heard: boolean;
  readonly cut: boolean;
  readonly model?: string;
}

/** How a chunk is asked about. */
export interface FindOptions {
  readonly subject: ReviewSubject;
  readonly effort: Effort;
  /** `find` or `deepen`: the beginning of the keys. */
  readonly name: string;
  readonly known?: readonly Finding[];
}

const CUT = 'the model was cut off by its token limit, so there may be more issues than it named';

/** Asks about one chunk; rounds after the first name what is known and ask for the rest, with more room. */
export async function findInChunk(branch: Branch, chunk: Chunk, options: FindOptions): Promise<ChunkFindings> {
  const { subject, effort, name, known = [] } = options;
  const limits = progressiveTokens(effort);
  const { result } = await untilDone<ChunkFindings>({
    most: Math.min(limits.length, branch.left()),
    isDone: ({ cut }) => !cut || branch.left() <= 0,
    ask: async (round, before) => {
      const key = `${name}:${chunk.number}${round === 1 ? '' : `:more${round - 1}`}`;
      const maxTokens = limits[round - 1] ?? limits[0] ?? 0;
      const told = [...known, ...(before?.findings ?? []).map(toldOf)];
      const reply = await askModel(branch, {
        key,
        request: findRequest(subject, chunk, { key, maxTokens, known: told }),
        form: FINDINGS_FORM,
        repairs: Math.min(MOST_REPAIRS, branch.left() - 1),
      });
      return joined(before, chunk, reply);
    },
  });
  return result;
}

type Reply = Awaited<ReturnType<typeof askModel<readonly ReportedFinding[]>>>;

function joined(before: ChunkFindings | undefined, chunk: Chunk, reply: Reply): ChunkFindings {
  const earlier = before?.findings ?? [];
  const model = reply.model ?? before?.model;
  const named = model === undefined ? {} : { model };
  if (reply.kind === 'unread') {
    const cut = reply.status === 'truncated';
    const lacks = [cut && before?.heard ? CUT : reply.note];
    return { chunk, findings: earlier, lacks, unread: reply, heard: before?.heard ?? false, cut, ...named };
  }
  const open = (before?.lacks ?? []).filter((lack) => lack !== CUT && before?.heard);
  const faults = reply.faults.map(({ path, message }) => `a part of the answer cannot be used: ${path} (${message})`);
  const lacks = [...open, ...(reply.cut ? [CUT] : []), ...faults];
  return { chunk, findings: [...earlier, ...reply.value], lacks, heard: true, cut: reply.cut, ...named };
}

function toldOf({ title, line = 0, file = '' }: ReportedFinding): Pick<Finding, 'title' | 'line' | 'file'> {
  return { title, line, file };
}
