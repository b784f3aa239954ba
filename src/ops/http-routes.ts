/** What the ops listener serves: a table of routes, each with what its caller needs, and how one is found for a path. */
import { HEALTH_PATHS, type HealthSource, healthAnswer } from '../web/health.js';

/** What a request needs: `nothing` is for probes, `read` looks, `write` changes something. */
export type OpsNeed = 'nothing' | 'read' | 'write';

/** A request as a route's handler sees it: it may come, and who sent it. */
export interface OpsRequest {
  /** Its query counts for views only; credentials in it count for nothing. */
  readonly url: URL;
  /** The segments that stand for `:name` in the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Header fields in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whose token was sent; undefined for who needs none. */
  readonly operator: string | undefined;
}

/** An answer; it is sent with the listener's own header fields, which `headers` may replace. */
export interface OpsReply {
  /** 200 unless said. */
  readonly status?: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One row of the table. A GET answers HEAD as well. */
export interface OpsRoute {
  readonly method: 'GET' | 'POST';
  /** As `/jobs/:id`; with `*` as its last segment, everything below, under the name `rest`. */
  readonly path: string;
  readonly needs: OpsNeed;
  handle(request: OpsRequest): Promise<OpsReply>;
}

/** What was found for a request: a route, or the methods that the path has. */
export type Found =
  | { readonly kind: 'route'; readonly route: OpsRoute; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'other_methods'; readonly allowed: readonly string[] }
  | { readonly kind: 'none' };

/** Finds the first route for a method and an absolute path, whose segments are still encoded. */
export function findRoute(routes: readonly OpsRoute[], method: string, path: string): Found {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const fitting = routes.flatMap((route) => {
    const params = paramsOf(route.path, path);
    return params ? [{ route, params }] : [];
  });
  const found = fitting.find(({ route }) => route.method === wanted);
  if (found) return { kind: 'route', ...found };
  if (fitting.length === 0) return { kind: 'none' };
  return { kind: 'other_methods', allowed: [...new Set(fitting.flatMap(({ route }) => methodsOf(route)))] };
}

/** The routes of `/livez` and `/readyz`. */
export function healthRoutes(source: HealthSource): OpsRoute[] {
  return HEALTH_PATHS.map((path) => ({
    method: 'GET',
    path,
    needs: 'nothing',
    handle: async () => ({ type: 'application/json', ...(await healthAnswer(path, source)) }),
  }));
}

function methodsOf({ method }: OpsRoute): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const isOpen = wanted.at(-1) === '*';
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, segment] of wanted.entries()) {
    const value = decoded(isOpen && at === wanted.length - 1 ? given.slice(at).join('/') : (given[at] ?? ''));
    if (value === undefined) return undefined;
    if (segment === '*') params.rest = value;
    else if (segment.startsWith(':') && value !== '') params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
