/** Asks the user how a folder is to be refactored: without a filled-in form nothing is ever written. */
import { z } from 'zod';
import { choices } from '../../src/core/elicitation.js';
import { whyUnanswered } from '../../src/core/input.js';
import type { HandlerContext } from '../../src/core/tool.js';
import type { RewriteStyle } from '../review/rewrite-prompts.js';
import { BACKUP_FOLDER } from './back-up.js';

/** What the user wants. */
export interface Wish {
  readonly kind: 'wanted';
  readonly style: RewriteStyle;
  readonly dryRun: boolean;
  readonly maxFiles: number;
  /** Whether the user said so, rather than nobody. */
  readonly asked: boolean;
}

/** The user wants nothing, or was not heard. */
export interface NoWish {
  readonly kind: 'unwanted';
  readonly status: 'declined' | 'cancelled' | 'refused' | 'failed' | 'timed_out' | 'client_gone' | 'exhausted';
  readonly why: string;
}

/** What is done where nobody can be asked. */
export const UNASKED: Wish = { kind: 'wanted', style: 'safe', dryRun: true, maxFiles: 10, asked: false };

/** Only the style must be chosen: a form that comes back empty then says nothing, and is shown again. */
const fields = z.object({
  style: choices({
    safe: 'Safe: only what certainly behaves the same',
    concise: 'Concise: shorter and plainer',
    verbose: 'Verbose: longer names, smaller steps, more comments',
  }).meta({ title: 'Style', default: UNASKED.style }),
  dry_run: z
    .boolean()
    .default(true)
    .meta({ title: 'Dry run', description: 'Only show what would change. Files are rewritten if this is off.' }),
  max_files: z.int().min(1).max(50).default(UNASKED.maxFiles).meta({ title: 'Files at most' }),
});

/** Shows the form once. */
export async function askWish(folder: string, context: Pick<HandlerContext, 'elicit'>): Promise<Wish | NoWish> {
  const message =
    `Refactor the source files in ${folder} with your model? It is shown each file and answers with the whole file. ` +
    `A dry run changes nothing; otherwise files are rewritten, and kept as they were in ${BACKUP_FOLDER}.`;
  const reply = await context.elicit('wish', { message, fields });
  if (reply.kind === 'answered') {
    const { style, dry_run: dryRun, max_files: maxFiles } = reply.value;
    return { kind: 'wanted', style, dryRun, maxFiles, asked: true };
  }
  if (reply.kind === 'unsupported') return UNASKED;
  return { kind: 'unwanted', status: reply.kind, why: whyUnanswered(reply) };
}
