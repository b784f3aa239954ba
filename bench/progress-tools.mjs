/** A tool that reports the moment in every progress, by the clock that all processes of a machine share. */
import { defineTool, z } from 'longhaul-mcp-server/tool';

export default defineTool(
  {
    name: 'tell_time',
    title: 'Benchmark tool',
    description: 'For benchmarks.',
    input: z.object({ times: z.int(), every_ms: z.int() }),
    output: z.object({ text: z.string() }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    limits: { timeoutMs: 600_000, attempts: 1, backoffMs: 0 },
    queue: 'review',
    render: () => '',
  },
  async ({ times, every_ms }, { progress }) => {
    for (let time = 1; time <= times; time++) {
      await new Promise((resolve) => setTimeout(resolve, every_ms));
      progress({ progress: time, total: times, message: String(process.hrtime.bigint()) });
    }
    return { text: '' };
  },
);
