/** `jobs list|show|cancel|retry|logs`: the operator's view of everybody's jobs, straight from the store. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { AppError } from '../core/errors.js';
import { JOB_STATES, type JobState } from '../core/job.js';
import type { ListQuery } from '../core/ports.js';
import type { CommandContext } from './command.js';
import { EXIT_HELP, jsonText } from './exit.js';
import { addJobLogs } from './job-logs-command.js';
import { finishJobCommand, withOperator } from './operator-command.js';
import type { Operator, Terminal } from './ports.js';
import { detailJson, nextCursor, pageJson, readCursor, renderDetail, renderPage } from './render-jobs.js';
import { nextOffset, renderSection, sectionJson } from './render-section.js';
import type { OptionValues } from './settings.js';
import { emphasis } from './table.js';

const DEFAULT_LIMIT = 20;
const HIGHEST_LIMIT = 1_000;
const PAGE_ROWS = 100;
const HIGHEST_PAGE_ROWS = 100_000;
const HIGHEST_OFFSET = 1_000_000_000;

interface ListOptions extends OptionValues {
  readonly state?: readonly JobState[];
  readonly tool?: string;
  readonly limit: number;
  readonly cursor?: NonNullable<ListQuery['after']>;
}

/** Adds the group. */
export function addJobsCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('jobs')
    .summary('list, show, cancel, retry and follow jobs')
    .description('Looks after the jobs of this installation, whoever submitted them.')
    .addHelpText(
      'after',
      `${EXIT_HELP}\n\nExamples:\n  longhaul jobs list --state active\n  longhaul jobs logs -f job_...`,
    );
  addList(group, context);
  addShow(group, context);
  addCancel(group, context);
  addRetry(group, context);
  addJobLogs(group, context);
}

function addList(group: Command, context: CommandContext): void {
  const command = group
    .command('list')
    .summary('list jobs, newest first')
    .description('Lists jobs, newest first.')
    .addOption(
      new Option('--state <state>', `only jobs in this state (repeatable): ${JOB_STATES.join(', ')}`).argParser(states),
    )
    .option('--tool <name>', 'only jobs of this tool')
    .addOption(new Option('--limit <n>', 'jobs in one page').default(DEFAULT_LIMIT).argParser(whole(1, HIGHEST_LIMIT)))
    .addOption(new Option('--cursor <cursor>', 'the page that the last one ended with').argParser(cursor));
  finishJobCommand(command, '  longhaul jobs list\n  longhaul jobs list --state failed --json | jq -r .jobs[].job_id');
  command.action((options: ListOptions) =>
    withOperator(context, options, async (operator, terminal) => {
      const { state, tool, limit, cursor } = options;
      const page = await operator.list({
        limit,
        ...(state && { states: state }),
        ...(tool !== undefined && { tool }),
        ...(cursor && { after: cursor }),
      });
      if (options.json) return await terminal.out(jsonText(pageJson(page)));
      await terminal.out(renderPage(page, emphasis(terminal.colour, terminal.columns), Date.now()));
      const next = nextCursor(page);
      if (next !== undefined) terminal.err(`More: add --cursor ${next}`);
    }),
  );
}

function addShow(group: Command, context: CommandContext): void {
  const command = group
    .command('show')
    .summary('show a job and its result')
    .description('Shows a job: its request, its attempts and, once it ended, its result or error.')
    .argument('<id>', 'the job')
    .option('--section <name>', 'a page of this table instead, such as files of a scan')
    .addOption(new Option('--offset <n>', 'with --section: rows to pass over').argParser(whole(0, HIGHEST_OFFSET)))
    .addOption(new Option('--limit <n>', `with --section: rows (${PAGE_ROWS})`).argParser(whole(1, HIGHEST_PAGE_ROWS)));
  finishJobCommand(
    command,
    '  longhaul jobs show job_...\n  longhaul jobs show job_... --json | jq .result\n' +
      '  longhaul jobs show job_... --section files --offset 1000 --limit 1000',
  );
  command.action((id: string, options: ShowOptions) =>
    withOperator(context, options, async (operator, terminal) => {
      if (wantsPage(options)) return await showPage(operator, terminal, { id, options });
      const job = await operator.show(id);
      await terminal.out(options.json ? jsonText(detailJson(job)) : renderDetail(job, terminal.colour));
    }),
  );
}

interface ShowOptions extends OptionValues {
  readonly section?: string;
  readonly offset?: number;
  readonly limit?: number;
}

function wantsPage(options: ShowOptions): options is ShowOptions & { readonly section: string } {
  if (options.section !== undefined) return true;
  if (options.offset === undefined && options.limit === undefined) return false;
  throw new AppError('invalid_arguments', '--offset and --limit need --section: name the table to read.');
}

async function showPage(
  operator: Operator,
  terminal: Terminal,
  { id, options }: { readonly id: string; readonly options: ShowOptions & { readonly section: string } },
): Promise<void> {
  const { section, offset = 0, limit = PAGE_ROWS } = options;
  const page = await operator.table(id, { section, offset, limit });
  if (options.json) return await terminal.out(jsonText(sectionJson(id, page)));
  await terminal.out(renderSection(page, terminal.colour));
  const next = nextOffset(page);
  if (next !== undefined) terminal.err(`More: add --offset ${next}`);
}

function addCancel(group: Command, context: CommandContext): void {
  const command = group
    .command('cancel')
    .summary('cancel a job')
    .description('Cancels a job, whatever it is doing. One that has ended stays as it is.')
    .argument('<id>', 'the job')
    .option('--reason <text>', 'kept with the job', 'cancelled by the operator');
  finishJobCommand(command, '  longhaul jobs cancel job_... --reason "wrong folder"');
  command.action((id: string, options: OptionValues & { readonly reason: string }) =>
    withOperator(context, options, async (operator, terminal) => {
      const done = await operator.cancel(id, options.reason);
      const ended = done.kind === 'already_ended';
      const state = ended ? done.state : 'cancelled';
      if (options.json) return await terminal.out(jsonText({ job_id: done.id, state, already_ended: ended }));
      await terminal.out(ended ? `Job ${done.id} had already ended: ${state}.` : `Job ${done.id} is cancelled.`);
    }),
  );
}

function addRetry(group: Command, context: CommandContext): void {
  const command = group
    .command('retry')
    .summary('run an ended job again')
    .description("Runs an ended job's request again, as a new job of the same owner, and prints its id.")
    .argument('<id>', 'the job');
  finishJobCommand(command, '  longhaul jobs retry job_...');
  command.action((id: string, options: OptionValues) =>
    withOperator(context, options, async (operator, terminal) => {
      const again = await operator.retry(id);
      await terminal.out(options.json ? jsonText({ job_id: again, retry_of: id }) : again);
    }),
  );
}

function states(text: string, earlier: readonly JobState[] | undefined): JobState[] {
  const found = JOB_STATES.find((state) => state === text);
  if (found) return [...(earlier ?? []), found];
  throw new InvalidArgumentError(`Expected one of ${JOB_STATES.join(', ')}.`);
}

function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

function cursor(text: string): NonNullable<ListQuery['after']> {
  const place = readCursor(text);
  if (place) return place;
  throw new InvalidArgumentError('Expected the cursor that the page before ended with.');
}
