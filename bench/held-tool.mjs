/** Tools for measuring recoveries: one that is held at a gate, and one that blocks its worker's event loop; both note their starts. */
import { appendFileSync, existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { defineTool, z } from 'longhaul-mcp-server/tool';

const contract = {
  title: 'Benchmark tool',
  description: 'For benchmarks.',
  output: z.object({}),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  limits: { timeoutMs: 600_000, attempts: 1, backoffMs: 1_000 },
  queue: 'analysis',
  render: () => '',
};

/** Resolves when the file exists; rejects with the signal's reason. */
const opened = (file, signal) =>
  new Promise((resolve, reject) => {
    const watcher = watch(dirname(file), () => existsSync(file) && done(resolve));
    const done = (settle) => {
      watcher.close();
      settle(signal.reason);
    };
    signal.addEventListener('abort', () => done(reject), { once: true });
    if (existsSync(file)) done(resolve);
  });

const note = (ledger) => appendFileSync(ledger, `${process.pid} ${Date.now()}\n`);

/** The two tools. */
export default [
  defineTool(
    { ...contract, name: 'held', input: z.object({ gate: z.string(), ledger: z.string() }) },
    async ({ gate, ledger }, { signal }) => {
      note(ledger);
      await opened(gate, signal);
      return {};
    },
  ),
  defineTool(
    { ...contract, name: 'blocking', input: z.object({ ms: z.number(), ledger: z.string() }) },
    async ({ ms, ledger }) => {
      note(ledger);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      return {};
    },
  ),
];
