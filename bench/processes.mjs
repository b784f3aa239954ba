/** What the processes of one installation use together: found by its data folder, as the kernel tells it (Linux). */
import { readdirSync, readFileSync } from 'node:fs';

/** A clock tick of `/proc/<pid>/stat`: `USER_HZ` is 100 on every Linux there is. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;
const SAMPLE_MS = 20;
/** Shared pages are told apart by walking all of a process's: dear, so seldom. */
const SHARED_SAMPLE_MS = 200;

/** The processes that name the folder in their command or environment, this one left out. */
export function processesOf(folder) {
  const pids = readdirSync('/proc').map(Number);
  return pids.filter((pid) => pid > 0 && pid !== process.pid && mentions(pid, folder));
}

function mentions(pid, folder) {
  return ['cmdline', 'environ'].some((name) => read(pid, name).includes(folder));
}

function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** Processor time of the processes, with that of the children they have waited for. */
export function cpuMs(pids) {
  return sum(pids, (pid) => {
    const fields = read(pid, 'stat').split(') ').at(-1).split(' ');
    return TICK_MS * sum(fields.slice(11, 15), Number);
  });
}

/** Watches what the processes hold in memory, in bytes: `rss` counts shared pages once for each process, `pss` once in all. */
export function watchMemory(folder) {
  const seen = { rss: 0, pss: 0, parts: '' };
  let pids = processesOf(folder);
  const sample = () => {
    const each = pids.map((pid) => PAGE_BYTES * Number(read(pid, 'statm').split(' ')[1] ?? 0));
    const rss = sum(each, (bytes) => bytes);
    if (rss <= seen.rss) return;
    seen.rss = rss;
    seen.parts = each.map((bytes, index) => `${nameOf(pids[index])} ${Math.round(bytes / 2 ** 20)}`).join(', ');
  };
  const sampleShared = () => {
    // Children come and go: git lists, a worker may have been started again.
    pids = processesOf(folder);
    const pss = sum(pids, (pid) => 1024 * Number(/^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0));
    seen.pss = Math.max(seen.pss, pss);
  };
  const timers = [setInterval(sample, SAMPLE_MS), setInterval(sampleShared, SHARED_SAMPLE_MS)];
  return () => {
    timers.forEach(clearInterval);
    return seen;
  };
}

function nameOf(pid) {
  const command = read(pid, 'cmdline').replaceAll('\0', ' ');
  return /workers\/main|src\/main|guardian|redis-server|valkey-server|git/.exec(command)?.[0] ?? 'other';
}

function sum(items, value) {
  return items.reduce((total, item) => total + value(item), 0);
}
