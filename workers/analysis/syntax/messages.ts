/** What passes between the syntax service and its threads. */
import type { TreeMeasure } from './measure-functions.js';
import type { ParseFailure } from './tree-parser.js';

/** What can be asked about a text. */
export interface Questions {
  /** How many places do not follow the grammar. */
  readonly errors: number;
  /** The functions and their complexity. */
  readonly functions: TreeMeasure;
}

/** A request; answered by exactly one response, unless the thread dies of it. */
export interface SyntaxRequest {
  readonly question: keyof Questions;
  readonly grammar: string;
  readonly text: string;
  readonly timeoutMs: number;
}

/** What a request is answered with, under the name of its question. */
export type SyntaxAnswer =
  | { readonly question: 'errors'; readonly value: Questions['errors'] | ParseFailure }
  | { readonly question: 'functions'; readonly value: Questions['functions'] | ParseFailure };

/** A response; a worn thread is to be replaced before the next request. */
export interface SyntaxResponse {
  readonly answer: SyntaxAnswer;
  readonly worn: boolean;
}
