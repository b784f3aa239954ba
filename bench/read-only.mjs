/** The least a scan can do: reads every listed file into reused buffers, in as many threads as asked, and does nothing else. */
import { closeSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const AT_ONCE = 64;

/** Starts the threads for some paths; `read` reads them all once and answers with the time it took and the bytes there were. */
export async function openReader(paths, threads) {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const crew = Array.from(
    { length: threads },
    () => new Worker(fileURLToPath(import.meta.url), { workerData: { paths, next } }),
  );
  const answer = (worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await Promise.all(crew.map(answer));
  return {
    async read() {
      next[0] = 0;
      const [from, cpuFrom] = [performance.now(), process.cpuUsage()];
      const answers = crew.map(answer);
      for (const worker of crew) worker.postMessage('read');
      const bytes = (await Promise.all(answers)).reduce((sum, part) => sum + part, 0);
      const { user, system } = process.cpuUsage(cpuFrom);
      return { took: performance.now() - from, cpu: (user + system) / 1000, bytes };
    },
    close: () => Promise.all(crew.map((worker) => worker.terminate())),
  };
}

function readAll({ paths, next }, buffer) {
  let bytes = 0;
  for (let from = Atomics.add(next, 0, AT_ONCE); from < paths.length; from = Atomics.add(next, 0, AT_ONCE)) {
    for (const path of paths.slice(from, from + AT_ONCE)) bytes += readOne(path, buffer);
  }
  return bytes;
}

function readOne(path, buffer) {
  const file = openSync(path, 'r');
  let bytes = 0;
  for (let got = buffer.length; got === buffer.length; bytes += got)
    got = readSync(file, buffer, 0, buffer.length, null);
  closeSync(file);
  return bytes;
}

if (!isMainThread) {
  const buffer = Buffer.allocUnsafeSlow(1 << 20);
  parentPort.on('message', () => parentPort.postMessage(readAll(workerData, buffer)));
  parentPort.postMessage('ready');
}
