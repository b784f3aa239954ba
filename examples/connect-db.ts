/**
 * A tool of your own in one file: asks the user where a database is, with a form, and returns it.
 * Run it with `longhaul --tools ./examples/connect-db.ts`; docs/writing-tools.md explains each part.
 */
import { choices, defineTool, type InputReply, whyUnanswered, z } from 'longhaul-mcp-server/tool';

const host = z.string().min(1).max(253);
const port = z.int().min(1).max(65_535);
const env = choices({ dev: 'Development', staging: 'Staging', prod: 'Production' });

/** What the form asks for. Never a password: forms pass through clients and logs, so secrets have no place in them. */
const fields = z.object({
  host: host.meta({ title: 'Host', description: 'Name or address of the database server' }),
  port: port.default(5432).meta({ title: 'Port' }),
  env: env.default('dev').meta({ title: 'Environment' }),
});

export default defineTool(
  {
    name: 'connect_db',
    title: 'Connect to a database',
    description:
      'Asks the user for the address of a PostgreSQL database and returns it. Pass host to use an address you already have, without a form.',
    input: z.object({
      host: host.optional().describe('Server to use without asking the user.'),
      port: port.default(5432).describe('Port that goes with host. Default 5432.'),
      env: env.default('dev').describe('Environment that goes with host. Default dev.'),
    }),
    output: z.object({
      status: z.enum(['ready', 'declined', 'cancelled', 'unavailable', 'unanswered']),
      message: z.string(),
      host: z.string().optional(),
      port: z.int().optional(),
      env: z.string().optional(),
      decided_at: z.string().optional(),
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    limits: { timeoutMs: 60_000, attempts: 3, backoffMs: 1_000 },
    queue: 'review',
    render: ({ message }) => message,
  },
  async (input, context) => {
    // While the user thinks, the job holds no worker slot; a crash meanwhile loses nothing and asks nothing twice.
    const reply: InputReply<z.output<typeof fields>> =
      input.host === undefined
        ? await context.elicit('address', { message: 'Which database should be used?', fields })
        : { kind: 'answered', value: { host: input.host, port: input.port, env: input.env } };
    if (reply.kind !== 'answered') return unanswered(reply);

    const address = reply.value;
    // The handler may run again after a crash: whatever differs from run to run, and all that has an effect, is a step.
    const decided_at = await context.step('decided at', async () => new Date().toISOString());
    context.log('info', { message: 'address chosen', env: address.env });
    const message = `Use ${address.host}, port ${address.port} (${address.env}).`;
    return { status: 'ready' as const, message, ...address, decided_at };
  },
);

function unanswered(reply: Exclude<InputReply<unknown>, { kind: 'answered' }>) {
  switch (reply.kind) {
    case 'declined':
    case 'cancelled':
      return { status: reply.kind, message: `No database was chosen: ${whyUnanswered(reply)}.` };
    case 'unsupported':
      return {
        status: 'unavailable' as const,
        message:
          'This client cannot show forms (it does not offer elicitation). Ask the user for the address and call again with host.',
      };
    default:
      return { status: 'unanswered' as const, message: `No database was chosen: ${whyUnanswered(reply)}.` };
  }
}
