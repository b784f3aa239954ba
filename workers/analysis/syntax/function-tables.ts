/** What functions are made of in each grammar; docs/metrics.md tells the rules in words. */
import type { FunctionRules } from './function-rules.js';

const script: FunctionRules = {
  functions:
    'function_declaration generator_function_declaration function_expression generator_function arrow_function method_definition',
  namers: 'variable_declarator pair assignment_expression',
  classes: 'class_body object',
  ifs: 'if_statement',
  branches: 'for_statement for_in_statement while_statement do_statement catch_clause ternary_expression',
  switches: 'switch_statement',
  elses: 'else_clause',
  jumps: 'break_statement>statement_identifier continue_statement>statement_identifier',
  decisions:
    'switch_case optional_chain binary_expression>&& binary_expression>|| binary_expression>?? ' +
    'augmented_assignment_expression>&&= augmented_assignment_expression>||= augmented_assignment_expression>??= ' +
    'assignment_pattern object_assignment_pattern',
  binaries: 'binary_expression',
  operators: 'binary_expression>&& binary_expression>||',
  parentheses: 'parenthesized_expression',
  calls: 'call_expression',
  namespaces: true,
};

const javascript = { ...script, namers: `${script.namers} field_definition` };
const typescript = {
  ...script,
  namers: `${script.namers} public_field_definition`,
  decisions: `${script.decisions} required_parameter>= call_expression>?.`,
};

const c: FunctionRules = {
  functions: 'function_definition',
  apart: true,
  bareCalls: true,
  ifs: 'if_statement',
  branches: 'for_statement while_statement do_statement conditional_expression',
  switches: 'switch_statement',
  elses: 'else_clause',
  jumps: 'goto_statement',
  decisions: 'case_statement>case binary_expression>&& binary_expression>||',
  binaries: 'binary_expression',
  operators: 'binary_expression>&& binary_expression>||',
  parentheses: 'parenthesized_expression',
  calls: 'call_expression',
};

const cpp: FunctionRules = {
  ...c,
  apart: false,
  lambdas: 'lambda_expression',
  branches: `${c.branches} for_range_loop catch_clause`,
  decisions: `${c.decisions} binary_expression>and binary_expression>or`,
  operators: `${c.operators} binary_expression>and binary_expression>or`,
};

const java: FunctionRules = {
  functions: 'method_declaration constructor_declaration compact_constructor_declaration',
  lambdas: 'lambda_expression',
  bareCalls: true,
  ifs: 'if_statement',
  branches: 'for_statement enhanced_for_statement while_statement do_statement catch_clause ternary_expression',
  switches: 'switch_expression',
  elses: 'if_statement>else',
  jumps: 'break_statement>identifier continue_statement>identifier',
  decisions: 'switch_label>case binary_expression>&& binary_expression>||',
  binaries: 'binary_expression',
  operators: 'binary_expression>&& binary_expression>||',
  parentheses: 'parenthesized_expression',
  calls: 'method_invocation',
};

const csharp: FunctionRules = {
  functions:
    'method_declaration constructor_declaration destructor_declaration operator_declaration ' +
    'conversion_operator_declaration accessor_declaration local_function_statement',
  lambdas: 'lambda_expression anonymous_method_expression',
  bareCalls: true,
  ifs: 'if_statement',
  branches: 'for_statement foreach_statement while_statement do_statement catch_clause conditional_expression',
  switches: 'switch_statement switch_expression',
  elses: 'if_statement>else',
  jumps: 'goto_statement',
  decisions: 'switch_section>case switch_expression_arm binary_expression>&& binary_expression>|| binary_expression>??',
  discounts: 'switch_expression',
  binaries: 'binary_expression',
  operators: 'binary_expression>&& binary_expression>||',
  parentheses: 'parenthesized_expression',
  calls: 'invocation_expression',
};

const go: FunctionRules = {
  functions: 'function_declaration method_declaration',
  lambdas: 'func_literal',
  bareCalls: true,
  ifs: 'if_statement',
  branches: 'for_statement',
  switches: 'expression_switch_statement type_switch_statement select_statement',
  elses: 'if_statement>else',
  jumps: 'goto_statement break_statement>label_name continue_statement>label_name',
  decisions: 'expression_case type_case communication_case binary_expression>&& binary_expression>||',
  binaries: 'binary_expression',
  operators: 'binary_expression>&& binary_expression>||',
  parentheses: 'parenthesized_expression',
  calls: 'call_expression',
};

