/** A stand-in for the network between a client and a server: passes bytes on, or holds those of the client. */
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestRedis } from './redis.js';

/** A socket that a test holds. */
export interface HeldSocket {
  /** Path to connect to instead of the server's. */
  readonly path: string;
  /** Holds every later chunk of the client that contains `text`, and all after it; resolves when one came. */
  holdFrom(text: string): Promise<void>;
  /** Passes on what was held, and all that follows. */
  release(): void;
  /** Cuts the client's connections; it may connect again. */
  cut(): void;
  close(): Promise<void>;
}

interface Hold {
  readonly text: string;
  readonly chunks: (() => void)[];
  caught(): void;
  holding: boolean;
}

/** Opens a socket in `folder` that leads to the server. */
export async function openHeldSocket(server: TestRedis, folder: string): Promise<HeldSocket> {
  const path = join(folder, 'held.sock');
  const clients = new Set<Socket>();
  let hold: Hold | undefined;
  const listener = createServer((client) => {
    clients.add(client);
    const upstream = connectTo(server);
    tie(client, upstream);
    upstream.on('data', (chunk) => client.write(chunk));
    client.on('data', (chunk: Buffer) => {
      if (hold && (hold.holding || chunk.includes(hold.text))) catchChunk(hold, () => upstream.write(chunk));
      else upstream.write(chunk);
    });
    client.on('close', () => clients.delete(client));
  });
  await listening(listener, path);
  return {
    path,
    holdFrom: (text) =>
      new Promise((caught) => {
        hold = { text, chunks: [], caught, holding: false };
      }),
    release() {
      for (const pass of hold?.chunks ?? []) pass();
      hold = undefined;
    },
    cut() {
      for (const client of clients) client.destroy();
    },
    async close() {
      for (const client of clients) client.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

function catchChunk(hold: Hold, pass: () => void): void {
  hold.holding = true;
  hold.chunks.push(pass);
  hold.caught();
}

function connectTo(server: TestRedis): Socket {
  if ('path' in server.connection) return createConnection(server.connection.path);
  const url = new URL(server.connection.url);
  return createConnection(Number(url.port || 6379), url.hostname);
}

/** What ends on one side ends on the other. */
function tie(client: Socket, upstream: Socket): void {
  for (const [socket, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    socket.on('close', () => other.destroy());
    socket.on('error', () => undefined);
  }
}

function listening(listener: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(path, resolve);
  });
}
