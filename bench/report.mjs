/**
 * The whole report: `npm run bench`, or `node bench/report.mjs NAME…` for some of its parts. Each part is a script that can be
 * run by itself, in a process of its own; a part that takes too long is stopped, and said so. About 10 minutes on two
 * cores with nothing else to do.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { loadavg, release } from 'node:os';
import { beside } from './serve.mjs';

const HERE = beside('..');
const LIMIT_MINUTES = 8;

/** The parts in their order: script and arguments. */
const PARTS = {
  overhead: ['overhead.mjs'],
  progress: ['progress.mjs'],
  cancel: ['cancel.mjs', '100'],
  recovery: ['recovery.mjs'],
  sessions: ['sessions.mjs', '2000'],
  parked: ['parked.mjs'],
  fairness: ['fairness.mjs'],
  keys: ['keys.mjs'],
  scan: ['scan.mjs', HERE],
  duplication: ['duplication.mjs', HERE],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  process.stderr.write(`no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}\n`);
  process.exit(2);
}

function run([script, ...args]) {
  // A group of its own: a part that is stopped takes the processes it started with it.
  const stdio = ['ignore', 'inherit', 'inherit'];
  const child = spawn(process.execPath, [beside(script), ...args], { stdio, detached: true });
  const stop = () => process.kill(-child.pid, 'SIGKILL');
  const timer = setTimeout(stop, LIMIT_MINUTES * 60_000);
  process.once('SIGINT', stop);
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      process.off('SIGINT', stop);
      resolve(signal ? `stopped after ${LIMIT_MINUTES} minutes` : code === 0 ? undefined : `failed with ${code}`);
    });
  });
}

const commit = execFileSync('git', ['-C', HERE, 'describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
process.stdout.write(`# Longhaul ${commit}, Linux ${release()}, ${new Date().toISOString()}\n\n`);
const failed = [];
for (const name of wanted.length > 0 ? wanted : Object.keys(PARTS)) {
  if (!existsSync(beside(PARTS[name][0]))) continue;
  const fromMs = performance.now();
  process.stdout.write(`## ${name}: node bench/${PARTS[name].join(' ').replace(HERE, '.')}\n\n`);
  const fault = await run(PARTS[name]);
  const load = loadavg()[0].toFixed(1);
  process.stdout.write(
    `${fault ?? 'done'} in ${Math.round((performance.now() - fromMs) / 1_000)} s, load of the machine ${load}\n\n`,
  );
  if (fault) failed.push(name);
}
if (failed.length > 0) process.stdout.write(`not measured: ${failed.join(', ')}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
