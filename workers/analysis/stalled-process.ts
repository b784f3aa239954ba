/** Notices that a child process waits for what never comes, such as git that opens a pipe in the place of a .gitignore. */
import { readFileSync } from 'node:fs';

const LOOK_MS = 500;
/** A disk that is slow is waited for in another state than a pipe, and a busy processor too. */
const STALLED_LOOKS = 6;

/** A watch over one process. */
export interface StallWatch {
  /** Tells that the process has done something. */
  touch(): void;
  end(): void;
}

/** Calls `onStall` once the process has slept for three seconds on end; never where the system does not tell. */
export function watchForStall(pid: number | undefined, onStall: () => void): StallWatch {
  let [before, looks] = ['', 0];
  const timer = setInterval(() => {
    const now = sleepOf(pid);
    looks = now !== undefined && now === before ? looks + 1 : 0;
    before = now ?? '';
    if (looks >= STALLED_LOOKS) onStall();
  }, LOOK_MS);
  return {
    touch() {
      looks = 0;
    },
    end: () => clearInterval(timer),
  };
}

/** The processor time of a process that sleeps until something comes; undefined for any other. */
function sleepOf(pid: number | undefined): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // proc(5): the name of the program, in brackets, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, user, system] = [fields[0], fields[11], fields[12]];
    return state === 'S' ? `${user} ${system}` : undefined;
  } catch {
    return undefined;
  }
}
