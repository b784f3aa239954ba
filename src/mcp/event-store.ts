/** Messages of one session's streams, kept for clients that lose a stream and come back with `Last-Event-ID`. */
import { randomBytes } from 'node:crypto';
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

interface Entry {
  readonly id: string;
  readonly streamId: string;
  /** Absent for a priming event, which only gives a client an id to come back with. */
  readonly message?: JSONRPCMessage;
}

/** Messages kept per session; an older one is forgotten, and a client that asks for it is told so. */
const KEPT = 2_000;
/** Bytes of JSON kept per session, roughly. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Builds the store of one session; ids are unguessable, so those of another session mean nothing here. */
export function createEventStore(): EventStore {
  const secret = randomBytes(8).toString('hex');
  const entries = new Map<string, Entry>();
  const sizes = new Map<string, number>();
  let bytes = 0;
  let count = 0;
  const forgetOldest = (): void => {
    const [oldest] = entries.keys();
    if (oldest === undefined) return;
    bytes -= sizes.get(oldest) ?? 0;
    entries.delete(oldest);
    sizes.delete(oldest);
  };
  return {
    async storeEvent(streamId, message) {
      count += 1;
      const id = `${secret}-${count}`;
      const isPriming = Object.keys(message).length === 0;
      const size = isPriming ? 0 : JSON.stringify(message).length;
      entries.set(id, isPriming ? { id, streamId } : { id, streamId, message });
      sizes.set(id, size);
      bytes += size;
      while (entries.size > KEPT || (bytes > KEPT_BYTES && entries.size > 1)) forgetOldest();
      return id;
    },
    async getStreamIdForEventId(id) {
      return entries.get(id)?.streamId;
    },
    async replayEventsAfter(lastId, { send }) {
      const last = entries.get(lastId);
      if (!last) throw new Error('unknown event id');
      let found = false;
      for (const entry of [...entries.values()]) {
        if (found && entry.streamId === last.streamId && entry.message) await send(entry.id, entry.message);
        found ||= entry.id === lastId;
      }
      return last.streamId;
    },
  };
}
