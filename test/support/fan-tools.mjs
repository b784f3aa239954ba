/** A scripted tool that fans out to parts of any tool's, so that tests can hold each part, and the job itself, at a gate. */
import { existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { defineTool, z } from 'longhaul-mcp-server/tool';

/** Resolves when the file exists. */
const opened = (file, signal) =>
  new Promise((resolve, reject) => {
    const watcher = watch(dirname(file), () => existsSync(file) && done(resolve));
    const done = (settle, value) => {
      watcher.close();
      settle(value);
    };
    signal.addEventListener('abort', () => done(reject, signal.reason), { once: true });
    if (existsSync(file)) done(resolve);
    if (signal.aborted) done(reject, signal.reason);
  });

export default [
  defineTool(
    {
      name: 'fanning',
      title: 'Test tool',
      description: 'A scripted tool for tests.',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      limits: { timeoutMs: 60_000, attempts: 3, backoffMs: 200 },
      queue: 'analysis',
      input: z.object({
        /** The tool that does the parts. */
        tool: z.string(),
        parts: z.array(z.record(z.string(), z.unknown())),
        /** The job keeps its slot until this file exists. */
        hold: z.string().optional(),
      }),
      output: z.object({ text: z.string() }),
      render: (output) => output.text,
    },
    async ({ tool, parts, hold }, ctx) => {
      const total = parts.length;
      const share = { from: 0, to: 100, outOf: 100, total, before: 'Did ', after: ` of ${total}` };
      const held = hold && ctx.step('hold', () => opened(hold, ctx.signal).then(() => null));
      const [results] = await Promise.all([ctx.fanOut('parts', { tool, queue: 'analysis', parts, share }), held]);
      return { text: results.map(({ text }) => text).join(', ') };
    },
  ),
];
