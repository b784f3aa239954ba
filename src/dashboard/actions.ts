/** What operators change: through the product's own verbs, whose records come first, and with their name in the log. */
import type { ProcessLog } from '../core/process-log.js';
import type { OpsReply, OpsRequest, OpsRoute } from '../ops/http-routes.js';
import type { DashboardCore, DashboardParts } from './parts.js';

/** What an act tells, and which job to look at afterwards. */
interface Done {
  readonly id: string;
  readonly text: string;
  /** Whether anything is otherwise now; it may have come too late. */
  readonly changed: boolean;
}

type Act = (jobs: DashboardCore['jobs'], id: string, operator: string) => Promise<Done>;

const ACTS: Readonly<Record<string, Act>> = {
  cancel: async (jobs, id, operator) => {
    const came = await jobs.cancel(id, undefined, `cancelled by the operator ${operator}`);
    if (came.kind === 'cancelled') return { id, text: 'Cancelled.', changed: true };
    return { id, text: `It had ended before: ${came.state}.`, changed: false };
  },
  retry: async (jobs, id) => {
    const again = await jobs.retry(id, undefined);
    return { id: again.id, text: `Runs again as ${again.id}.`, changed: true };
  },
  promote: async (jobs, id) => {
    const came = await jobs.promote(id, undefined);
    if (came.kind === 'promoted') return { id, text: 'It is tried now.', changed: true };
    return { id, text: `It waits for no time: it is ${came.state}.`, changed: false };
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
      const said = done.changed ? 'an operator changed a job' : 'an operator came too late to change a job';
      log.info({ operator, act: name, jobId: id }, said);
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
