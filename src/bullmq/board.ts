/** The queues as BullMQ has them, on bull-board: its pages and the answers they ask for, without a server of its own. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import type { AppControllerRoute, BullBoardQueues, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import { Queue } from 'bullmq';
import { BoardQueue } from './board-queue.js';
import type { BullContext } from './options.js';

/** What came of a request; undefined if there is nothing of that name. */
export interface BoardAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

/** The board; `path` is what stands behind the path it is served at, without a slash before. */
export interface Board {
  answer(path: string, query: URLSearchParams): Promise<BoardAnswer | undefined>;
  close(): Promise<void>;
}

/** How the board is made. */
export interface BoardOptions {
  readonly context: Pick<BullContext, 'connection' | 'prefix' | 'onError'>;
  readonly names: readonly string[];
  /** Where it is served, with a slash at its end. */
  readonly basePath: string;
  /** Takes secrets out of a text. */
  clean(text: string): Promise<string>;
}

const UI: UIConfig = {
  boardTitle: 'Longhaul queues',
  hideDocsLink: true,
  hideRedisDetails: true,
  showWorkers: false,
  pollingInterval: { showSetting: true },
  miscLinks: [{ text: 'Longhaul overview', url: '/' }],
};

/** Opens the board over queues of its own. */
export function createBoard({ context, names, basePath, clean }: BoardOptions): Board {
  const { connection, prefix, onError } = context;
  const queues = names.map((name) => {
    const queue = new Queue(name, { connection, prefix, skipWaitingForReady: true });
    queue.on('error', onError);
    return queue;
  });
  const taken = taker();
  const folder = join(dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json')), 'dist');
  createBullBoard({
    queues: queues.map((queue) => new BoardQueue({ context, queue, clean })),
    serverAdapter: taken.adapter,
    options: { uiConfig: UI, uiBasePath: dirname(folder) },
  });
  const files = filesOf(folder);
  return {
    async answer(path, query) {
      if (files.has(path)) return fileAnswer(join(folder, path));
      if (path.startsWith('api/')) return apiAnswer(taken, `/${path}`, query);
      const index = await readFile(join(folder, 'index.ejs'), 'utf8');
      return { status: 200, type: 'text/html; charset=utf-8', body: indexPage(index, taken.uiConfig(), basePath) };
    },
    async close() {
      await Promise.all(queues.map((queue) => queue.close()));
    },
  };
}

interface Taken {
  readonly adapter: IServerAdapter;
  routes(): readonly AppControllerRoute[];
  queues(): BullBoardQueues;
  uiConfig(): UIConfig;
}

/** Takes what the board would hang into a web framework. Only what reads is kept: nothing of it can change a queue. */
function taker(): Taken {
  let routes: readonly AppControllerRoute[] = [];
  let queues: BullBoardQueues = new Map();
  let uiConfig: UIConfig = UI;
  const adapter: IServerAdapter = {
    setQueues(given) {
      queues = given;
      return adapter;
    },
    setApiRoutes(given) {
      routes = given.filter(({ method }) => method === 'get');
      return adapter;
    },
    setUIConfig(given) {
      uiConfig = given;
      return adapter;
    },
    setViewsPath: () => adapter,
    setStaticPath: () => adapter,
    setEntryRoute: () => adapter,
    setErrorHandler: () => adapter,
  };
  return { adapter, routes: () => routes, queues: () => queues, uiConfig: () => uiConfig };
}

async function apiAnswer(taken: Taken, path: string, query: URLSearchParams): Promise<BoardAnswer | undefined> {
  // Jobs of this product are no flows, in which the board would look for relatives in other queues.
  const flow = /^\/api\/queues\/[^/]+\/([^/]+)\/flow$/.exec(path);
  if (flow) return json(200, { nodeId: flow[1], flowRoot: null, isFlowNode: false });
  for (const { route, handler } of taken.routes()) {
    const patterns: readonly string[] = typeof route === 'string' ? [route] : route;
    const params = patterns.map((pattern) => paramsOf(pattern, path)).find((found) => found !== undefined);
    if (!params) continue;
    const asked = { query: Object.fromEntries(query), params, body: {}, headers: {} };
    const { status = 200, body } = await handler({ ...asked, queues: taken.queues(), uiConfig: taken.uiConfig() });
    return json(status, body);
  }
  return undefined;
}

function json(status: number, body: unknown): BoardAnswer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const pairs = wanted.map((segment, at) => [segment, given[at] ?? ''] as const);
  if (pairs.some(([segment, value]) => !segment.startsWith(':') && segment !== value)) return undefined;
  return Object.fromEntries(pairs.flatMap(([name, value]) => (name.startsWith(':') ? [[name.slice(1), value]] : [])));
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** Only files that were there at the start are served, by their exact names. */
function filesOf(folder: string): ReadonlySet<string> {
  const found = readdirSync(join(folder, 'static'), { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Set(paths.map((path) => relative(folder, path).split(sep).join('/')));
}

async function fileAnswer(path: string): Promise<BoardAnswer> {
  return { status: 200, type: TYPES[extname(path)] ?? 'application/octet-stream', body: await readFile(path) };
}

/** The board's page as it is, but for what it would fetch from elsewhere or bring as inline style, which the page may not. */
function indexPage(template: string, uiConfig: UIConfig, basePath: string): string {
  const values: Readonly<Record<string, string>> = {
    basePath,
    title: UI.boardTitle ?? '',
    favIconDefault: 'static/images/logo.svg',
    favIconAlternative: 'static/favicon-32x32.png',
    uiConfig: JSON.stringify(uiConfig).replace(/[<>&]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`),
  };
  return template
    .replace(/<link[^>]*href="https?:[^>]*>/g, '')
    .replace(/<style>.*?<\/style>/gs, '')
    .replace(/ style="[^"]*"/g, '')
    .replace(/<%[=-]\s*(\w+)\s*%>/g, (_, name: string) => values[name] ?? '');
}
