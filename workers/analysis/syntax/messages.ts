/** What passes between the syntax service and its threads. */
import type { ParseFailure } from './tree-parser.js';

/** A request; answered by exactly one response, unless the thread dies of it. */
export type SyntaxRequest = {
  readonly kind: 'errors';
  readonly grammar: string;
  readonly text: string;
  readonly timeoutMs: number;
};

/** What a request may be answered with. */
export type SyntaxAnswer = { readonly kind: 'errors'; readonly errors: number | ParseFailure };

/** A response; a worn thread is to be replaced before the next request. */
export interface SyntaxResponse {
  readonly answer: SyntaxAnswer;
  readonly worn: boolean;
}
