/** Ports for what tests start by its number, where it must be known before anybody listens. */
import { createServer } from 'node:net';

/** A node of a Redis Cluster talks on a second port, this far above. */
const BUS_OFFSET = 10_000;
/** Both lie below the ports that systems give to clients: one of those may be taken by any connection of another test meanwhile. */
const FIRST_PORT = 12_000;
const PORTS = 9_000;

/** A port that is free now, as well as the one of a cluster node's bus; drawn at random, so that two who ask at once hardly get the same. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if ((await isFree(port)) && (await isFree(port + BUS_OFFSET))) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