const rust: FunctionRules = {
  functions: 'function_item',
  lambdas: 'closure_expression',
  classes: 'impl_item trait_item',
  ifs: 'if_expression',
  branches: 'for_expression while_expression',
  switches: 'match_expression loop_expression',
  elses: 'else_clause',
  jumps: 'break_expression>label continue_expression>label',
  decisions: 'match_arm let_declaration>else binary_expression>&& binary_expression>||',
  discounts: 'match_expression',
  binaries: 'binary_expression',
  operators: 'binary_expression>&& binary_expression>||',
  parentheses: 'parenthesized_expression',
  calls: 'call_expression',
};

const python: FunctionRules = {
  functions: 'function_definition',
  lambdas: 'lambda',
  classes: 'class_definition',
  ifs: 'if_statement',
  branches: 'for_statement while_statement except_clause conditional_expression',
  switches: 'match_statement',
  elifs: 'elif_clause',
  elses: 'if_statement>else_clause',
  elseIf: false,
  decisions: 'for_in_clause if_clause case_clause boolean_operator>and boolean_operator>or',
  binaries: 'boolean_operator',
  operators: 'boolean_operator>and boolean_operator>or',
  parentheses: 'parenthesized_expression',
  calls: 'call',
  wrappers: 'function_definition decorated_definition return_statement comment',
};

const ruby: FunctionRules = {
  functions: 'method singleton_method',
  lambdas: 'lambda',
  bareCalls: true,
  ifs: 'if unless',
  branches:
    'if_modifier unless_modifier while until for while_modifier until_modifier rescue rescue_modifier conditional',
  switches: 'case case_match',
  elifs: 'elsif',
  elses: 'if>else elsif>else unless>else',
  elseIf: false,
  decisions: 'when in_clause binary>&& binary>|| binary>and binary>or',
  binaries: 'binary',
  operators: 'binary>&& binary>|| binary>and binary>or',
  parentheses: 'parenthesized_statements',
  calls: 'call',
};

const php: FunctionRules = {
  functions: 'function_definition method_declaration',
  lambdas: 'anonymous_function arrow_function',
  classes: 'class_declaration trait_declaration interface_declaration enum_declaration',
  ifs: 'if_statement',
  branches: 'for_statement foreach_statement while_statement do_statement catch_clause conditional_expression',
  switches: 'switch_statement match_expression',
  elifs: 'else_if_clause',
  elses: 'else_clause',
  jumps: 'goto_statement break_statement>integer continue_statement>integer',
  decisions:
    'case_statement match_conditional_expression binary_expression>&& binary_expression>|| binary_expression>and ' +
    'binary_expression>or binary_expression>??',
  binaries: 'binary_expression',
  operators: 'binary_expression>&& binary_expression>|| binary_expression>and binary_expression>or',
  parentheses: 'parenthesized_expression',
  calls: 'function_call_expression member_call_expression scoped_call_expression',
};

const bash: FunctionRules = {
  functions: 'function_definition',
  bareCalls: true,
  ifs: 'if_statement',
  branches: 'for_statement c_style_for_statement while_statement ternary_expression',
  switches: 'case_statement',
  elifs: 'elif_clause',
  elses: 'else_clause',
  elseIf: false,
  decisions: 'case_item list>&& list>|| binary_expression>&& binary_expression>||',
  binaries: 'list binary_expression',
  operators: 'list>&& list>|| binary_expression>&& binary_expression>||',
  parentheses: 'parenthesized_expression',
  calls: 'command',
};

const swift: FunctionRules = {
  functions: 'function_declaration init_declaration deinit_declaration',
  lambdas: 'lambda_literal',
  bareCalls: true,
  ifs: 'if_statement',
  branches: 'guard_statement for_statement while_statement repeat_while_statement catch_block ternary_expression',
  switches: 'switch_statement',
  elses: 'if_statement>else',
  decisions: 'switch_entry>case conjunction_expression disjunction_expression nil_coalescing_expression',
  binaries: 'conjunction_expression disjunction_expression',
  operators: 'conjunction_expression>&& disjunction_expression>||',
  calls: 'call_expression',
};

/** By the last part of a grammar's name. */
const tables: Readonly<Record<string, FunctionRules>> = {
  javascript,
  typescript,
  tsx: typescript,
  python,
  go,
  java,
  c,
  cpp,
  'c-sharp': csharp,
  rust,
  ruby,
  php,
  bash,
  swift,
};

/** The table for a grammar; undefined where its functions cannot be measured. */
export function functionTableOf(grammar: string): FunctionRules | undefined {
  return tables[nameOf(grammar)];
}

/** Whether the functions of a grammar can be measured. */
export function hasFunctionTable(grammar: string): boolean {
  return functionTableOf(grammar) !== undefined;
}

/** `…/tree-sitter-c-sharp.wasm` is `c-sharp`. */
function nameOf(grammar: string): string {
  return grammar.slice(grammar.lastIndexOf('/tree-sitter-') + '/tree-sitter-'.length, -'.wasm'.length);
}
