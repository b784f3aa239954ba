/** `/livez` and `/readyz` for whoever keeps the process running: JSON, without a login or a session, and without addresses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readiness } from '../core/trouble.js';

/** What the answers are made from. */
export interface HealthSource {
  /** Whether calls can be served; answers soon whatever state the queue is in. */
  readiness(): Promise<Readiness>;
  /** True once the process is stopping. */
  isDraining(): boolean;
}

interface Health {
  readonly status: 'live' | 'ready' | 'not ready' | 'draining';
  readonly complaints?: Readiness['complaints'];
}

const ANSWERS: Readonly<Record<string, (source: HealthSource) => Promise<Health>>> = {
  // A process that answers is alive: one whose Redis is away must not be restarted for it.
  '/livez': () => Promise.resolve({ status: 'live' }),
  '/readyz': async (source) => {
    if (source.isDraining()) return { status: 'draining' };
    const { ready, complaints } = await source.readiness();
    return { status: ready ? 'ready' : 'not ready', complaints };
  },
};

/** Answers a health request; false if the path is none. */
export async function serveHealth(
  path: string,
  source: HealthSource,
  { method }: IncomingMessage,
  res: ServerResponse,
): Promise<boolean> {
  const answer = Object.hasOwn(ANSWERS, path) ? ANSWERS[path] : undefined;
  if (!answer) return false;
  if (method !== 'GET' && method !== 'HEAD') {
    res.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return true;
  }
  const health = await answer(source);
  const body = `${JSON.stringify(health)}\n`;
  const well = health.status === 'live' || health.status === 'ready';
  res.writeHead(well ? 200 : 503, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  res.end(method === 'HEAD' ? undefined : body);
  return true;
}
