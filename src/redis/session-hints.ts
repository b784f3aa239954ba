/** Hints from front end to front end about their sessions: one pub/sub channel of the installation for all of them. */
import type { Redis } from 'ioredis';
import type { SessionStore } from '../core/session-ports.js';
import { parseSessionHint } from '../core/session-records.js';
import type { Keys } from './keys.js';

type Hints = Pick<SessionStore, 'tell' | 'onHint'>;
type Listener = Parameters<Hints['onHint']>[0];

/** Builds the hints; nothing is subscribed to before somebody listens. After a reconnect everybody hears `resync`. */
export function createSessionHints(redis: Redis, subscriber: Redis, keys: Keys): Hints {
  const channel = keys.sessionHints();
  const listeners = new Set<Listener>();
  const hear = (hint: Parameters<Listener>[0]) => {
    for (const listener of listeners) listener(hint);
  };
  const subscribe = async () => {
    if (listeners.size === 0) return;
    await subscriber.subscribe(channel);
    hear('resync');
  };
  subscriber.on('message', (from: string, text: string) => {
    if (from !== channel) return;
    const hint = parseSessionHint(text);
    if (hint) hear(hint);
  });
  subscriber.on('ready', () => subscribe().catch(() => undefined));
  return {
    async tell(hint) {
      await redis.publish(channel, JSON.stringify(hint));
    },
    onHint(listener) {
      listeners.add(listener);
      subscribe().catch(() => undefined);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
