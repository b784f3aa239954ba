/** What a request says of its protocol era: capabilities and log level come per session (2025) or per request (2026). */
import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { LOG_LEVELS, type LogLevel } from '../core/events.js';
import type { Capabilities, Connection } from './front-end.js';

/** A request's era. */
export interface RequestEra {
  readonly kind: 'legacy' | 'modern';
  readonly capabilities: Capabilities | undefined;
  /** Least severe level to send; undefined for no log messages at all. */
  readonly logLevel: LogLevel | undefined;
}

/** Reads the era of a request; throws -32602 for a log level that does not exist. */
export function eraOf(ctx: ServerContext, connection: Connection): RequestEra {
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
  if (!envelope) {
    return {
      kind: 'legacy',
      capabilities: connection.capabilities(),
      // A level that is set while a call is under way holds for the rest of it.
      get logLevel() {
        return connection.logLevel;
      },
    };
  }
  return {
    kind: 'modern',
    // The SDK validated the envelope against the revision's schema before the handler ran.
    capabilities: envelope[CLIENT_CAPABILITIES_META_KEY] as Capabilities | undefined,
    logLevel: logLevelOf(envelope[LOG_LEVEL_META_KEY]),
  };
}

/** Parses a log level; throws -32602 naming the known ones. */
export function logLevelOf(value: unknown): LogLevel | undefined {
  if (value === undefined) return undefined;
  const level = LOG_LEVELS.find((known) => known === value);
  if (level) return level;
  const shown = JSON.stringify(value)?.slice(0, 40);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown log level ${shown}; expected one of ${LOG_LEVELS.join(', ')}`,
  );
}
