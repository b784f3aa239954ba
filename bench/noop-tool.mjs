/** A tool that does nothing: what its calls cost is the product's own overhead. */
import { defineTool, z } from 'longhaul-mcp-server/tool';

export default defineTool(
  {
    name: 'noop',
    title: 'Do nothing',
    description: 'Does nothing, for measuring.',
    input: z.object({}),
    output: z.object({ ok: z.boolean() }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    limits: { timeoutMs: 60_000, attempts: 1, backoffMs: 0 },
    queue: 'review',
    render: () => 'ok',
  },
  async () => ({ ok: true }),
);
