/** `analyze`: has a folder counted by the tool, prints it as a table and writes it as reports. */
import { parse, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { resolveAllowedFolder } from '../core/allowed-folders.js';
import { AppError } from '../core/errors.js';
import { bytesText } from '../core/figures.js';
import type { MetricTables } from '../report/analysis.js';
import { SORT_KEYS, type SortKey } from '../report/arrange.js';
import { formatOf, KNOWN_EXTENSIONS } from '../report/formats.js';
import { jsonDocument } from '../report/json.js';
import { addCallOptions, type CallOptions, callWith } from './call-options.js';
import { type CommandContext, runAction } from './command.js';
import { EXIT_HELP } from './exit.js';
import { type FileTable, fetchFileTable } from './file-table.js';
import { gatherReport } from './gather-report.js';
import { fetchMetricTables } from './metric-tables.js';
import type { CliPorts } from './ports.js';
import { renderAnalysis } from './render-analysis.js';
import { checkTarget, writeReportFile } from './report-files.js';
import { BACKEND_OPTIONS } from './settings.js';
import { showEnd, shownText, structuredOf } from './show-result.js';

const ANALYZE_HELP = `${EXIT_HELP}

Reports are written whole or not at all, and replace an earlier one; the table is printed all the same.
With --url, the path is looked up by that server: absolute, or relative to its first allowed folder.

Examples:
  longhaul analyze
  longhaul analyze ~/src/linux --exclude 'drivers/**' --sort lines --top 10
  longhaul analyze . --by-file --top 20
  longhaul analyze . --metrics complexity,duplication
  longhaul analyze . --output report.html --output report.sarif
  longhaul analyze . --json | jq .totals.code
  longhaul analyze . --by-file --json | jq -r '.files[] | select(.lines > 500) | .path'`;

const METRICS_MEANING =
  'what to measure besides lines: complexity,duplication,dependencies,coverage,hotspots, or none; ' +
  'unless given, what the rows and reports asked for show';

/** Options as commander parses them. */
interface AnalyzeOptions extends CallOptions {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** False for `--no-gitignore`. */
  readonly gitignore: boolean;
  /** False for `--no-hidden`. */
  readonly hidden: boolean;
  readonly vendored?: boolean;
  readonly generated?: boolean;
  /** False for `--no-cache`. */
  readonly cache: boolean;
  readonly maxFileBytes?: number;
  readonly metrics?: readonly string[];
  readonly minLines?: number;
  readonly minTokens?: number;
  readonly maxCommits?: number;
  readonly sort: SortKey;
  readonly byFile?: boolean;
  readonly top?: number;
  readonly output?: readonly string[];
}

/** Adds the command. */
export function addAnalyzeCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('analyze')
    .summary('count the code of a folder')
    .description('Counts files, lines, code, comments and blanks of a folder by language (tool analyze_codebase).')
    .argument('[path]', 'folder to scan', folderName, '.')
    .addOption(new Option('--include <glob>', 'count only matching files (repeatable)').argParser(collect))
    .addOption(new Option('--exclude <glob>', 'leave out matching files (repeatable)').argParser(collect))
    .option('--no-gitignore', 'count what git ignores, too')
    .option('--no-hidden', 'leave out hidden files')
    .option('--vendored', 'count files that came from elsewhere, too')
    .option('--generated', 'count files that a program wrote, too')
    .option('--no-cache', 'read every file, even if it did not change since an earlier scan')
    .addOption(new Option('--max-file-bytes <n>', 'skip larger files').argParser(wholeNumber))
    .addOption(new Option('--metrics <names>', METRICS_MEANING).argParser(metricNames))
    .addOption(new Option('--min-lines <n>', 'least lines of a clone').argParser(wholeNumber))
    .addOption(new Option('--min-tokens <n>', 'least tokens of a clone').argParser(wholeNumber))
    .addOption(new Option('--max-commits <n>', 'newest commits that hotspots go by').argParser(wholeNumber))
    .addOption(new Option('--sort <key>', 'largest first, or by name').choices(SORT_KEYS).default('code'))
    .option('--by-file', 'tell files instead of languages')
    .addOption(new Option('--top <n>', 'show only the first rows').argParser(wholeNumber))
    .addOption(
      new Option('-o, --output <file>', `write a report: ${KNOWN_EXTENSIONS} (repeatable)`).argParser(reportFile),
    )
    .addHelpText('after', ANALYZE_HELP);
  addCallOptions(command, ['workers', 'concurrency', ...BACKEND_OPTIONS]);
  command.action((path: string, options: AnalyzeOptions) =>
    runAction(context, options, () => analyze(context.ports, path, options)),
  );
}

