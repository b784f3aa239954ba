/** Answers `where_can_i_work` in the front end, without a job: only here is known which folder came from whom. */
import { realpath, stat } from 'node:fs/promises';
import { type CallToolResult, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { JsonObject } from '../core/json.js';
import { parseArguments } from '../core/tool.js';
import { whereCanIWork } from '../tools/where-can-i-work.js';
import type { ToolCall } from './call.js';
import { askRoots, mayHaveRoots, type RootsAnswer, toldRoots } from './folders.js';
import { success } from './results.js';

type Told = z.output<typeof whereCanIWork.output>;

/** Tells the folders. A client that offers roots is asked unless it has told them and not said that they changed. */
export async function tellFolders(call: ToolCall): Promise<CallToolResult | InputRequiredResult> {
  parseArguments(whereCanIWork, call.args);
  const roots = await rootsOf(call);
  if (roots === undefined) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  const told = await describeFolders(call.frontEnd.folders.roots, roots);
  return success(told as unknown as JsonObject, whereCanIWork.render(told, {}));
}

/** What is known of the client's roots, or why nothing is. */
type KnownRoots = RootsAnswer | { readonly kind: 'not_offered' } | { readonly kind: 'not_wanted' };

/** Undefined if a 2026-07-28 client must be asked first, by a result. */
async function rootsOf(call: ToolCall): Promise<KnownRoots | undefined> {
  const { frontEnd, connection, ctx, era } = call;
  if (frontEnd.folders.clientRoots === 'ignore') return { kind: 'not_wanted' };
  if (!mayHaveRoots(frontEnd, era.capabilities)) return { kind: 'not_offered' };
  return era.kind === 'legacy' ? askRoots(frontEnd, connection, ctx) : toldRoots(ctx);
}

async function describeFolders(allowed: readonly string[], known: KnownRoots): Promise<Told> {
  const roots = known.kind === 'told' ? known.roots : [];
  const wanted = [
    ...allowed.map((path) => ({ path, source: 'server' as const })),
    ...roots.flatMap(({ folder, name }) =>
      folder === undefined ? [] : [{ path: folder, source: 'client' as const, ...(name !== undefined && { name }) }],
    ),
  ];
  return {
    folders: await Promise.all(wanted.map(async (one) => ({ ...one, ...(await realFolder(one.path)) }))),
    unusable_roots: roots
      .filter(({ folder }) => folder === undefined)
      .map(({ uri }) => ({ uri, why: 'it is no file: URI of a local folder' })),
    client_can_be_asked: known.kind === 'told' || known.kind === 'no_answer',
    client_roots: known.kind,
    advice: adviceOn(known),
  };
}

async function realFolder(path: string): Promise<{ real_path?: string }> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? { real_path: real } : {};
  } catch {
    return {};
  }
}

const ASK_OPERATOR = 'ask the operator to start the server with --root DIR';

function adviceOn(known: KnownRoots): string {
  switch (known.kind) {
    case 'told':
      return `To work elsewhere, add the folder to the roots of your client, or ${ASK_OPERATOR}.`;
    case 'no_answer':
      return `Your client offers roots but did not tell them: ${known.why}. To work elsewhere, let it answer roots/list, or ${ASK_OPERATOR}.`;
    case 'not_offered':
      return `Your client does not offer roots, so it was not asked. To work elsewhere, use a client that offers roots, or ${ASK_OPERATOR}.`;
    case 'not_wanted':
      return `The operator does not let clients add folders by their roots. To work elsewhere, ${ASK_OPERATOR}.`;
    default:
      return known satisfies never;
  }
}
