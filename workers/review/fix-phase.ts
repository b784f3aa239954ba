/** The phase that mends: asks for fixes chunk by chunk, and offers those that hold against the file. */
import type { Finding } from '../../src/core/finding.js';
import { askModel, MOST_REPAIRS } from './ask-model.js';
import type { Chunk } from './chunks.js';
import { applyFixes, type CountSyntaxErrors, type JudgedFix, judgeFix } from './fixes.js';
import { FIXES_FORM, type ProposedFix } from './review-forms.js';
import { fixRequest, type ReviewSubject } from './review-questions.js';
import type { Branch } from './rounds.js';
import { type Source, textOf } from './source.js';

/** A fix as it is offered: the text stands once in its file. */
export interface OfferedFix {
  readonly findingId: string;
  readonly find: string;
  readonly replace: string;
}

/** What the fixes came to. */
export interface Fixed {
  readonly offered: readonly OfferedFix[];
  /** Why a finding has no fix, by its id. */
  readonly refused: ReadonlyMap<string, string>;
  /** The text of each file with the fixes that do not overlap, by path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly lacks: readonly string[];
}

/** A chunk with findings in it. */
export interface ChunkOfFindings {
  readonly chunk: Chunk;
  readonly findings: readonly Finding[];
}

const FIX_TOKENS = 4_096;

/** The chunks that show findings, each finding with the first of them. */
export function chunksWith(chunks: readonly Chunk[], findings: readonly Finding[]): readonly ChunkOfFindings[] {
  const left = new Set(findings);
  return chunks.flatMap((chunk) => {
    const within = [...left].filter((finding) => shows(chunk, finding));
    for (const finding of within) left.delete(finding);
    return within.length === 0 ? [] : [{ chunk, findings: within }];
  });
}

function shows({ parts }: Chunk, { file, line }: Finding): boolean {
  return parts.some(({ source, lines }) => {
    const [first] = lines;
    const last = lines.at(-1);
    return (
      source.path === file && first !== undefined && last !== undefined && first.number <= line && line <= last.number
    );
  });
}

/** Asks for the fixes of one chunk. */
export async function proposeFixes(
  branch: Branch,
  { chunk, findings }: ChunkOfFindings,
  subject: ReviewSubject,
): Promise<{ readonly fixes: readonly ProposedFix[]; readonly lacks: readonly string[] }> {
  const key = `fix:${chunk.number}`;
  const reply = await askModel(branch, {
    key,
    request: fixRequest(subject, chunk, { key, maxTokens: FIX_TOKENS, findings }),
    form: FIXES_FORM,
    repairs: Math.min(MOST_REPAIRS, branch.left() - 1),
  });
  if (reply.kind === 'unread') return { fixes: [], lacks: [`There are no fixes. ${reply.note}`] };
  const cut = reply.cut ? ['The model was cut off by its token limit, so fixes may be missing.'] : [];
  const faults = reply.faults.map(({ path, message }) => `A fix cannot be used: ${path}: ${message}.`);
  return { fixes: reply.value, lacks: [...cut, ...faults] };
}

/** A fix that holds, and the finding it mends. */
type SoundFix = Extract<JudgedFix, { ok: true }> & { readonly findingId: string };

/** Holds the proposals against the files; of several for one finding the first that holds is offered. */
export async function judgeFixes(
  proposals: readonly ProposedFix[],
  findings: readonly Finding[],
  {
    sources,
    countSyntaxErrors,
  }: { readonly sources: readonly Source[]; readonly countSyntaxErrors: CountSyntaxErrors },
): Promise<Omit<Fixed, 'lacks'>> {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const offered: OfferedFix[] = [];
  const refused = new Map<string, string>();
  const sound = new Map<string, SoundFix[]>();
  for (const fix of proposals) {
    const source = byPath.get(byId.get(fix.findingId)?.file ?? '');
    if (!source || offered.some(({ findingId }) => findingId === fix.findingId)) continue;
    const { language, lineEnd, path } = source;
    const judged = await judgeFix(fix, { language, lineEnd, text: textOf(source), countSyntaxErrors });
    if (!judged.ok) {
      refused.set(fix.findingId, judged.reason);
      continue;
    }
    const others = sound.get(path) ?? [];
    const other = others.find(({ start, end }) => judged.start < end && start < judged.end);
    if (other) {
      refused.set(fix.findingId, `it changes the same code as the fix of ${other.findingId}`);
      continue;
    }
    const { findingId } = fix;
    refused.delete(findingId);
    offered.push({ findingId, find: judged.find, replace: judged.replace });
    sound.set(path, [...others, { ...judged, findingId }]);
  }
  return { offered, refused, texts: await appliedTexts(sound, byPath, countSyntaxErrors) };
}

/** Fixes that are sound one by one may still not go together: then the file is not given whole. */
async function appliedTexts(
  sound: ReadonlyMap<string, readonly SoundFix[]>,
  sources: ReadonlyMap<string, Source>,
  countSyntaxErrors: CountSyntaxErrors,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const [path, fixes] of sound) {
    const source = sources.get(path);
    const before = source && textOf(source);
    const after = before === undefined ? undefined : applyFixes(before, fixes);
    if (!source || before === undefined || after === undefined) continue;
    const errors = await Promise.all([before, after].map((text) => countSyntaxErrors(source.language, text)));
    const [had, has] = errors;
    if (had === undefined || has === undefined || has <= had) texts.set(path, after);
  }
  return texts;
}
