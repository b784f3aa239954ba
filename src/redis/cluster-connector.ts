/**
 * Connects to the one node of a Redis Cluster that holds this installation: all its keys carry one hash tag, so they
 * lie in one slot, and every connection is an ordinary one to the primary of that slot, found anew at each reconnect.
 */
import { createConnection, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis';
import { pause } from '../core/lifecycle.js';
import type { Endpoint } from './address.js';
import { retryDelayMs } from './back-off.js';

/** What to look for, and the options that open a node. */
export interface ClusterSpec {
  readonly nodes: readonly Endpoint[];
  /** Decides the slot. */
  readonly hashTag: string;
  readonly access: Pick<RedisOptions, 'username' | 'password' | 'tls'>;
}

type ConnectorClass = NonNullable<RedisOptions['Connector']>;
type EmitError = (event: string, error: Error) => void;

const ASK_LIMIT_MS = 1_500;
const DISCONNECT_LIMIT_MS = 2_000;
/** The client's own words for a connection that its owner closed; it passes them over. */
const CLOSED = 'Connection is closed.';

/** Makes the connector of one cluster; all connections that take it share what is learnt of the cluster's nodes. */
export function createClusterConnector(spec: ClusterSpec): ConnectorClass {
  const map = createNodeList(spec.nodes);
  return class ClusterConnector extends AbstractConnector {
    #closing = new AbortController();

    constructor() {
      super(DISCONNECT_LIMIT_MS);
    }

    /** A rejection would end the client for good, so only its owner's wish to close rejects. */
    async connect(emit: EmitError): Promise<Socket | TLSSocket> {
      this.connecting = true;
      this.#closing = new AbortController();
      for (let attempt = 1; ; attempt += 1) {
        const found = await findPrimary(spec, map);
        if (!this.connecting) throw new Error(CLOSED);
        if (!(found instanceof Error)) return this.#open(found);
        emit('error', found);
        await pause(retryDelayMs(attempt), this.#closing.signal);
        if (!this.connecting) throw new Error(CLOSED);
      }
    }

    /** A node that has been demoted since it was named is left again. */
    override check(info: unknown): boolean {
      const role = typeof info === 'object' && info !== null && 'role' in info ? info.role : undefined;
      return role === undefined || role === 'master';
    }

    override disconnect(): void {
      super.disconnect();
      this.#closing.abort();
    }

    #open({ host, port }: Endpoint): Socket | TLSSocket {
      const { tls } = spec.access;
      this.stream = tls ? connectTls({ ...tls, host, port }) : createConnection({ host, port });
      this.stream.once('error', (error: Error) => {
        this.firstError = error;
      });
      return this.stream;
    }
  };
}

/** The known nodes; who answered least recently is asked first, since the last one may be cut off from the others. */
function createNodeList(seeds: readonly Endpoint[]) {
  const known = new Map(seeds.map((node) => [`${node.host}:${node.port}`, node]));
  return {
    inTurn: () => [...known.values()],
    asked(node: Endpoint) {
      known.delete(`${node.host}:${node.port}`);
      known.set(`${node.host}:${node.port}`, node);
    },
    learn(nodes: readonly Endpoint[]) {
      for (const node of nodes)
        if (!known.has(`${node.host}:${node.port}`)) known.set(`${node.host}:${node.port}`, node);
    },
  };
}

type NodeList = ReturnType<typeof createNodeList>;

async function findPrimary(spec: ClusterSpec, map: NodeList): Promise<Endpoint | Error> {
  let lastFault = 'no node is known';
  for (const node of map.inTurn()) {
    map.asked(node);
    try {
      const { primary, nodes } = await askNode(spec, node);
      map.learn(nodes);
      if (primary) return primary;
      lastFault = 'CLUSTERDOWN no node serves the slot of this installation';
    } catch (error) {
      lastFault = error instanceof Error ? error.message : String(error);
    }
  }
  return new Error(lastFault);
}

async function askNode({ hashTag, access }: ClusterSpec, { host, port }: Endpoint) {
  const client = new Redis({
    ...access,
    host,
    port,
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectTimeout: ASK_LIMIT_MS,
    commandTimeout: ASK_LIMIT_MS,
    retryStrategy: () => null,
  });
  let fault: Error | undefined;
  client.on('error', (error: Error) => {
    fault ??= error;
  });
  try {
    await client.connect();
    const slot = await client.cluster('KEYSLOT', hashTag);
    const ranges = await client.cluster('SLOTS');
    const place = (entry: readonly unknown[]): Endpoint => placeOf(entry, host);
    const holder = ranges.find(([first, last]) => first <= slot && slot <= last);
    return {
      primary: holder?.[2] && place(holder[2]),
      nodes: ranges.flatMap(([, , ...nodes]) => nodes.map(place)).filter(({ port: known }) => known > 0),
    };
  } catch (error) {
    // What the server said of the login tells more than that the connection was closed for it.
    throw fault ?? error;
  } finally {
    client.disconnect();
  }
}

/** A node that does not know its own address, or keeps it to itself, is where it was asked. */
function placeOf([host, port]: readonly unknown[], askedHost: string): Endpoint {
  const isKnown = typeof host === 'string' && host !== '' && host !== '?';
  return { host: isKnown ? host : askedHost, port: Number(port) };
}
