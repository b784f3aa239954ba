/** Turns a call's path argument into a real, allowed folder; asks the client for its roots only when that can help. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isInside, resolveAllowedFolder } from '../core/allowed-folders.js';
import { AppError } from '../core/errors.js';
import type { JsonObject } from '../core/json.js';
import { readRoots } from '../core/roots.js';
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

/** Resolves the contract's path argument; `ASK_ROOTS` if only the client's roots could allow it and they are unknown. */
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
  if (name === undefined || typeof path !== 'string') return { args, allowedFolders };
  try {
    return { args: { ...args, [name]: await resolveAllowedFolder(path, allowedFolders) }, allowedFolders };
  } catch (error) {
    const refused = error instanceof AppError && error.code === 'path_not_allowed';
    if (refused && clientRoots === undefined) return ASK_ROOTS;
    throw error;
  }
}

/** Whether asking this client for its roots can widen what it may read. */
export function mayHaveRoots(frontEnd: FrontEnd, capabilities: Capabilities | undefined): boolean {
  return frontEnd.folders.clientRoots === 'join' && capabilities?.roots !== undefined;
}

/** Asks a 2025 client for its roots on the call's own stream; an unwilling or silent client has none. */
export async function askRoots(
  frontEnd: FrontEnd,
  connection: Connection,
  ctx: ServerContext,
): Promise<readonly string[]> {
  if (connection.roots) return connection.roots;
  // 2025-11-25, Lifecycle, Initialization: before that the client may be asked nothing.
  if (!connection.initialized) return [];
  try {
    const options = { timeout: ROOTS_TIMEOUT_MS, signal: ctx.mcpReq.signal };
    const answer = await ctx.mcpReq.send({ method: 'roots/list' }, anything, options);
    connection.roots = rootFolders(answer);
    return connection.roots;
  } catch (err) {
    frontEnd.log.warn({ err }, 'the client declared roots but did not tell them');
    return [];
  }
}

/** The local folders among a client's roots; anything that is not a `file:` URI of an absolute folder is left out. */
export function rootFolders(answer: unknown): readonly string[] {
  const folders = readRoots(answer) ?? [];
  return folders.filter((folder, index) => !isInside(folder, folders.slice(0, index)));
}
