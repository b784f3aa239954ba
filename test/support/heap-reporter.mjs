/** Preloaded into a process under test: on SIGUSR2 it collects its garbage and logs the bytes of heap still in use. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collectGarbage();
  process.stderr.write(`${JSON.stringify({ level: 20, msg: 'heap', heapBytes: process.memoryUsage().heapUsed })}\n`);
});
