/** A scripted tool that hands its job over to the caller, once or in rounds, alone or beside a question; loaded beside the others. */
import { appendFileSync, existsSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, defineTool, z } from 'longhaul-mcp-server/tool';

const note = (ledger, text) => ledger && appendFileSync(ledger, `${text}\n`);

/** Resolves when the file exists, and rejects when the run is over. */
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

const input = z.object({
  /** Hand-offs one after another. */
  rounds: z.int().default(1),
  timeout_ms: z.number().optional(),
  /** A question put to the client beside each hand-off. */
  beside: z.enum(['sampling', 'elicitation']).optional(),
  /** A question put to the client once everything is submitted. */
  after: z.enum(['sampling', 'elicitation']).optional(),
  /** A file that is waited for then. */
  gate: z.string().optional(),
  /** What it throws once the submission is there. */
  fault: z.string().optional(),
  /** Bytes of the packet. */
  bytes: z.int().default(0),
  /** Whether what it hands over fits its own contract. */
  fits: z.boolean().default(true),
  ledger: z.string().optional(),
  idempotency_key: z.string().optional(),
  response_format: z.enum(['text', 'json']).optional(),
});

const output = z.object({
  job_id: z.string(),
  status: z.enum(['handed_over', 'finished', 'unanswered']),
  packet: z.string().optional(),
  replies: z.array(z.unknown()),
});

const put = (ctx, kind, key) => {
  if (kind === 'elicitation')
    return ctx.elicit(key, { message: `form ${key}`, fields: z.object({ name: z.string() }) });
  if (kind === 'sampling')
    return ctx.sample(key, { messages: [{ role: 'user', text: `question ${key}` }], maxTokens: 10 });
  return undefined;
};

export default defineTool(
  {
    name: 'hand_over',
    title: 'Test tool',
    description: 'A scripted tool for tests.',
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    limits: { timeoutMs: 60_000, attempts: 3, backoffMs: 200 },
    queue: 'review',
    input,
    output,
    render: ({ status, packet = '', replies }) => `${status} ${packet}${JSON.stringify(replies)}`,
  },
  async (given, ctx) => {
    note(given.ledger, `run ${ctx.jobId}`);
    await ctx.step('prepare', async () => note(given.ledger, 'prepared') ?? null);
    ctx.progress({ progress: 1, total: 10, message: 'prepared' });
    const replies = [];
    for (let round = 1; round <= given.rounds; round += 1) {
      const packet = `packet ${round} ${'x'.repeat(given.bytes)}`;
      const handed = {
        job_id: ctx.jobId,
        status: 'handed_over',
        packet: given.fits ? packet : 7,
        replies: [...replies],
      };
      const [reply, other] = await Promise.all([
        ctx.handOff(`hand ${round}`, {
          output: handed,
          ...(given.timeout_ms !== undefined && { timeoutMs: given.timeout_ms }),
        }),
        put(ctx, given.beside, `beside ${round}`),
      ]);
      replies.push(reply.kind === 'answered' ? reply.value : reply.kind, ...(other ? [other] : []));
      if (reply.kind !== 'answered') return { ...handed, status: 'unanswered', replies };
    }
    ctx.progress({ progress: 9, total: 10, message: 'submitted' });
    ctx.log('info', 'submitted');
    if (given.after) replies.push(await put(ctx, given.after, 'after'));
    if (given.gate) {
      note(given.ledger, `at the gate ${ctx.jobId}`);
      await opened(given.gate, ctx.signal);
    }
    note(given.ledger, `done ${ctx.jobId}`);
    if (given.fault !== undefined) throw new AppError('handler_failed', given.fault);
    return { job_id: ctx.jobId, status: 'finished', replies };
  },
);
