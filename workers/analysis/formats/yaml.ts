/** Parses YAML with every scalar as text, as lock files mean versions: `1.10` is no number. */
import { FAILSAFE_SCHEMA, load, YAMLException } from 'js-yaml';
import { FormatFault } from './fault.js';

/** Lock files nest some five deep and use hardly any aliases: what needs more is refused before it costs anything. */
const LIMITS = { maxDepth: 50, maxAliases: 1000 };

/** Parses one document; throws a `FormatFault`. Aliases share their value, so that a bomb of aliases stays small. */
export function parseYaml(text: string): unknown {
  try {
    return load(text, { schema: FAILSAFE_SCHEMA, ...LIMITS });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw new FormatFault('This is not YAML.');
    const { mark, reason } = error;
    throw new FormatFault(`This is not YAML: ${reason}.`, mark ? { line: mark.line + 1, column: mark.column + 1 } : {});
  }
}
