/** What a chaos run does, derived from its seed: which jobs in which order by which client, and what befalls them. */
import { CODE } from '../../support/scripted-model.js';
import { createRandom, type Random } from './random.js';

/** Where the run's files are. */
export interface Places {
  readonly ledger: string;
  /** A small tree, and one that is scanned in parts. */
  readonly trees: { readonly small: string; readonly wide: string };
}

/** A kind of job. */
export interface Kind {
  readonly tool: string;
  /** Its share among the jobs. */
  readonly weight: number;
  /** Whether it lasts long enough to be cancelled on its way. */
  readonly cancellable: boolean;
  /** Each job of the kind is one of so many, told apart by their arguments; those of one variant come to the same. */
  readonly variants: number;
  /** Whether its client offers no model, so that the job is handed over and finished by `submit_review`. */
  readonly handsOver?: boolean;
  /** Arguments beside ledger and key. */
  args(variant: number, places: Places, key: string): object;
}

const scan = (path: string, more: object = {}) => ({ path, response_format: 'json', ...more });
/** The key stands in the code, and so in every question and packet: no two jobs are asked the same. */
const coded = (key: string, more: object) => ({ code: `${CODE}// [[${key}]]\n`, ...more });
const inDepth = (variant: number) => ({ language: 'javascript', depth: variant === 0 ? 'quick' : 'standard' });
const salted = (variant: number, steps: number, stepMs: number) => ({ steps, step_ms: stepMs, salt: `v${variant}` });

/** All kinds of jobs. */
export const KINDS = {
  'no-op': { tool: 'chaos_noop', weight: 14, cancellable: false, variants: 1, args: () => ({}) },
  'side effects': {
    tool: 'chaos_effects',
    weight: 20,
    cancellable: true,
    variants: 6,
    args: (variant) => salted(variant, 2 + variant, 40 * (variant + 1)),
  },
  long: {
    tool: 'chaos_effects',
    weight: 6,
    cancellable: true,
    variants: 2,
    args: (variant) => salted(variant, 10, 200 + 150 * variant),
  },
  scan: {
    tool: 'analyze_codebase',
    weight: 10,
    cancellable: true,
    variants: 2,
    args: (variant, { trees }) => scan(trees.small, variant === 0 ? {} : { include: ['**/*.ts', '**/*.c'] }),
  },
  'scan in parts': {
    tool: 'analyze_codebase',
    weight: 10,
    cancellable: true,
    variants: 2,
    args: (variant, { trees }) =>
      scan(trees.wide, { use_cache: false, ...(variant === 1 && { exclude: ['**/*.py'] }) }),
  },
  review: {
    tool: 'smart_review',
    weight: 10,
    cancellable: true,
    variants: 2,
    args: (variant, _places, key) => coded(key, inDepth(variant)),
  },
  'review of code': {
    tool: 'review_code',
    weight: 6,
    cancellable: true,
    variants: 2,
    args: (variant, _places, key) => coded(key, { language: 'javascript', focus: variant === 0 ? 'all' : 'security' }),
  },
  'handed-over review': {
    tool: 'smart_review',
    weight: 8,
    cancellable: true,
    variants: 2,
    handsOver: true,
    args: (variant, _places, key) => coded(key, inDepth(variant)),
  },
  'written tests': {
    tool: 'generate_tests',
    weight: 2,
    cancellable: true,
    variants: 1,
    args: (_variant, _places, key) => coded(key, { language: 'javascript', framework: 'vitest' }),
  },
  metrics: {
    tool: 'analyze_repo',
    weight: 3,
    cancellable: true,
    variants: 1,
    args: (_variant, { trees }) => ({ repoPath: trees.small, metrics: ['complexity', 'dependencies'] }),
  },
  questions: {
    tool: 'chaos_quiz',
    weight: 12,
    cancellable: true,
    variants: 4,
    args: (variant) => ({ ...salted(variant, 1 + (variant % 2), 80), rounds: 1 + (variant % 3), width: 1 + variant }),
  },
  form: {
    tool: 'chaos_form',
    weight: 8,
    cancellable: true,
    variants: 3,
    args: (variant) => salted(variant, 1, 100),
  },
  failing: {
    tool: 'chaos_failing',
    weight: 5,
    cancellable: false,
    variants: 2,
    args: (variant) => ({ how: variant === 0 ? 'plain' : 'told', salt: `v${variant}` }),
  },
  flaky: {
    tool: 'chaos_flaky',
    weight: 5,
    cancellable: false,
    variants: 3,
    args: (variant) => ({ fails: variant + 1 }),
  },
  poison: { tool: 'chaos_poison', weight: 0.3, cancellable: false, variants: 1, args: () => ({}) },
} as const satisfies Record<string, Kind>;

