/** The claims on folders in memory. */
import type { FolderClaims } from '../../../src/core/ports.js';
import { fence, type Memory } from './memory.js';

/** Builds the claims over a shared memory. */
export function createFakeFolderClaims(memory: Memory): FolderClaims {
  const held = new Map<string, string>();
  const within = (inner: string, outer: string) =>
    inner === outer || `${inner}/`.startsWith(outer.replace(/\/?$/, '/'));
  return {
    async claim(id, run, folder) {
      await memory.reach();
      const allowed = fence(memory.live(id), run);
      if (allowed !== 'written') return { kind: allowed };
      for (const [other, owner] of held) {
        const theirs = memory.live(owner);
        if (owner === id || fence(theirs, theirs?.run ?? '') === 'ended' || !theirs) continue;
        if (within(other, folder) || within(folder, other)) return { kind: 'taken', by: theirs.seed.id };
      }
      held.set(folder, id);
      return { kind: 'held' };
    },
  };
}
