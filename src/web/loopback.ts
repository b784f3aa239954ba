/** What leads to this machine only: addresses to listen on, and names in a Host or Origin. */
import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine reaches an address that is listened on; a name other than `localhost` may lead anywhere. */
export function isLoopback(host: string): boolean {
  const kind = isIP(host);
  return kind === 0 ? host.toLowerCase() === 'localhost' : loopback.check(host, kind === 4 ? 'ipv4' : 'ipv6');
}

const NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a name as it stands in a URL is one of this machine's own; a name of the DNS may be made to lead here (rebinding). */
export function isLoopbackName(name: string): boolean {
  return NAMES.includes(name);
}

/** The name in a Host header, without its port. */
export function hostName(host: string | undefined): string | undefined {
  return host?.replace(/:\d+$/, '').toLowerCase();
}
