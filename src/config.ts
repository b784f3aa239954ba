/** Every setting of the product: read once, validated together, all faults in one message. */
import { homedir } from 'node:os';
import { delimiter, resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from './core/errors.js';
import { suggestion } from './core/nearest.js';
import type { SamplingLimits } from './core/sampling-limits.js';
import type { QueueName } from './core/tool.js';
import { dataLocations } from './embedded/locations.js';
import { PROCESS_LOG_LEVELS } from './logger.js';
import { OPS_SETTINGS, type OpsEntry, opsEntry } from './ops-settings.js';
import { REDIS_SETTINGS, type RedisEntry, redisEntry } from './redis-settings.js';
import { SAMPLING_SETTINGS, samplingLimits } from './sampling-settings.js';
import { list, tokens, wholeNumber } from './setting-forms.js';
import type { TokenEntry } from './web/login.js';
import type { WebhookOptions } from './webhook/notifier.js';
import { WEBHOOK_SETTINGS, webhookEntry } from './webhook-settings.js';
import { WORKER_SETTINGS } from './worker-settings.js';

interface Setting {
  readonly schema: z.ZodType;
  readonly fallback: string;
  readonly meaning: string;
}

const setting = <S extends z.ZodType>(schema: S, fallback: string, meaning: string) => ({ schema, fallback, meaning });

/** One row a setting: environment variable, form, default and meaning; the README's table is tested against it. */
export const SETTINGS = {
  ...REDIS_SETTINGS,
  LONGHAUL_NAMESPACE: setting(
    z.string().regex(/^[A-Za-z0-9-]{1,40}$/, 'expected letters, digits and -'),
    'longhaul',
    'Keeps installations on one Redis apart.',
  ),
  LONGHAUL_DATA_DIR: setting(z.string().optional(), '', 'Folder of the private Redis; by default the XDG data folder.'),
  LONGHAUL_CACHE_DIR: setting(
    z.string().optional(),
    '',
    'Folder of a fetched Redis and of the counts of earlier scans; by default the XDG cache folder.',
  ),
  LONGHAUL_LOG_LEVEL: setting(z.enum(PROCESS_LOG_LEVELS), 'info', 'Level of the process log on stderr.'),
  LONGHAUL_ROOTS: setting(list(delimiter), '', 'Allowed folders, separated as in PATH; --root adds to them.'),
  LONGHAUL_CLIENT_ROOTS: setting(
    z.enum(['auto', 'join', 'ignore']),
    'auto',
    'Whether the roots a client declares are allowed too: join, ignore, or auto, which ignores them where callers need a token.',
  ),
  LONGHAUL_TOOLS: setting(list(','), '', 'Files with tools of your own, separated by commas; --tools adds to them.'),
  ...WORKER_SETTINGS,
  LONGHAUL_SCAN_THREADS: setting(wholeNumber(0, 64), '0', 'Threads of one scan; 0 to go by files and cores, up to 8.'),
  LONGHAUL_SCAN_CACHE_MB: setting(
    wholeNumber(0, 1_000_000),
    '256',
    'What the counts and complexities of earlier scans may take on disk, in MiB; 0 to remember none.',
  ),
  LONGHAUL_PART_FILES: setting(
    wholeNumber(1, 1_000_000),
    '8000',
    'A scan or measurement of more than twice as many files is shared among all workers in parts of this size.',
  ),
  LONGHAUL_GRACE_SECONDS: setting(wholeNumber(0, 3_600), '10', 'How long a stopping process lets work finish.'),
  LONGHAUL_RESULT_TTL_SECONDS: setting(
    wholeNumber(1, 31_536_000),
    '86400',
    'How long a result is kept after its job ended.',
  ),
  LONGHAUL_INPUT_TIMEOUT_SECONDS: setting(wholeNumber(1, 86_400), '600', 'How long a client has to answer a question.'),
  LONGHAUL_SUBMISSION_TIMEOUT_SECONDS: setting(
    wholeNumber(1, 518_400),
    '86400',
    'How long a job that was handed over waits for submit_review.',
  ),
  LONGHAUL_CLIENT_QUESTIONS: setting(
    wholeNumber(1, 1_000),
    '2',
    'Questions a session is asked at a time; further ones wait.',
  ),
  ...SAMPLING_SETTINGS,
  LONGHAUL_KEEP_ALIVE_SECONDS: setting(
    wholeNumber(1, 300),
    '10',
    'How often a stream or call on which nothing happens says that it lives.',
  ),
  LONGHAUL_SESSION_IDLE_SECONDS: setting(wholeNumber(1, 604_800), '3600', 'When an unused HTTP session ends.'),
  LONGHAUL_SESSION_JOBS: setting(
    z.enum(['keep', 'cancel']),
    'keep',
    'What becomes of the jobs that calls of an HTTP session still wait for when it ends.',
  ),
  LONGHAUL_MAX_BODY_BYTES: setting(wholeNumber(1_024, 1_073_741_824), '4194304', 'Largest HTTP request body.'),
  LONGHAUL_MAX_ARGUMENT_BYTES: setting(
    wholeNumber(1_024, 1_073_741_824),
    '16777216',
    'Largest arguments of a job, in bytes of JSON.',
  ),
  LONGHAUL_MAX_QUEUED_JOBS: setting(
    wholeNumber(1, 10_000_000),
    '50000',
    'Jobs that may wait, or be about to be tried again, in all; further ones are refused as overloaded.',
  ),
  LONGHAUL_MAX_JOBS_PER_CALLER: setting(
    wholeNumber(1, 10_000_000),
    '20000',
    'Unfinished jobs that one principal may have; further ones are refused as overloaded.',
  ),
  LONGHAUL_HTTP_TOKENS: setting(
    tokens,
    '',
    'Who may call over HTTP: name:token, separated by commas; each name sees its own jobs only.',
  ),
  LONGHAUL_HTTP_TOKENS_FILE: setting(
    z.string().optional(),
    '',
    'A file of further tokens, one name:token a line; read again when it changes.',
  ),
  LONGHAUL_HTTP_ANONYMOUS: setting(
    z.enum(['loopback', 'anywhere']),
    'loopback',
    'Where HTTP is served while there are no tokens: on loopback addresses only, or anywhere.',
  ),
  LONGHAUL_CALL_TOKEN: setting(z.string().optional(), '', 'The token that `call --url` sends.'),
  LONGHAUL_ALLOWED_HOSTS: setting(list(','), '', 'Host names accepted beside localhost.'),
  LONGHAUL_ALLOWED_ORIGINS: setting(list(','), '', 'Browser origins accepted beside localhost.'),
  ...OPS_SETTINGS,
  ...WEBHOOK_SETTINGS,
} as const satisfies Record<string, Setting>;

/** Settings whose values no message repeats. */
export const SECRET_SETTINGS: ReadonlySet<string> = new Set<keyof typeof SETTINGS>([
  'LONGHAUL_REDIS_URL',
  'LONGHAUL_REDIS_PASSWORD',
  'LONGHAUL_REDIS_SENTINEL_PASSWORD',
  'LONGHAUL_HTTP_TOKENS',
  'LONGHAUL_CALL_TOKEN',
  'LONGHAUL_OPS_TOKENS',
  'LONGHAUL_OPS_READ_TOKENS',
  'LONGHAUL_WEBHOOK_URL',
  'LONGHAUL_WEBHOOK_SECRET',
]);

/** The name of a setting's environment variable. */
export type SettingName = keyof typeof SETTINGS;

type Value<Name extends SettingName> = z.output<(typeof SETTINGS)[Name]['schema']>;

/** The validated settings. Paths are absolute, times in milliseconds. */
export interface Config {
  readonly redisUrl: string | undefined;
  readonly redisEntry: RedisEntry;
  readonly namespace: string;
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly searchPath: readonly string[];
  readonly logLevel: Value<'LONGHAUL_LOG_LEVEL'>;
  readonly roots: readonly string[];
  readonly clientRoots: Value<'LONGHAUL_CLIENT_ROOTS'>;
  readonly toolFiles: readonly string[];
  readonly workers: number;
  readonly queues: readonly QueueName[];
  readonly concurrency: Readonly<Record<QueueName, number>>;
  readonly workerSilenceMs: number;
  readonly standstillMs: number;
  readonly lockMs: number;
  readonly scanThreads: number;
  readonly scanCacheBytes: number;
  readonly partFiles: number;
  readonly graceMs: number;
  readonly resultTtlMs: number;
  readonly inputTimeoutMs: number;
  readonly sampling: SamplingLimits;
  readonly clientQuestions: number;
  readonly keepAliveMs: number;
  readonly submissionTimeoutMs: number;
  readonly sessionIdleMs: number;
  readonly sessionJobs: Value<'LONGHAUL_SESSION_JOBS'>;
  readonly maxBodyBytes: number;
  readonly maxArgumentBytes: number;
  readonly maxQueuedJobs: number;
  readonly maxJobsPerCaller: number;
  readonly httpTokens: readonly TokenEntry[];
  /** Absolute. */
  readonly httpTokensFile: string | undefined;
  readonly httpAnonymous: Value<'LONGHAUL_HTTP_ANONYMOUS'>;
  readonly callToken: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly ops: OpsEntry;
  /** Undefined for none. */
  readonly webhook: WebhookOptions | undefined;
}

/** Settings by name, as an environment or command-line options give them. */
export type RawSettings = Readonly<Record<string, string | undefined>>;

/** The process's environment; the only place that reads it. */
export function environment(): RawSettings {
  return process.env;
}

/** Validates the settings of `env`, overridden by `options`; throws `invalid_configuration` naming every fault. */
export function loadConfig(env: RawSettings, options: RawSettings = {}): Config {
  const given = { ...env, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
  const faults = unknownSettings(given);
  const values = new Map<string, unknown>();
  for (const [name, { schema, fallback }] of Object.entries<Setting>(SETTINGS)) {
    const text = given[name] || fallback || undefined;
    const parsed = schema.safeParse(text ?? (schema.safeParse(undefined).success ? undefined : ''));
    if (parsed.success) values.set(name, parsed.data);
    else
      faults.push(
        `${name}: ${parsed.error.issues.map((issue) => issue.message).join(', ')} (got ${shown(name, text)})`,
      );
  }
  if (faults.length > 0) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    throw new AppError('invalid_configuration', `The configuration has ${count}:\n  ${faults.join('\n  ')}`);
  }
  return assemble(given, <Name extends SettingName>(name: Name) => values.get(name) as Value<Name>);
}

function assemble(given: RawSettings, value: <Name extends SettingName>(name: Name) => Value<Name>): Config {
  const locations = dataLocations(given, homedir());
  return {
    redisUrl: value('LONGHAUL_REDIS_URL'),
    redisEntry: redisEntry(value),
    namespace: value('LONGHAUL_NAMESPACE'),
    dataDir: locations.dataDir,
    cacheDir: locations.cacheDir,
    searchPath: (given.PATH ?? '').split(delimiter).filter((part) => part !== ''),
    logLevel: value('LONGHAUL_LOG_LEVEL'),
    roots: distinctPaths(value('LONGHAUL_ROOTS')),
    clientRoots: value('LONGHAUL_CLIENT_ROOTS'),
    toolFiles: distinctPaths(value('LONGHAUL_TOOLS')),
    workers: value('LONGHAUL_WORKERS'),
    queues: value('LONGHAUL_QUEUES'),
    concurrency: value('LONGHAUL_CONCURRENCY'),
    workerSilenceMs: value('LONGHAUL_WORKER_SILENCE_SECONDS') * 1_000,
    standstillMs: value('LONGHAUL_STANDSTILL_SECONDS') * 1_000,
    lockMs: value('LONGHAUL_LOCK_SECONDS') * 1_000,
    scanThreads: value('LONGHAUL_SCAN_THREADS'),
    scanCacheBytes: value('LONGHAUL_SCAN_CACHE_MB') * 2 ** 20,
    partFiles: value('LONGHAUL_PART_FILES'),
    graceMs: value('LONGHAUL_GRACE_SECONDS') * 1_000,
    resultTtlMs: value('LONGHAUL_RESULT_TTL_SECONDS') * 1_000,
    inputTimeoutMs: value('LONGHAUL_INPUT_TIMEOUT_SECONDS') * 1_000,
    submissionTimeoutMs: value('LONGHAUL_SUBMISSION_TIMEOUT_SECONDS') * 1_000,
    clientQuestions: value('LONGHAUL_CLIENT_QUESTIONS'),
    keepAliveMs: value('LONGHAUL_KEEP_ALIVE_SECONDS') * 1_000,
    sampling: samplingLimits(value),
    sessionIdleMs: value('LONGHAUL_SESSION_IDLE_SECONDS') * 1_000,
    sessionJobs: value('LONGHAUL_SESSION_JOBS'),
    maxBodyBytes: value('LONGHAUL_MAX_BODY_BYTES'),
    maxArgumentBytes: value('LONGHAUL_MAX_ARGUMENT_BYTES'),
    maxQueuedJobs: value('LONGHAUL_MAX_QUEUED_JOBS'),
    maxJobsPerCaller: value('LONGHAUL_MAX_JOBS_PER_CALLER'),
    httpTokens: value('LONGHAUL_HTTP_TOKENS'),
    httpTokensFile: absolute(value('LONGHAUL_HTTP_TOKENS_FILE')),
    httpAnonymous: value('LONGHAUL_HTTP_ANONYMOUS'),
    callToken: value('LONGHAUL_CALL_TOKEN'),
    allowedHosts: value('LONGHAUL_ALLOWED_HOSTS'),
    allowedOrigins: value('LONGHAUL_ALLOWED_ORIGINS'),
    ops: opsEntry(value),
    webhook: webhookEntry(value),
  };
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

/** An option adds to its setting, so the same path may come twice. */
function distinctPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => resolve(path)))];
}

function unknownSettings(given: RawSettings): string[] {
  const known = Object.keys(SETTINGS);
  return Object.keys(given)
    .filter((name) => name.startsWith('LONGHAUL_') && !known.includes(name))
    .map((name) => `${name}: unknown setting (${suggestion(name, known)})`);
}

/** A URL may hold a password, and a token is one: neither is ever echoed. */
function shown(name: string, text: string | undefined): string {
  return SECRET_SETTINGS.has(name) ? 'a value that is not shown' : JSON.stringify(text ?? '');
}
