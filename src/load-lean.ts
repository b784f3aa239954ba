/** Loads modules without letting the heap grow for what is never going to be garbage. */
import { setFlagsFromString } from 'node:v8';

/** V8's own value: after a collection that much survived, the room for new objects doubles. */
const USUAL_GROWTH = 2;

/**
 * Runs `load` with the room for new objects kept as it is. Nearly all that modules make stays, which V8 takes for a program that makes
 * much: by the end it holds 32 MiB for new objects, and keeps them. Afterwards the room grows as usual.
 */
export async function loadLean<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await load();
  } finally {
    setFlagsFromString(`--semi-space-growth-factor=${USUAL_GROWTH}`);
  }
}
