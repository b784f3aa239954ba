/** Turns a call's path argument into a real, allowed folder; asks the client for its roots only when that can help. */
import { ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isInside, resolveAllowedFolder, resolveAllowedPath } from '../core/allowed-folders.js';
import { AppError } from '../core/errors.js';
import type { JsonObject, JsonValue } from '../core/json.js';
import { type ClientRoot, readRoots, rootFolders } from '../core/roots.js';
import type { ToolContract } from '../core/tool.js';
import type { Capabilities, Connection, FrontEnd } from './front-end.js';

/** Arguments with their path resolved, and the folders the job may read. */
export interface ResolvedCall {
  readonly args: JsonObject;
  readonly allowedFolders: readonly string[];
}

/** Means the client must first tell its roots; the caller asks in the way of the protocol era. */
export const ASK_ROOTS = Symbol('the client must be asked for its roots');

/** A client that declared roots but does not answer is not waited for longer than this. */
const ROOTS_TIMEOUT_MS = 10_000;

/** Accepts whatever a client answers; reading it is `readRoots`' business. */
const anything = z.unknown();

/** Resolves the contract's path arguments; `ASK_ROOTS` if only the client's roots could allow it and they are unknown. */
export async function resolveFolders(
  frontEnd: FrontEnd,
  call: {
    readonly contract: ToolContract;
    readonly args: JsonObject;
    readonly clientRoots: readonly string[] | undefined;
  },
): Promise<ResolvedCall | typeof ASK_ROOTS> {
  const { contract, args, clientRoots } = call;
  const allowedFolders = [...frontEnd.folders.roots, ...(clientRoots ?? [])];
  const name = contract.pathArgument;
  const path = name === undefined ? undefined : args[name];
  try {
    const files = await resolveFiles(contract, args, allowedFolders);
    if (name === undefined || typeof path !== 'string') return { args: { ...args, ...files }, allowedFolders };
    const folder = await resolveAllowedFolder(path, allowedFolders);
    return { args: { ...args, ...files, [name]: folder }, allowedFolders };
  } catch (error) {
    const refused = error instanceof AppError && error.code === 'path_not_allowed';
    if (refused && clientRoots === undefined) return ASK_ROOTS;
    throw error;
  }
}

/** The arguments that name files, as real paths: one, or a list. */
async function resolveFiles(
  { fileArguments = [] }: ToolContract,
  args: JsonObject,
  allowed: readonly string[],
): Promise<JsonObject> {
  const resolved: Record<string, JsonValue> = {};
  for (const name of fileArguments) {
    const value = args[name];
    const realOf = async (path: JsonValue) => (await resolveAllowedPath(String(path), allowed)).real;
    if (typeof value === 'string') resolved[name] = await realOf(value);
    else if (Array.isArray(value)) resolved[name] = await Promise.all(value.map(realOf));
  }
  return resolved;
}

/**
 * Resolves the path of a contract that is bound to the client's roots, for a client that offers them: relative to the first,
 * inside any of them, and inside the operator's folders too where the operator leaves the roots of clients out.
 */
export async function resolveInRoots(
  frontEnd: FrontEnd,
  {
    contract,
    args,
    roots,
  }: { readonly contract: ToolContract; readonly args: JsonObject; readonly roots: RootsAnswer },
): Promise<ResolvedCall> {
  const allowedFolders = foldersIn(roots) ?? [];
  const name = contract.pathArgument;
  const path = name === undefined ? undefined : args[name];
  if (name === undefined || typeof path !== 'string') return { args, allowedFolders };
  if (allowedFolders.length === 0) {
    const lack = roots.kind === 'told' ? 'none of them is a local folder' : `it did not tell them: ${roots.why}`;
    throw new AppError(
      'path_not_allowed',
      `${name}: your client offers roots and ${contract.name} works only inside them, but ${lack}. Add the folder to the roots of your client and call again.`,
    );
  }
  const real = await resolveAllowedFolder(path, allowedFolders);
  if (frontEnd.folders.clientRoots === 'ignore') await resolveAllowedFolder(real, frontEnd.folders.roots);
  return { args: { ...args, [name]: real }, allowedFolders };
}

