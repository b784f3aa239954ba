/** Parses TOML 1.0; a fault has its place. */
import { parse, TomlError } from 'smol-toml';
import type { Table } from './data.js';
import { FormatFault } from './fault.js';

/** Deeper structures are refused, before they could exhaust the stack. */
const MOST_DEPTH = 100;

/** Parses a document; throws a `FormatFault`. Numbers past the safe range come as big integers, which nobody here reads. */
export function parseToml(text: string): Table {
  try {
    return parse(text, { maxDepth: MOST_DEPTH, integersAsBigInt: 'asNeeded' });
  } catch (error) {
    if (error instanceof TomlError) {
      const [first = 'fault'] = error.message.replace('Invalid TOML document: ', '').split('\n');
      throw new FormatFault(`This is not TOML: ${first}.`, { line: error.line, column: error.column });
    }
    throw new FormatFault(`This is not TOML: ${error instanceof Error ? error.message.split('\n')[0] : 'fault'}.`);
  }
}
