/** Ends a process whose loop hangs, with word of what it hangs on: nothing else can, since the loop never lets go. */
import { Worker } from 'node:worker_threads';

/** Told of each input before it is tried. */
export interface Watchdog {
  watch(index: number): void;
  end(): Promise<void>;
}

const SOURCE = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const { beats, limitMs, pid, seed } = workerData;
let last = -1;
let since = Date.now();
setInterval(() => {
  const now = Atomics.load(beats, 0);
  if (now !== last) { last = now; since = Date.now(); }
  if (Date.now() - since < limitMs) return;
  writeSync(2, 'fuzz: hangs on input ' + now + ' of seed ' + seed + '; replay with --seed ' + seed + ' --from ' + now + ' --inputs 1\\n');
  process.kill(pid, 'SIGKILL');
}, 500);
`;

/** Starts to watch; an input that takes longer than `limitMs` ends the process. */
export function startWatchdog(seed: number, limitMs: number): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(SOURCE, { eval: true, workerData: { beats, limitMs, pid: process.pid, seed } });
  worker.unref();
  return {
    watch: (index) => void Atomics.store(beats, 0, index),
    end: async () => void (await worker.terminate()),
  };
}