/** Whether asking this client for its roots can widen what it may read. */
export function mayHaveRoots(frontEnd: FrontEnd, capabilities: Capabilities | undefined): boolean {
  return frontEnd.folders.clientRoots === 'join' && capabilities?.roots !== undefined;
}

/** A client's answer to the question for its roots, or why there is none, in a few words. */
export type RootsAnswer =
  | { readonly kind: 'told'; readonly roots: readonly ClientRoot[] }
  | { readonly kind: 'no_answer'; readonly why: string };

/** The roots a 2025 client has told, unless it has said since that they changed. */
export function knownRoots({ roots }: Connection): RootsAnswer | undefined {
  return roots && { kind: 'told', roots };
}

/** Asks a 2025 client for its roots on the call's own stream, unless it has told them; an unwilling or silent client has none. */
export async function askRoots(frontEnd: FrontEnd, connection: Connection, ctx: ServerContext): Promise<RootsAnswer> {
  const known = knownRoots(connection);
  if (known) return known;
  // 2025-11-25, Lifecycle, Initialization: before that the client may be asked nothing.
  if (!connection.initialized) return { kind: 'no_answer', why: 'it has not yet said that it is ready' };
  const question = Symbol('roots/list');
  const at = connection.rootsChanges;
  connection.rootsQuestion = question;
  try {
    const options = { timeout: ROOTS_TIMEOUT_MS, signal: ctx.mcpReq.signal };
    const roots = readRoots(await ctx.mcpReq.send({ method: 'roots/list' }, anything, options));
    if (!roots) return { kind: 'no_answer', why: 'its answer holds no list of roots' };
    if (connection.rootsQuestion === question) connection.roots = roots;
    // What the others do not hear they ask for themselves.
    await connection.share({ kind: 'roots', roots, at }).catch(() => undefined);
    return { kind: 'told', roots };
  } catch (err) {
    frontEnd.log.warn({ err }, 'the client declared roots but did not tell them');
    const why = err instanceof ProtocolError ? `it answered with the error ${err.code}` : 'it did not answer in time';
    return { kind: 'no_answer', why };
  }
}

/** The roots that a 2026-07-28 retry carries; undefined if it carries none, so that the client must be asked. Malformed ones throw -32602. */
export function toldRoots(ctx: ServerContext): RootsAnswer | undefined {
  const { inputResponses, droppedInputResponseKeys } = ctx.mcpReq;
  const told = inputResponses?.roots;
  const roots = readRoots(told);
  if (roots) return { kind: 'told', roots };
  if (told === undefined && !droppedInputResponseKeys?.includes('roots')) return undefined;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'inputResponses.roots is not a result of roots/list');
}

/** The folders a client's roots allow: anything that is not a `file:` URI of a local folder allows nothing. */
export function foldersIn(answer: RootsAnswer | undefined): readonly string[] | undefined {
  if (answer === undefined) return undefined;
  const folders = answer.kind === 'told' ? rootFolders(answer.roots) : [];
  return folders.filter((folder, index) => !isInside(folder, folders.slice(0, index)));
}

/** How the client wrote the paths among its arguments, by what they were resolved to; others are told in its own words. */
export function givenPaths(
  { pathArgument, fileArguments = [] }: ToolContract,
  args: JsonObject,
  resolved: JsonObject,
): Record<string, string> {
  const names = [...(pathArgument === undefined ? [] : [pathArgument]), ...fileArguments];
  const pairs = names.flatMap((name) => {
    const [given, real] = [args[name], resolved[name]].map((value) => (Array.isArray(value) ? value : [value]));
    return (real ?? []).map((path, index) => [path, given?.[index]]);
  });
  return Object.fromEntries(pairs.filter(([path, text]) => typeof path === 'string' && typeof text === 'string'));
}
