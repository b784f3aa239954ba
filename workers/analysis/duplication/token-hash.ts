/** Hashes of tokens and the mixing that fingerprints share. */

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** The 32-bit FNV-1a hash of `bytes[start..end)`, mixed so that single characters differ in every bit. */
export function hashToken(bytes: Uint8Array, start: number, end: number): number {
  let hash = OFFSET_BASIS;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), PRIME);
  return mix(hash);
}

/** Spreads 32 bits over 32 bits, one to one (the finaliser of MurmurHash3); the result is not negative. */
export function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
