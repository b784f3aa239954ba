/** Ids of sessions: unguessable, and that of a session which could not be stored when it was opened tells when that was. */
import { randomBytes } from 'node:crypto';

const AWAY = /^away-([0-9a-z]{8,9})-[A-Za-z0-9_-]{24}$/;

/** A new id; `isAway` while the store does not answer, so that whoever does not find the session knows that it may yet come. */
export function newSessionId(isAway: boolean): string {
  // 144 random bits of visible ASCII (2025-11-25, Session Management 1).
  const random = randomBytes(18).toString('base64url');
  return isAway ? `away-${Date.now().toString(36)}-${random}` : random;
}

/** When a session was opened without the store, in milliseconds since the epoch; undefined for all others. */
export function openedAwayAtMs(sessionId: string): number | undefined {
  const [, at] = AWAY.exec(sessionId) ?? [];
  return at === undefined ? undefined : Number.parseInt(at, 36);
}