/** See `KINDS`. */
export type KindName = keyof typeof KINDS;

/** The two protocol eras. */
export const ERAS = ['2025', '2026'] as const;

/** See `ERAS`. */
export type Era = (typeof ERAS)[number];

/** One job as it is planned. */
export interface PlannedJob {
  /** Names the job in its arguments, its questions and the ledger; its length is always the same. */
  readonly key: string;
  readonly kind: KindName;
  readonly variant: number;
  readonly era: Era;
  /** Whether and how its client gives it up, so many milliseconds after the call. */
  readonly cancel?: { readonly afterMs: number; readonly way: 'tool' | 'call' };
  /** Milliseconds after which a client of 2025 loses its connection and comes back. */
  readonly dropAfterMs?: number;
  /** Milliseconds a question is thought about. */
  readonly thinkMs: number;
}

const CANCEL_SHARE = 0.25;
const DROP_SHARE = 0.15;

/** The jobs of each of `lanes` clients, in order. */
export function planJobs(seed: number, jobs: number, lanes: number): PlannedJob[][] {
  const random = createRandom(seed, 'jobs');
  const weights = Object.fromEntries(Object.entries(KINDS).map(([name, { weight }]) => [name, weight]));
  const planned = Array.from({ length: jobs }, (_, index) =>
    planJob(random, weights as Record<KindName, number>, index),
  );
  return Array.from({ length: lanes }, (_, lane) => planned.filter((_job, index) => index % lanes === lane));
}

/** One job of every kind and variant among these, undisturbed: what they are held to. What kills its worker is a disturbance itself. */
export function planCalm(planned: readonly PlannedJob[]): PlannedJob[] {
  const first = new Map<string, PlannedJob>();
  for (const job of planned) if (job.kind !== 'poison') first.set(`${job.kind} ${job.variant}`, job);
  return [...first.values()].map(({ kind, variant }, index) => {
    const key = `calm-${String(index).padStart(5, '0')}`;
    return { key, kind, variant, era: '2025', thinkMs: 0 };
  });
}

function planJob(random: Random, weights: Record<KindName, number>, index: number): PlannedJob {
  const kind = random.weighted(weights);
  const { cancellable, variants } = KINDS[kind];
  // Drawn whether used or not, so that a change of one rule leaves the other draws as they were.
  const [cancels, drops] = [random.chance(CANCEL_SHARE), random.chance(DROP_SHARE)];
  const [afterMs, dropAfterMs] = [Math.round(1_500 * random.next() ** 2), random.int(50, 1_500)];
  const way = random.pick(['tool', 'call'] as const);
  const era = random.pick(ERAS);
  return {
    key: `chaos-${String(index).padStart(4, '0')}`,
    kind,
    variant: random.int(0, variants - 1),
    era,
    thinkMs: random.pick([0, 0, 50, 200, 600]),
    ...(cancels && cancellable && { cancel: { afterMs, way } }),
    ...(drops && era === '2025' && !(cancels && cancellable) && { dropAfterMs }),
  };
}

/** The arguments of a planned job. */
export function argsOf({ key, kind, variant }: PlannedJob, places: Places): object {
  const { tool, args } = KINDS[kind] as Kind;
  const own = tool.startsWith('chaos_') ? { ledger: places.ledger } : {};
  return { ...args(variant, places, key), ...own, idempotency_key: key };
}

/** Whether a job is handed over to its client. */
export function isHandedOver({ kind }: PlannedJob): boolean {
  return (KINDS[kind] as Kind).handsOver === true;
}
