/** The routes of the dashboard: its pages, what they load, and what may be changed. */
import { AppError } from '../core/errors.js';
import { jobIdSchema } from '../core/ids.js';
import type { ProcessLog } from '../core/process-log.js';
import type { OpsReply, OpsRoute } from '../ops/http-routes.js';
import { actionRoutes } from './actions.js';
import { cleanRows } from './clean.js';
import { frame, type Page } from './frame.js';
import { jobPage } from './job-page.js';
import { jobsPage, PAGE_SIZE, viewOf } from './job-table.js';
import { overviewPage } from './overview-page.js';
import { BOARD_PATH, type DashboardParts } from './parts.js';
import { PAGE_SCRIPT } from './script.js';
import { createSnapshots, SHOWN } from './snapshot.js';
import { PAGE_ICON, PAGE_STYLE } from './style.js';

/** Builds the table; nothing is asked of the queue before somebody looks. */
export function dashboardRoutes(parts: DashboardParts, log: ProcessLog): OpsRoute[] {
  const snapshots = createSnapshots(parts);
  const page = (shown: Page): OpsReply => ({ type: 'text/html; charset=utf-8', body: frame(parts, shown) });
  const asset = (path: string, type: string, body: string): OpsRoute => ({
    method: 'GET',
    path,
    needs: 'read',
    handle: () => Promise.resolve({ type, body }),
  });
  return [
    {
      method: 'GET',
      path: '/',
      needs: 'read',
      handle: async () => page({ title: 'Overview', at: '/', main: overviewPage(await snapshots(), parts) }),
    },
    { method: 'GET', path: '/jobs', needs: 'read', handle: async ({ url }) => page(await allJobs(parts, url)) },
    {
      method: 'GET',
      path: '/jobs/:id',
      needs: 'read',
      handle: async ({ params }) => page(await oneJob(parts, params.id)),
    },
    ...actionRoutes(parts, log),
    ...boardRoutes(parts),
    asset('/style.css', 'text/css; charset=utf-8', PAGE_STYLE),
    asset('/script.js', 'text/javascript; charset=utf-8', PAGE_SCRIPT),
    asset('/icon.svg', 'image/svg+xml', PAGE_ICON),
  ];
}

/** Its page names its own place, and its editors of JSON bring style with them. */
const BOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'none'; base-uri 'self'; frame-ancestors 'none'";

function boardRoutes(parts: DashboardParts): OpsRoute[] {
  return [
    {
      method: 'GET',
      path: BOARD_PATH.slice(0, -1),
      needs: 'read',
      handle: () => Promise.resolve({ status: 308, type: 'text/plain', body: '', headers: { Location: BOARD_PATH } }),
    },
    {
      method: 'GET',
      path: `${BOARD_PATH}*`,
      needs: 'read',
      async handle({ params, url }) {
        // Says in its own words why the queue cannot be reached, which the board does not.
        await parts.core();
        const found = await (await parts.board()).answer(params.rest ?? '', url.searchParams);
        const nothing = {
          status: 404,
          type: 'text/plain; charset=utf-8',
          body: 'The board has nothing of that name.\n',
        };
        return { ...(found ?? nothing), headers: { 'Content-Security-Policy': BOARD_POLICY } };
      },
    },
  ];
}

async function allJobs(parts: DashboardParts, { searchParams }: URL): Promise<Page> {
  const { overview, redactor } = await parts.core();
  const view = viewOf(searchParams);
  const { from, state } = view;
  const [page, { listed }, nowMs] = await Promise.all([
    overview.recent({ from, limit: PAGE_SIZE, ...(state && { states: [state] }) }),
    overview.counts(),
    overview.nowMs(),
  ]);
  return {
    title: 'Jobs',
    at: '/jobs',
    main: jobsPage({ ...page, rows: await cleanRows(redactor, page.rows) }, { ...view, listed, nowMs }),
  };
}

async function oneJob(parts: DashboardParts, text = ''): Promise<Page> {
  const id = jobIdSchema.safeParse(text).data;
  const { overview, redactor, position } = await parts.core();
  const detail = id && (await overview.detail(id));
  if (!detail) {
    throw new AppError(
      'job_not_found',
      'There is no such job: the id is wrong, its result has expired, or a newer version of Longhaul wrote it. See /jobs for those there are.',
    );
  }
  const { row } = detail;
  const [nowMs, sessions, place] = await Promise.all([
    overview.nowMs(),
    overview.sessions(SHOWN.sessionsKnown),
    row.state === 'waiting' ? position(row.id, row.queue) : undefined,
  ]);
  const context = { nowMs, sessions, position: place, write: parts.write };
  return { title: `${row.tool} ${row.id}`, at: '/jobs', main: await jobPage(detail, redactor, context) };
}
