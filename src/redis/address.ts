/** Where Redis is, in every topology that can be configured, and what opens it; says it in words without the credentials. */
import { isIPv6 } from 'node:net';

/** One server of several. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Name and password of one Redis user; without a name it is the default user. */
export interface RedisLogin {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Texts of PEM files beside what the system trusts. */
export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** How to get in; the login beats one that the URL carries. */
export interface RedisAccess {
  readonly login?: RedisLogin;
  readonly sentinelLogin?: RedisLogin;
  /** Absent: no TLS, except for a `rediss://` URL, which needs no files. */
  readonly tls?: TlsFiles;
}

/** A unix socket, or one server by its `redis://` or `rediss://` URL. */
type OneServer = { readonly socketPath: string } | { readonly url: string };

/** Servers one of which is the primary, as the Sentinels say. */
interface SentinelPlace {
  readonly sentinels: readonly Endpoint[];
  /** The name under which the Sentinels know the primary. */
  readonly master: string;
  readonly database: number;
}

/** A Redis Cluster, of which the node counts that holds the hash tag. */
interface ClusterPlace {
  readonly nodes: readonly Endpoint[];
  /** The hash tag of all keys, with its braces. */
  readonly hashTag: string;
}

/** Where Redis is and how to get in. */
export type RedisAddress = (OneServer | SentinelPlace | ClusterPlace) & RedisAccess;

/** The forms that `parseRedisUrl` takes, for a message. */
export const REDIS_URL_FORMS =
  'redis://host:port, rediss://host:port, unix:///path/to/socket, redis+sentinel://host:port,host:port/master-name or redis+cluster://host:port,host:port (rediss+… for TLS)';

const FORM = /^(?<scheme>rediss?(?:\+sentinel|\+cluster)?|unix):\/\/(?:(?<login>[^/\s]*)@)?(?<rest>\S+)$/;
const HOST = /^(?<host>\[[0-9a-fA-F:.]+\]|[^\s:/?#[\]]+)(?::(?<port>\d{1,5}))?$/;
const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6_379;

/** Reads a configured URL; the namespace becomes the hash tag on a cluster. Undefined if it is none of the known forms. */
export function parseRedisUrl(text: string, namespace: string): RedisAddress | undefined {
  const { scheme = '', login, rest = '' } = FORM.exec(text)?.groups ?? {};
  if (scheme === 'unix') return URL.canParse(text) && rest.startsWith('/') ? socketOf(text) : undefined;
  if (scheme === 'redis' || scheme === 'rediss') return URL.canParse(text) ? { url: text } : undefined;
  const [hosts = '', ...path] = rest.split('/');
  const access = accessOf(scheme, login);
  if (scheme.endsWith('+sentinel')) return sentinelsOf(hosts, path, access);
  if (scheme.endsWith('+cluster')) return clusterOf(hosts, path, { access, hashTag: `{${namespace}}` });
  return undefined;
}

/** The address with settings beside the URL; a login among them beats the URL's, in part or whole. TLS files ask for TLS. */
export function withAccess(address: RedisAddress, { login, sentinelLogin, tls }: RedisAccess): RedisAddress {
  const given = 'url' in address && login ? splitUrl(address) : address;
  return {
    ...given,
    ...(login && { login: { ...given.login, ...login } }),
    ...(sentinelLogin && { sentinelLogin }),
    ...(tls && { tls }),
  };
}

/** The address in words, without credentials. */
export function describeAddress(address: RedisAddress): string {
  if ('socketPath' in address) return `unix://${address.socketPath}`;
  if ('url' in address) {
    const { protocol, host, pathname } = new URL(address.url);
    return `${protocol}//${host}${pathname}`;
  }
  const scheme = address.tls ? 'rediss' : 'redis';
  if ('nodes' in address) return `${scheme}+cluster://${address.nodes.map(endpointText).join(',')}`;
  const path = `${address.master}${address.database === 0 ? '' : `/${address.database}`}`;
  return `${scheme}+sentinel://${address.sentinels.map(endpointText).join(',')}/${path}`;
}

function socketOf(text: string): RedisAddress {
  return { socketPath: decodeURIComponent(new URL(text).pathname) };
}

function sentinelsOf(hosts: string, [master = '', database = '0', ...more]: string[], access: RedisAccess) {
  const sentinels = endpointsOf(hosts, SENTINEL_PORT);
  if (!sentinels || !/^[\w.-]+$/.test(master) || !/^\d{1,4}$/.test(database) || more.length > 0) return undefined;
  return { sentinels, master, database: Number(database), ...access };
}

function clusterOf(hosts: string, path: string[], { access, hashTag }: { access: RedisAccess; hashTag: string }) {
  const nodes = endpointsOf(hosts, REDIS_PORT);
  // A cluster has database 0 only.
  if (!nodes || path.some((part) => part !== '' && part !== '0')) return undefined;
  return { nodes, hashTag, ...access };
}

function endpointsOf(hosts: string, defaultPort: number): Endpoint[] | undefined {
  const parsed = hosts.split(',').map((part) => endpointOf(part.trim(), defaultPort));
  const found = parsed.filter((endpoint) => endpoint !== undefined);
  return found.length === parsed.length ? found : undefined;
}

function endpointOf(text: string, defaultPort: number): Endpoint | undefined {
  const { host = '', port } = HOST.exec(text)?.groups ?? {};
  const number = Number(port ?? defaultPort);
  if (host === '' || number < 1 || number > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: number };
}

function accessOf(scheme: string, login: string | undefined): RedisAccess {
  const [username = '', ...password] = (login ?? '').split(':').map((part) => decoded(part));
  const given = {
    ...(username !== '' && { username }),
    ...(password.length > 0 && { password: password.join(':') }),
  };
  return { ...(login !== undefined && { login: given }), ...(scheme.startsWith('rediss') && { tls: {} }) };
}

/** A password with a stray `%` is meant as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Takes the login out of the URL, whose own would beat any other. */
function splitUrl(address: RedisAddress & { readonly url: string }): RedisAddress {
  const url = new URL(address.url);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const login = {
    ...(username !== '' && { username: decoded(username) }),
    ...(password !== '' && { password: decoded(password) }),
  };
  return { ...address, url: url.href, login };
}

function endpointText({ host, port }: Endpoint): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
