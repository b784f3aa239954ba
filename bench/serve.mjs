/** Starts the product's processes for benchmarks, and stops them. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../bundle/src/main.js', import.meta.url));

/** The absolute path of a file beside the benchmarks. */
export const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Resident mebibytes of a process, as Linux tells them. */
export const residentMiB = (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Milliseconds of processor time that a process and all below it have had, as Linux counts them; those that ended are left out. */
export function cpuMs(pid) {
  const tasks = `/proc/${pid}/task`;
  const of = (task, name) => readFileSync(`${tasks}/${task}/${name}`, 'utf8').trim();
  return readdirSync(tasks).reduce((sum, task) => {
    const own = Number(of(task, 'schedstat').split(' ')[0]) / 1e6;
    const below = of(task, 'children').split(' ').filter(Boolean);
    return below.reduce((all, child) => all + cpuMs(child), sum + own);
  }, 0);
}

/** Starts `longhaul http` on a free port; `url` is its endpoint. */
export async function startFrontEnd(env, { workers = 0, args = [], node = [] } = {}) {
  const flags = ['http', '--port', '0', '--workers', String(workers), ...args];
  const started = start([...node, MAIN, ...flags], { ...env, LONGHAUL_LOG_LEVEL: 'info' });
  const { endpoint } = await started.line((line) => line.endpoint !== undefined);
  return { url: endpoint, pid: started.pid, line: started.line, stop: started.stop };
}

/** Starts `longhaul worker` with so many workers, and waits until all take jobs. */
export async function startWorkers(env, { workers = 1 } = {}) {
  const started = start([MAIN, 'worker', '--workers', String(workers)], { ...env, LONGHAUL_LOG_LEVEL: 'debug' });
  let ready = 0;
  await started.line((line) => {
    if (line.msg === 'taking jobs') ready += 1;
    return ready === workers;
  });
  return { pid: started.pid, stop: started.stop };
}

/** Starts `longhaul stdio`; its stdin and stdout are the client's. */
export function startStdio(env, { args = [] } = {}) {
  return spawn(process.execPath, [MAIN, 'stdio', ...args], { env, stdio: ['pipe', 'pipe', 'ignore'] });
}

function start(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const watching = new Set();
  createInterface({ input: child.stderr }).on('line', (text) => {
    if (watching.size === 0) return;
    const line = parse(text);
    for (const look of watching) look(line);
  });
  return {
    pid: child.pid,
    line: (fits) =>
      new Promise((resolve, reject) => {
        const look = (line) => {
          if (!fits(line)) return;
          watching.delete(look);
          resolve(line);
        };
        watching.add(look);
        gone.then((code) => reject(new Error(`${args.join(' ')} ended with ${code} before it was ready`)));
      }),
    stop() {
      child.kill('SIGTERM');
      return gone;
    },
  };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
