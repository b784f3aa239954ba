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

/** An answer: 200 when all is well, else 503; the body is JSON. */
export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body: string;
}

interface Health {
  readonly status: 'live' | 'ready' | 'not ready' | 'draining';
  readonly complaints?: Readiness['complaints'];
}

const ANSWERS = {
  // A process that answers is alive: one whose Redis is away must not be restarted for it.
  '/livez': () => Promise.resolve({ status: 'live' }),
  '/readyz': async (source) => {
    if (source.isDraining()) return { status: 'draining' };
    const { ready, complaints } = await source.readiness();
    return { status: ready ? 'ready' : 'not ready', complaints };
  },
} as const satisfies Readonly<Record<string, (source: HealthSource) => Promise<Health>>>;

/** The paths that are answered here. */
export type HealthPath = keyof typeof ANSWERS;

/** See `HealthPath`. */
export const HEALTH_PATHS = ['/livez', '/readyz'] as const satisfies readonly HealthPath[];

/** Answers a health request. */
export async function healthAnswer(path: HealthPath, source: HealthSource): Promise<HealthAnswer> {
  const health: Health = await ANSWERS[path](source);
  const isWell = health.status === 'live' || health.status === 'ready';
  return { status: isWell ? 200 : 503, body: `${JSON.stringify(health)}\n` };
}

/** Answers a health request; false if the path is none. */
export async function serveHealth(
  path: string,
  source: HealthSource,
  { method }: IncomingMessage,
  res: ServerResponse,
): Promise<boolean> {
  const known = HEALTH_PATHS.find((one) => one === path);
  if (!known) return false;
  if (method !== 'GET' && method !== 'HEAD') {
    res.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return true;
  }
  const { status, body } = await healthAnswer(known, source);
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  res.end(method === 'HEAD' ? undefined : body);
  return true;
}
