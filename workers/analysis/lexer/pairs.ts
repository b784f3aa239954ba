/** Tells two bytes at once whether both can be passed over. */
import { SPACE } from './compile.js';

const known = new WeakMap<Uint8Array, Uint8Array>();

/** By two neighbouring bytes read as one number, in whichever order: whether either is more than plain or space. Made once. */
export function pairsOf(classes: Uint8Array): Uint8Array {
  const made = known.get(classes) ?? pairUp(classes);
  known.set(classes, made);
  return made;
}

function pairUp(classes: Uint8Array): Uint8Array {
  const stops = classes.map((kind) => (kind > SPACE ? 1 : 0));
  const [pairs, all] = [new Uint8Array(1 << 16), stops.map(() => 1)];
  for (const [high, stop] of stops.entries()) pairs.set(stop === 1 ? all : stops, high << 8);
  return pairs;
}