async function analyze(ports: CliPorts, path: string, options: AnalyzeOptions): Promise<number> {
  const { output = [], byFile = false } = options;
  for (const file of output) await checkTarget(file);
  const folder = options.url ? path : await localFolder(path);
  let files: FileTable | undefined;
  let tables: MetricTables | undefined;
  const wantsFiles = output.some((file) => formatOf(file)?.needsFiles);
  const wantsTables = output.some((file) => formatOf(file)?.needsTables);
  const end = await callWith(ports, options.url ? options : { ...options, root: [folder] }, {
    tool: 'analyze_codebase',
    args: analyzeArguments(folder, options),
    more: async (result, read) => {
      if (byFile || wantsFiles) files = await fileTable({ ports, byFile }, () => fetchFileTable(result, read));
      if (wantsTables) tables = await fetchMetricTables(result, read);
    },
  });
  const report =
    end.kind === 'result' && !end.result.isError
      ? await gatherReport(
          ports,
          { ...options, byFile, ...(files && { files }), ...(tables && { tables }) },
          end.result,
        )
      : undefined;
  for (const file of report ? output : []) {
    const text = (report && formatOf(file)?.render(report)) ?? '';
    await writeReportFile(file, text);
    ports.terminal.err(`Wrote ${file} (${bytesText(Buffer.byteLength(text))}).`);
  }
  return await showEnd(ports, options, end, {
    text: (result) =>
      report ? renderAnalysis(report, ports.terminal.colour, ports.terminal.columns) : shownText(ports, result),
    json: (result) => (report ? jsonDocument(report) : structuredOf(result)),
  });
}

/** Rows that only a map wants may be missing: it is of languages then, and says so. */
async function fileTable(
  { ports, byFile }: { readonly ports: CliPorts; readonly byFile: boolean },
  fetch: () => Promise<FileTable>,
): Promise<FileTable | undefined> {
  try {
    return await fetch();
  } catch (error) {
    if (byFile || !(error instanceof AppError)) throw error;
    ports.terminal.err(`warning: The map shows languages instead of files. ${error.message}`);
    return undefined;
  }
}

/** Refuses here what the server would refuse, before a server is started; any local folder may be scanned by its user. */
function localFolder(path: string): Promise<string> {
  const absolute = resolve(path);
  return resolveAllowedFolder(absolute, [parse(absolute).root]);
}

function analyzeArguments(path: string, options: AnalyzeOptions): Record<string, unknown> {
  const { include, exclude, maxFileBytes, minLines, minTokens, maxCommits } = options;
  const metrics = options.metrics ?? impliedMetrics(options);
  return {
    path,
    respect_gitignore: options.gitignore,
    use_cache: options.cache,
    ...classesOf(options),
    ...(include && { include }),
    ...(exclude && { exclude }),
    ...(maxFileBytes !== undefined && { max_file_bytes: maxFileBytes }),
    ...(metrics.length > 0 && { metrics }),
    ...(minLines !== undefined && { min_lines: minLines }),
    ...(minTokens !== undefined && { min_tokens: minTokens }),
    ...(maxCommits !== undefined && { max_commits: maxCommits }),
  };
}

/** Nothing unless something other than the server's default was asked for, which an older one does not know. */
function classesOf({ hidden, vendored = false, generated = false }: AnalyzeOptions): Record<string, unknown> {
  if (hidden && !vendored && !generated) return {};
  const classes = Object.entries({ hidden, vendored, generated }).flatMap(([name, wanted]) => (wanted ? [name] : []));
  return { classes };
}

/** What rows and reports would lack otherwise: people know files with their complexity from other counters. */
function impliedMetrics({ byFile, sort, output = [] }: AnalyzeOptions): readonly string[] {
  const shown = output.flatMap((file) => formatOf(file)?.metrics ?? []);
  return [...new Set([...(byFile || sort === 'complexity' ? ['complexity'] : []), ...shown])];
}

function collect(value: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

function reportFile(file: string, earlier: readonly string[] | undefined): string[] {
  if (formatOf(file)) return collect(file, earlier);
  throw new InvalidArgumentError(`Expected a file name that ends in one of ${KNOWN_EXTENSIONS}.`);
}

/** An empty name is a variable that was not set, hardly the folder one is in. */
function folderName(path: string): string {
  if (path !== '') return path;
  throw new InvalidArgumentError('Expected the name of a folder; "." is this one.');
}

/** Which names there are is for the server to say, which may be another version. */
function metricNames(text: string): string[] {
  const given = text.split(',').map((name) => name.trim());
  return given.filter((name) => name !== '' && name !== 'none');
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number of at least 1.');
}
