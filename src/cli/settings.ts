/** Options that stand for settings: `--redis URL` is `LONGHAUL_REDIS_URL`, and an option beats the environment. */
import { delimiter, resolve } from 'node:path';
import { Option } from 'commander';
import { type Config, loadConfig, type RawSettings, SETTINGS, type SettingName } from '../config.js';
import { AppError } from '../core/errors.js';

interface SettingOption {
  readonly setting: SettingName;
  readonly flags: string;
  readonly help: string;
  /** Given several times, and added to what the environment says; joined by this. */
  readonly joinedBy?: string;
  /** Whether the values are paths, to be resolved before they are joined. */
  readonly paths?: boolean;
}

/** One row an option; the key is the name under which commander keeps its value. */
const SETTING_OPTIONS = {
  root: {
    setting: 'LONGHAUL_ROOTS',
    flags: '--root <dir>',
    help: 'allow tools to read this folder (repeatable)',
    joinedBy: delimiter,
    paths: true,
  },
  tools: {
    setting: 'LONGHAUL_TOOLS',
    flags: '--tools <file>',
    help: 'load tools of your own from this file (repeatable)',
    joinedBy: ',',
    paths: true,
  },
  workers: { setting: 'LONGHAUL_WORKERS', flags: '--workers <n>', help: 'worker processes to run' },
  queue: { setting: 'LONGHAUL_QUEUES', flags: '--queue <name,...>', help: 'serve these queues only, such as analysis' },
  concurrency: {
    setting: 'LONGHAUL_CONCURRENCY',
    flags: '--concurrency <n|queue=n,...>',
    help: 'jobs a worker runs side by side, such as 4 or analysis=2,review=50',
  },
  grace: { setting: 'LONGHAUL_GRACE_SECONDS', flags: '--grace <seconds>', help: 'time to finish work when stopping' },
  redis: { setting: 'LONGHAUL_REDIS_URL', flags: '--redis <url>', help: 'use this Redis instead of a private one' },
  dataDir: { setting: 'LONGHAUL_DATA_DIR', flags: '--data-dir <dir>', help: 'folder of the private Redis' },
  logLevel: {
    setting: 'LONGHAUL_LOG_LEVEL',
    flags: '--log-level <level>',
    help: `log on stderr from this level on: ${SETTINGS.LONGHAUL_LOG_LEVEL.schema.options.join(', ')}`,
  },
  allowedHost: {
    setting: 'LONGHAUL_ALLOWED_HOSTS',
    flags: '--allowed-host <name>',
    help: 'accept this host name beside localhost (repeatable)',
    joinedBy: ',',
  },
  allowedOrigin: {
    setting: 'LONGHAUL_ALLOWED_ORIGINS',
    flags: '--allowed-origin <origin>',
    help: 'accept browsers of this origin beside localhost (repeatable)',
    joinedBy: ',',
  },
  opsPort: {
    setting: 'LONGHAUL_OPS_PORT',
    flags: '--ops-port <n>',
    help: 'show operators what runs on a port of its own, 0 for a free one',
  },
  opsHost: { setting: 'LONGHAUL_OPS_HOST', flags: '--ops-host <address>', help: 'address of that port' },
  opsWrite: {
    setting: 'LONGHAUL_OPS_WRITE',
    flags: '--ops-write',
    help: 'let operators with a token change jobs there',
  },
} as const satisfies Record<string, SettingOption>;

/** The name of an option that stands for a setting. */
export type SettingOptionName = keyof typeof SETTING_OPTIONS;

/** Parsed options of a command, as commander keeps them. */
export type OptionValues = Readonly<Record<string, unknown>>;

/** Options of every command that reaches Redis. */
export const BACKEND_OPTIONS = ['redis', 'dataDir', 'logLevel'] as const satisfies readonly SettingOptionName[];

/** Makes commander's options for the named settings. */
export function settingOptions(names: readonly SettingOptionName[]): Option[] {
  return names.map((name) => {
    const row: SettingOption = SETTING_OPTIONS[name];
    const option = new Option(row.flags, row.help);
    return row.joinedBy === undefined
      ? option
      : option.argParser((value: string, earlier: string[] | undefined) => [...(earlier ?? []), value]);
  });
}

/** The environment with the options laid over it, by the names of the settings. */
export function settingsOf(env: RawSettings, options: OptionValues): RawSettings {
  const given = Object.entries<SettingOption>(SETTING_OPTIONS).flatMap(([name, row]) => {
    const value = options[name];
    return value === undefined ? [] : [[row.setting, settingText(row, value, env[row.setting])] as const];
  });
  return { ...env, ...Object.fromEntries(given) };
}

/** Validates settings that may stem from options; names the option beside the setting wherever one was given. */
export function configOf(settings: RawSettings, options: OptionValues): Config {
  try {
    return loadConfig(settings);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const given = Object.entries<SettingOption>(SETTING_OPTIONS).filter(([name]) => options[name] !== undefined);
    const message = given.reduce(
      (text, [, row]) => text.replaceAll(`${row.setting}:`, `${row.flags.split(' ')[0]} (${row.setting}):`),
      error.message,
    );
    throw new AppError(error.code, message, { cause: error });
  }
}

function settingText(row: SettingOption, value: unknown, inherited: string | undefined): string {
  if (row.joinedBy === undefined) return String(value);
  const values = (Array.isArray(value) ? value : [value]).map(String);
  const texts = row.paths ? values.map((path) => resolve(path)) : values;
  const unfit = texts.find((text) => text.includes(row.joinedBy ?? ''));
  if (unfit !== undefined) {
    const what = `${row.flags.split(' ')[0]}: ${JSON.stringify(unfit)} holds a ${JSON.stringify(row.joinedBy)}`;
    throw new AppError('invalid_configuration', `${what}, which separates entries. Use a path without it, or a link.`);
  }
  return [...(inherited ? [inherited] : []), ...texts].join(row.joinedBy);
}
