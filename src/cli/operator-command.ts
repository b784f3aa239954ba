/** What the commands about jobs share: their options, and how they reach the installation. */
import type { Command } from 'commander';
import { type CommandContext, configureQuietly, runAction } from './command.js';
import { EXIT, EXIT_HELP } from './exit.js';
import type { Operator, Terminal } from './ports.js';
import { BACKEND_OPTIONS, type OptionValues, settingOptions } from './settings.js';

/** Adds the options of all of them, and help that ends with `examples`. */
export function finishJobCommand(command: Command, examples: string): void {
  command.option('--json', 'print one JSON document');
  for (const option of settingOptions(BACKEND_OPTIONS)) command.addOption(option);
  command.addHelpText('after', `${EXIT_HELP}\n\nExamples:\n${examples}`);
}

/** Runs `use` over the installation that the options name; the exit code is the number it gives, or 0. */
export function withOperator(
  context: CommandContext,
  options: OptionValues,
  use: (operator: Operator, terminal: Terminal) => Promise<unknown>,
): Promise<void> {
  const { ports } = context;
  return runAction(context, options, async () => {
    const { config } = configureQuietly(ports, options);
    const code = await ports.withOperator(config, (operator) => use(operator, ports.terminal));
    return typeof code === 'number' ? code : EXIT.success;
  });
}
