/** Ports for what tests start by its number, where it must be known before anybody listens. */
import { createServer } from 'node:net';

/** A node of a Redis Cluster talks on a second port, this far above. */
const BUS_OFFSET = 10_000;
/** Both lie below the ports that systems give to clients: one of those may be taken by any connection of another test meanwhile. */
const FIRST_PORT = 12_000;
/**
 * Who is given a port listens there later, and what is killed leaves its port free until it is started again: so each of the processes
 * that run tests side by side, which Vitest numbers, draws from ports of its own, and none twice.
 */
const LANES = 16;
const PORTS_A_LANE = 560;

const lane = Number(process.env.VITEST_POOL_ID ?? '0') % LANES;
let drawn = Math.floor(Math.random() * PORTS_A_LANE);

/** A port that is free now, as well as the one of a cluster node's bus; nobody else is given it for a long time. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_A_LANE; tries++) {
    drawn = (drawn + 1) % PORTS_A_LANE;
    const port = FIRST_PORT + lane * PORTS_A_LANE + drawn;
    if ((await isFree(port)) && (await isFree(port + BUS_OFFSET))) return port;
  }
  throw new Error(`none of ${PORTS_A_LANE} ports is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
