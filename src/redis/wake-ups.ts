/** Wake-ups over pub/sub: one shared subscriber connection, one channel a job, listeners counted. */
import type { Redis } from 'ioredis';
import type { EventLog, Wake } from '../core/ports.js';
import type { Keys } from './keys.js';

type Listener = (wake: Wake) => void;

/** Routes wake-ups of `subscriber` to listeners; after a reconnect everybody hears `resync`, as messages may be lost. */
export function createWakeUps(subscriber: Redis, keys: Keys): { on: EventLog['onWake'] } {
  const channels = new Map<string, Set<Listener>>();
  subscriber.on('message', (channel: string, message: string) => {
    const wake: Wake = message === 'ended' ? 'ended' : 'event';
    for (const listener of channels.get(channel) ?? []) listener(wake);
  });
  const resubscribe = async () => {
    if (channels.size === 0) return;
    // Whoever looks again before the subscription is in force may miss what happens right after.
    await subscriber.subscribe(...channels.keys());
    for (const listeners of channels.values()) for (const listener of listeners) listener('resync');
  };
  // A connection that fails once more becomes ready once more.
  subscriber.on('ready', () => resubscribe().catch(() => undefined));

  const leave = (channel: string, listener: Listener) => {
    const listeners = channels.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    channels.delete(channel);
    subscriber.unsubscribe(channel).catch(() => undefined);
  };

  return {
    async on(id, listener) {
      const channel = keys.wake(id);
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(listener));
      try {
        // Subscribing again is harmless, and waiting for the reply makes sure that no later message is missed.
        await subscriber.subscribe(channel);
      } catch (error) {
        leave(channel, listener);
        throw error;
      }
      return () => leave(channel, listener);
    },
  };
}
