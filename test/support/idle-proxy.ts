/** A proxy that gives up on a connection whose server says nothing for a while, as proxies do after a minute. */
import { type AddressInfo, connect, createServer } from 'node:net';

/** See `startIdleProxy`. */
export interface IdleProxy {
  readonly port: number;
  /** Connections it has given up on. */
  cut(): number;
  close(): Promise<void>;
}

/** Starts the proxy on a free port. */
export async function startIdleProxy(target: number, idleMs: number): Promise<IdleProxy> {
  let cut = 0;
  const open = new Set<() => void>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const end = () => {
      clearTimeout(timer);
      open.delete(end);
      client.destroy();
      upstream.destroy();
    };
    const timer = setTimeout(() => {
      cut += 1;
      end();
    }, idleMs);
    open.add(end);
    // Only what the server sends counts, and comments count as much as anything.
    upstream.on('data', () => timer.refresh());
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => cut,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const end of [...open]) end();
      await closed;
    },
  };
}
