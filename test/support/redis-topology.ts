/** Whole topologies of real servers: a Redis Cluster, and a primary that Sentinels watch over. */
import type { Redis } from 'ioredis';
import { until } from './gate.js';
import { type RedisServer, redisServer, type ServerOptions, type ServerSettings } from './redis-server.js';

/** Servers of which one holds an installation's keys. */
export interface Topology {
  /** What `LONGHAUL_REDIS_URL` takes. */
  readonly url: string;
  /** The server that holds the keys now. */
  primary(): Promise<RedisServer>;
  /** Waits until a replica has what the primary has acknowledged so far. */
  replicated(): Promise<void>;
  stop(): Promise<void>;
}

const DURABLE = { appendonly: 'yes', appendfsync: 'no', 'maxmemory-policy': 'noeviction' } as const;
/** Long enough for a busy machine, short enough for a test: a primary that is silent so long is given up. */
const NODE_TIMEOUT_MS = 2_000;
const SLOTS = 16_384;
const MASTERS = 3;
const WAIT_LIMIT_MS = 20_000;

/** Starts a cluster of three masters, and a replica of the one that holds the slot of `tag`. */
export async function clusterTopology(tag: string, options: ServerOptions = {}): Promise<Topology> {
  const settings: ServerSettings = {
    ...DURABLE,
    'cluster-enabled': 'yes',
    'cluster-config-file': 'nodes.conf',
    'cluster-node-timeout': String(NODE_TIMEOUT_MS),
    'repl-diskless-sync-delay': '0',
    'cluster-allow-replica-migration': 'no',
  };
  const servers = await Promise.all(Array.from({ length: MASTERS + 1 }, () => redisServer(settings, options)));
  const clients = servers.map((server) => server.client());
  await join(clients, servers);
  const slot = Number(await clients[0]?.call('CLUSTER', 'KEYSLOT', tag));
  const holder = Math.min(MASTERS - 1, Math.floor(slot / (SLOTS / MASTERS)));
  const id = String(await clients[holder]?.call('CLUSTER', 'MYID'));
  await clients[MASTERS]?.call('CLUSTER', 'REPLICATE', id);
  await linked(clients[MASTERS]);
  const primary = () => liveMaster([servers[holder], servers[MASTERS]]);
  return {
    url: `redis+cluster://${servers.map(({ host }) => host).join(',')}`,
    primary,
    replicated: async () => waitForReplica(await primary(), `${tag}:marker`),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** Starts a primary, a replica and three Sentinels that know the primary as `main`. */
export async function sentinelTopology(
  access: { password?: string; sentinelPassword?: string } = {},
): Promise<Topology> {
  const { password, sentinelPassword } = access;
  const login: ServerSettings = password ? { requirepass: password, masterauth: password } : {};
  const settings = { ...DURABLE, 'repl-diskless-sync-delay': '0', ...login };
  const first = await redisServer(settings);
  const second = await redisServer({ ...settings, replicaof: `127.0.0.1 ${first.port}` });
  const options = password ? { password } : {};
  await linked(second.client(options));
  const watching: ServerSettings = {
    ...(sentinelPassword && { requirepass: sentinelPassword, 'sentinel sentinel-pass': sentinelPassword }),
    sentinel: [
      `monitor main 127.0.0.1 ${first.port} 2`,
      `down-after-milliseconds main ${NODE_TIMEOUT_MS}`,
      'failover-timeout main 10000',
      ...(password ? [`auth-pass main ${password}`] : []),
    ],
  };
  const sentinels = await Promise.all([1, 2, 3].map(() => redisServer(watching, { sentinel: true })));
  await Promise.all(sentinels.map((one) => known(one.client(sentinelPassword ? { password: sentinelPassword } : {}))));
  const primary = () => liveMaster([first, second], options);
  return {
    url: `redis+sentinel://${sentinels.map(({ host }) => host).join(',')}/main`,
    primary,
    replicated: async () => waitForReplica(await primary(), 'marker', options),
    stop: async () => {
      await Promise.all([...sentinels, first, second].map((server) => server.stop()));
    },
  };
}

/** Each master has its share of the slots before they meet, so that nothing is to be moved. */
async function join(clients: readonly Redis[], servers: readonly RedisServer[]): Promise<void> {
  const share = SLOTS / MASTERS;
  for (const [at, client] of clients.entries()) {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
    if (at >= MASTERS) continue;
    const [from, to] = [Math.ceil(at * share), Math.ceil((at + 1) * share) - 1];
    await client.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: to - from + 1 }, (_, index) => from + index));
  }
  for (const { port } of servers.slice(1)) await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', port);
  await Promise.all(
    clients.map((client) =>
      until(
        async () => String(await client.call('CLUSTER', 'INFO')),
        (info) => info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${clients.length}`),
        { what: 'the cluster to be whole', limitMs: WAIT_LIMIT_MS },
      ),
    ),
  );
}

async function linked(replica: Redis | undefined): Promise<void> {
  await until(
    async () => String(await replica?.info('replication')),
    (info) => info.includes('role:slave') && info.includes('master_link_status:up'),
    { what: 'the replica to follow its primary', limitMs: WAIT_LIMIT_MS },
  );
}

/** Until every Sentinel knows the two others and the replica, none can lead a failover. */
async function known(sentinel: Redis): Promise<void> {
  await until(
    async () => String(await sentinel.info('sentinel')),
    (info) => /slaves=1,sentinels=3/.test(info),
    { what: 'the Sentinels to know each other', limitMs: WAIT_LIMIT_MS },
  );
}

async function liveMaster(servers: readonly (RedisServer | undefined)[], options = {}): Promise<RedisServer> {
  for (const server of servers) {
    const client = server?.client({ ...options, retryStrategy: () => null, enableReadyCheck: false });
    const role = await client?.call('ROLE').catch(() => undefined);
    client?.disconnect();
    if (server && Array.isArray(role) && role[0] === 'master') return server;
  }
  throw new Error('none of the servers is the primary');
}

/** Replicas acknowledge positions, so one later write stands for all before it; `key` must lie with that server. */
async function waitForReplica(server: RedisServer, key: string, options = {}): Promise<void> {
  const client = server.client(options);
  await client.set(key, '', 'PX', WAIT_LIMIT_MS);
  await until(
    () => client.call('WAIT', 1, 1_000),
    (acknowledged) => Number(acknowledged) >= 1,
    { what: 'a replica to have all', limitMs: WAIT_LIMIT_MS },
  );
  client.disconnect();
}
