/** `jobs logs`: tells what a job told, and with `--follow` what it tells from now on. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { LOG_START, type StoredEvent } from '../core/events.js';
import type { CommandContext } from './command.js';
import { exitCodeOf, listenForInterrupts } from './interrupts.js';
import { finishJobCommand, withOperator } from './operator-command.js';
import type { Operator, Terminal } from './ports.js';
import type { OptionValues } from './settings.js';
import { emphasis, plainText } from './table.js';

interface LogsOptions extends OptionValues {
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly after?: string;
}

/** Adds the command to the group. */
export function addJobLogs(group: Command, context: CommandContext): void {
  const command = group
    .command('logs')
    .summary("tell a job's events")
    .description(
      'Tells the stored events of a job: its states, progress, log messages and questions. With --follow it goes on live ' +
        'until the job ends; Ctrl-C ends the telling and leaves the job alone. With --json, one document a line.',
    )
    .argument('<id>', 'the job')
    .option('-f, --follow', 'go on until the job ends')
    .addOption(new Option('--after <cursor>', 'only what came after the event with this cursor').argParser(cursorOf));
  finishJobCommand(
    command,
    '  longhaul jobs logs job_...\n  longhaul jobs logs -f job_... --json | jq -r \'select(.type == "log") | .data\'',
  );
  command.action((id: string, options: LogsOptions) =>
    withOperator(context, options, (operator, terminal) => tellLog(operator, terminal, { id, options })),
  );
}

async function tellLog(
  operator: Operator,
  terminal: Terminal,
  { id, options }: { readonly id: string; readonly options: LogsOptions },
): Promise<number | undefined> {
  const { follow, json, after: cursor = LOG_START } = options;
  const tell = async (event: StoredEvent) => {
    await terminal.out(json ? JSON.stringify(eventJson(event)) : eventLine(event, terminal.colour));
    if (event.event.type === 'outcome' && !json) await tellEnd(operator, terminal, id);
  };
  if (!follow) {
    for (const event of await operator.log(id, cursor)) await tell(event);
    return undefined;
  }
  const interrupts = listenForInterrupts(() => undefined);
  try {
    for await (const event of operator.follow(id, { signal: interrupts.signal, cursor })) await tell(event);
  } finally {
    interrupts.close();
  }
  const by = interrupts.heard();
  return by === undefined ? undefined : exitCodeOf(by);
}

/** The event of the end does not say why. */
async function tellEnd(operator: Operator, terminal: Terminal, id: string): Promise<void> {
  const { outcome } = await operator.show(id);
  if (outcome?.state === 'failed') terminal.err(plainText(`${outcome.error.code}: ${outcome.error.message}`));
  if (outcome?.state === 'cancelled') terminal.err(plainText(outcome.reason));
}

/** An event for programs; `cursor` goes to `--after`. */
function eventJson({ cursor, atMs, event }: StoredEvent) {
  return { cursor, at: new Date(atMs).toISOString(), ...event };
}

/** An event as one line. */
export function eventLine({ atMs, event }: StoredEvent, colour: boolean): string {
  const { faint } = emphasis(colour);
  const [kind, text] = wordsOf(event);
  return `${faint(new Date(atMs).toISOString())}  ${kind.padEnd(8)}  ${plainText(text)}`.trimEnd();
}

function wordsOf(event: StoredEvent['event']): readonly [kind: string, text: string] {
  switch (event.type) {
    case 'progress': {
      const { progress, total, message = '' } = event;
      const done = total ? `${Math.floor((100 * progress) / total)}%` : String(progress);
      return ['progress', `${done.padStart(4)}  ${message}`];
    }
    case 'log': {
      const { level, logger, data } = event;
      return [level, `${logger}: ${typeof data === 'string' ? data : JSON.stringify(data)}`];
    }
    case 'state':
      return ['state', event.attempt > 1 ? `${event.state} (attempt ${event.attempt})` : event.state];
    case 'question':
    case 'answer':
      return [event.type, event.key];
    case 'outcome':
      return ['outcome', event.state];
  }
}

function cursorOf(text: string): string {
  if (/^\d{1,20}-\d{1,20}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the cursor of an event, as --json tells it.');
}
