/** Measures the functions of texts in the grammars that have a table for it. */
import type { Language } from 'web-tree-sitter';
import { type CompiledRules, compileRules } from './function-rules.js';
import { functionTableOf } from './function-tables.js';
import { measureFunctions, type TreeMeasure } from './measure-functions.js';
import type { ParseFailure, ParseTask, TreeParser } from './tree-parser.js';

/** Measures one text after another. */
export type FunctionMeter = (
  text: string,
  task: Pick<ParseTask<unknown>, 'grammar' | 'maxSteps'>,
) => TreeMeasure | ParseFailure;

/** Creates the meter of one thread; the grammars it is asked about must have been loaded and have a table. */
export function createFunctionMeter(parser: TreeParser): FunctionMeter {
  const compiled = new Map<string, CompiledRules>();

  function rulesOf(grammar: string, language: Language): CompiledRules {
    const seen = compiled.get(grammar);
    if (seen) return seen;
    const table = functionTableOf(grammar);
    if (table === undefined) throw new TypeError(`There is no table of functions for ${grammar}.`);
    const rules = compileRules(table, language);
    compiled.set(grammar, rules);
    return rules;
  }

  return (text, task) =>
    parser.parse(text, {
      ...task,
      visit: (tree, walkPlaces) =>
        measureFunctions(tree, { text, compiled: rulesOf(task.grammar, tree.language), walkPlaces }),
    });
}
