/** One SDK server for one connection: which methods it answers, and with what. */
import { ProtocolError, Server, type ServerOptions } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { JsonObject } from '../core/json.js';
import { logLevelOf } from './era.js';
import type { Connection, FrontEnd } from './front-end.js';
import { FRONT_END_TOOLS } from './front-end-tools.js';
import { publishedTool } from './json-schema.js';
import { listJobResources, protocolError, RESOURCE_TEMPLATES, readJobResource } from './resources.js';
import { callTool } from './tool-call.js';

/**
 * The revisions served. 2025-03-26 is left out on purpose: it alone demands JSON-RPC batches. Clients that ask for it
 * are offered 2024-11-05, which they all know (see `guard.ts`).
 */
const PROTOCOL_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05'];

const INSTRUCTIONS =
  'Tool calls here are durable jobs: they survive disconnects, timeouts and restarts. If a call ends before its job, use ' +
  'get_job with the job id (list_jobs finds it) to get the result, and cancel_job to stop it. If a result says that it is ' +
  'preliminary, the job is handed over to you: do what it says, and finish the job with submit_review.';

/** Lists change only with the server's version, so clients may keep them for an hour. */
const LISTS: NonNullable<ServerOptions['cacheHints']> = {
  'tools/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/list': { ttlMs: 0, cacheScope: 'private' },
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
};

// Checked here rather than by the SDK's own schemas, whose failures come out as -32603 instead of -32602.
const pageParams = z.looseObject({ cursor: z.undefined({ error: 'not a cursor of this listing' }).optional() });
const callParams = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
const readParams = z.looseObject({ uri: z.string() });
const levelParams = z.looseObject({ level: z.unknown().optional() });

/** Builds the server of a connection; tools are listed in the order of their names. */
export function createProtocolServer(frontEnd: FrontEnd, connection: Connection): Server {
  const server = new Server(
    { name: frontEnd.name, version: frontEnd.version, title: 'Longhaul' },
    {
      capabilities: { tools: {}, resources: {}, logging: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: PROTOCOL_VERSIONS,
      cacheHints: LISTS,
    },
  );
  server.oninitialized = () => {
    connection.initialized = true;
  };
  server.onerror = (err) => frontEnd.log.debug({ err }, 'protocol');

  server.setRequestHandler('tools/list', { params: pageParams }, () => ({ tools: publishedTools(frontEnd) }));
  server.setRequestHandler('tools/call', { params: callParams }, (params, ctx) =>
    callTool({ frontEnd, connection, ctx, name: params.name, args: (params.arguments ?? {}) as JsonObject }),
  );
  server.setRequestHandler('logging/setLevel', { params: levelParams }, async (params) => {
    const level = logLevelOf(params.level ?? null) ?? connection.logLevel;
    await connection.share({ kind: 'level', level }).catch((error: unknown) => {
      throw protocolError(error, '');
    });
    connection.logLevel = level;
    return {};
  });
  server.setNotificationHandler('notifications/roots/list_changed', () => forgetRoots(connection));
  addResources(server, frontEnd, connection);
  return server;
}

/** Forgets what the client told of its roots, and the answer to a question for them that is still on its way. */
export function forgetRoots(connection: Connection): void {
  connection.roots = undefined;
  connection.rootsQuestion = undefined;
  connection.rootsChanges += 1;
}

/** Made for those who ask: most servers live for a single request, and the schemas are the dearest part of one. */
function publishedTools(frontEnd: FrontEnd): ReturnType<typeof publishedTool>[] {
  const contracts = [...frontEnd.tools.values(), ...[...FRONT_END_TOOLS.values()].map((tool) => tool.contract)];
  return contracts.map(publishedTool).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function addResources(server: Server, frontEnd: FrontEnd, connection: Connection): void {
  server.setRequestHandler('resources/templates/list', { params: pageParams }, () => ({
    resourceTemplates: RESOURCE_TEMPLATES,
  }));
  server.setRequestHandler('resources/list', { params: pageParams }, async () => {
    try {
      return { resources: await listJobResources(await frontEnd.jobs(), connection.principal) };
    } catch (error) {
      throw protocolError(error, '');
    }
  });
  server.setRequestHandler('resources/read', { params: readParams }, async ({ uri }) => {
    try {
      return await readJobResource(await frontEnd.jobs(), connection.principal, uri);
    } catch (error) {
      throw error instanceof ProtocolError ? error : protocolError(error, uri);
    }
  });
}
