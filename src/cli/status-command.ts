/** `status`: one look at the installation, or a view of it that refreshes until Ctrl-C. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Config } from '../config.js';
import { AppError } from '../core/errors.js';
import { pause } from '../core/lifecycle.js';
import { complaintsOf } from '../core/status.js';
import { type CommandContext, configureQuietly, runAction } from './command.js';
import { EXIT, EXIT_HELP, jsonText } from './exit.js';
import { exitCodeOf, listenForInterrupts } from './interrupts.js';
import { type LiveView, openLiveView } from './live-view.js';
import type { CliPorts, Operator } from './ports.js';
import { isHealthy, renderStatus, type StatusView, statusLine } from './render-status.js';
import { BACKEND_OPTIONS, type OptionValues, settingOptions } from './settings.js';
import { statusJson } from './status-json.js';

const HELP = `
Exit code 0 if the installation is healthy (warnings are fine), 1 if not; the reasons come first. It is not while Redis
is in trouble, while no worker runs or none serves a queue in which jobs wait, and while a worker is silent or stuck.
With --watch on a terminal the view refreshes in place until Ctrl-C; elsewhere each look is one line, with --json one
JSON document a line.
${EXIT_HELP}

Examples:
  longhaul status
  longhaul status --watch
  longhaul status --redis redis://queue.internal:6379 --json | jq .problems`;

const DEFAULT_SECONDS = 2;
const LEAST_SECONDS = 0.2;
const MOST_SECONDS = 3_600;
/** Lines of a file or pipe are cut to nothing. */
const UNBOUNDED = 10_000;

interface StatusOptions extends OptionValues {
  readonly json?: boolean;
  readonly watch?: boolean;
  readonly interval: number;
}

/** What looks are made with and shown by. */
interface Looking {
  readonly ports: CliPorts;
  readonly config: Config;
  readonly options: StatusOptions;
}

/** Adds the command. */
export function addStatusCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('status')
    .summary('show queues, workers and jobs')
    .description('Shows the queues, workers and jobs of this installation, and whether it is healthy.')
    .option('--json', 'print one JSON document')
    .option('-w, --watch', 'refresh until Ctrl-C')
    .addOption(
      new Option('--interval <seconds>', 'with --watch: time between looks')
        .default(DEFAULT_SECONDS)
        .argParser(intervalSeconds),
    )
    .addHelpText('after', HELP);
  for (const option of settingOptions(BACKEND_OPTIONS)) command.addOption(option);
  command.action((options: StatusOptions) =>
    runAction(context, options, () => {
      const { ports } = context;
      const looking = { ports, options, config: configureQuietly(ports, options).config };
      return options.watch ? watch(looking) : lookOnce(looking);
    }),
  );
}

async function lookOnce({ ports, config, options }: Looking): Promise<number> {
  const { terminal, version } = ports;
  const view = await ports
    .withOperator(config, (operator) => look(operator, config))
    .catch((error: unknown) => viewWithout(error));
  const columns = terminal.columns ?? UNBOUNDED;
  await terminal.out(
    options.json
      ? jsonText(statusJson(view, version))
      : renderStatus(view, { version, columns, colour: terminal.colour }).join('\n'),
  );
  return isHealthy(view) ? EXIT.success : EXIT.failure;
}

/** Looks again and again. A Redis that is away is a finding, and is looked for again. */
async function watch(looking: Looking): Promise<number> {
  const { ports, config, options } = looking;
  const interrupts = listenForInterrupts(() => undefined);
  const shown = createShown(looking);
  const rest = () => pause(options.interval * 1_000, interrupts.signal);
  try {
    while (!interrupts.signal.aborted) {
      try {
        await ports.withOperator(config, async (operator) => {
          while (!interrupts.signal.aborted) {
            await shown.show(await look(operator, config));
            await rest();
          }
        });
      } catch (error) {
        await shown.show(viewWithout(error));
        await rest();
      }
    }
  } finally {
    shown.close();
    interrupts.close();
  }
  return exitCodeOf(interrupts.heard() ?? 'SIGINT');
}

interface Shown {
  show(view: StatusView): Promise<void>;
  close(): void;
}

/** In place on a screen; else a line a look. */
function createShown({ ports, options }: Looking): Shown {
  const { terminal, version } = ports;
  const { screen, colour } = terminal;
  if (!screen || options.json) {
    return {
      show: (view) =>
        terminal.out(options.json ? JSON.stringify(statusJson(view, version)) : statusLine(view, Date.now())),
      close: () => undefined,
    };
  }
  let last: StatusView | undefined;
  let live: LiveView | undefined;
  const lines = () => (last ? renderStatus(last, { version, colour, columns: screen.size().columns }) : []);
  const draw = () => live?.show(lines());
  return {
    show(view) {
      last = view;
      live ??= openLiveView(screen, draw);
      draw();
      return Promise.resolve();
    },
    close() {
      live?.close();
      // The alternate screen takes everything with it: what was seen last stays to be read.
      if (last) screen.write(`${lines().join('\n')}\n`);
    },
  };
}

async function look(operator: Operator, config: Config): Promise<StatusView> {
  try {
    const found = await operator.status();
    const limits = { silenceMs: config.workerSilenceMs, standstillMs: config.standstillMs };
    return { look: found, complaints: complaintsOf(found, limits) };
  } catch (error) {
    return viewWithout(error);
  }
}

/** What is seen while there is nothing to see; a fault in the settings is no finding. */
function viewWithout(error: unknown): StatusView {
  if (!(error instanceof AppError) || error.code === 'invalid_configuration') throw error;
  const mend = 'See longhaul doctor';
  return { look: undefined, complaints: [{ check: 'Redis', status: 'fail', seen: error.message, mend }] };
}

function intervalSeconds(text: string): number {
  const value = Number(text);
  if (value >= LEAST_SECONDS && value <= MOST_SECONDS) return value;
  throw new InvalidArgumentError(`Expected seconds from ${LEAST_SECONDS} to ${MOST_SECONDS}.`);
}
