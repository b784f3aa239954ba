/** A tool that only some workers of a test know, as a tool of a newer version is. */
import { appendFileSync } from 'node:fs';
import { defineTool, z } from 'longhaul-mcp-server/tool';

export default [
  defineTool(
    {
      name: 'far',
      title: 'Test tool',
      description: 'A scripted tool for tests.',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      limits: { timeoutMs: 60_000, attempts: 1, backoffMs: 200 },
      queue: 'analysis',
      input: z.object({ name: z.string(), ledger: z.string() }),
      output: z.object({ text: z.string() }),
      render: (output) => output.text,
    },
    async ({ name, ledger }, ctx) => {
      appendFileSync(ledger, `start ${name} attempt ${ctx.attempt}\n`);
      return { text: name };
    },
  ),
];
