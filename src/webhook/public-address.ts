/** Tells addresses of the public internet from those of this host, its networks and its cloud. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Not globally reachable by the IANA registry of special-purpose IPv4 addresses (RFC 6890), or multicast. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Of IPv6 only this is assigned for global use (RFC 4291); all else, IPv4 in other guises included, is special. */
const GLOBAL_IPV6 = ['2000::', 3] as const;
/** Special within it: protocol assignments (Teredo among them), documentation, 6to4, documentation again, segment routing. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
] as const;

const special = new BlockList();
for (const [address, prefix] of SPECIAL_IPV4) special.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of SPECIAL_IPV6) special.addSubnet(address, prefix, 'ipv6');
const global = new BlockList();
global.addSubnet(GLOBAL_IPV6[0], GLOBAL_IPV6[1], 'ipv6');

/** Whether an IP address is one of the public internet; false for what is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  return isIPv6(address) && global.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
