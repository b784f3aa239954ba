/** What operators change: through the product's own verbs, whose records come first, and with their name in the log. */
import type { ProcessLog } from '../core/process-log.js';
import type { OpsReply, OpsRequest, OpsRoute } from '../ops/http-routes.js';
import type { DashboardCore, DashboardParts } from './parts.js';

/** What an act tells, and which job to look at afterwards. */
interface Done {
  readonly id: string;
  readonly text: string;
}

type Act = (jobs: DashboardCore['jobs'], id: string, operator: string) => Promise<Done>;

const ACTS: Readonly<Record<string, Act>> = {
  cancel: async (jobs, id, operator) => {
    const came = await jobs.cancel(id, undefined, `cancelled by the operator ${operator}`);
    return { id, text: came.kind === 'cancelled' ? 'Cancelled.' : `It had ended before: ${came.state}.` };
  },
  retry: async (jobs, id) => {
    const again = await jobs.retry(id, undefined);
    return { id: again.id, text: `Runs again as ${again.id}.` };
  },
  promote: async (jobs, id) => {
    const came = await jobs.promote(id, undefined);
    return { id, text: came.kind === 'promoted' ? 'It is tried now.' : `It waits for no time: it is ${came.state}.` };
  },
};

/** The routes of changes; each needs a token and that changes are allowed. */
export function actionRoutes(parts: DashboardParts, log: ProcessLog): OpsRoute[] {
  return Object.entries(ACTS).map(([name, act]) => ({
    method: 'POST',
    path: `/jobs/:id/${name}`,
    needs: 'write',
    handle: async (request) => {
      const { id = '' } = request.params;
      const operator = request.operator ?? '';
      const { jobs } = await parts.core();
      const done = await act(jobs, id, operator);
      log.info({ operator, act: name, jobId: id }, 'an operator changed a job');
      return replyTo(request, done);
    },
  }));
}

/** A script is told; a form leads back to the job. */
function replyTo({ headers }: OpsRequest, { id, text }: Done): OpsReply {
  if (String(headers.accept ?? '').includes('application/json')) {
    return { type: 'application/json', body: `${JSON.stringify({ told: text, job: id })}\n` };
  }
  return {
    status: 303,
    type: 'text/plain; charset=utf-8',
    body: `${text}\n`,
    headers: { Location: `/jobs/${encodeURIComponent(id)}` },
  };
}
