/** The contract of `where_can_i_work`: the folders the caller's jobs may read, and why. */

import { z } from 'zod';
import { paragraphs } from '../core/paragraphs.js';
import type { PublishedTool } from '../core/tool.js';

const input = z.object({});

const folder = z.object({
  path: z.string().describe('Absolute, as it was given.'),
  real_path: z.string().optional().describe('The folder it leads to, links resolved. Absent if there is none.'),
  source: z.enum(['server', 'client']).describe('Who allowed it: the operator, or your client with its roots.'),
  name: z.string().optional().describe("The client's name for it."),
});

const output = z.object({
  folders: z.array(folder).describe('All that is inside one of them may be read. Relative paths start at the first.'),
  unusable_roots: z
    .array(z.object({ uri: z.string(), why: z.string() }))
    .describe('Roots of the client that allow nothing.'),
  client_can_be_asked: z.boolean().describe('Whether the client offers roots and the server wants to know them.'),
  client_roots: z
    .enum(['told', 'not_offered', 'not_wanted', 'no_answer'])
    .describe('What is known of the roots; not_wanted if the operator left them out.'),
  advice: z.string().describe('What you can do to work elsewhere.'),
});

type Output = z.output<typeof output>;

/** Tells which folders may be read; answered at once, also while the queue is away. */
export const whereCanIWork: PublishedTool<typeof input, typeof output> = {
  name: 'where_can_i_work',
  title: 'Where can I work?',
  description:
    'Lists the folders your jobs may read and why: those the operator allowed, and the roots of your client. A client that offers ' +
    'roots is asked for them; if it does not, the answer says what you can do instead.',
  input,
  output,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  render,
};

function render({ folders, unusable_roots, advice }: Output): string {
  const list = folders.map(({ path, real_path, source, name }) => {
    const called = name === undefined ? '' : ` "${name}"`;
    const why = source === 'server' ? 'allowed by the operator' : `a root of your client${called}`;
    const target =
      real_path === undefined ? ', but there is no such folder' : real_path === path ? '' : `, which is ${real_path}`;
    return `- ${path}: ${why}${target}`;
  });
  const parts = [
    folders.length === 0 ? 'No folder may be read.' : `Folders that may be read:\n${list.join('\n')}`,
    unusable_roots.length === 0
      ? ''
      : `Roots of your client that allow nothing:\n${unusable_roots.map(({ uri, why }) => `- ${uri}: ${why}`).join('\n')}`,
    advice,
  ];
  return paragraphs(parts);
}
