/** What passes between the owner of syntax threads and these. */
import type { FileToMeasure, MeterAnswer } from '../complexity/measure-file.js';
import type { TreeMeasure } from './measure-functions.js';
import type { ParseFailure } from './tree-parser.js';

/** A question about a text: the number of its errors, or its functions and their complexity. */
export interface TextRequest {
  readonly question: 'errors' | 'functions';
  readonly grammar: string;
  readonly text: string;
  readonly maxSteps: number;
}

/** A request; answered by exactly one response, unless the thread dies of it. */
export type SyntaxRequest = TextRequest | ({ readonly question: 'file' } & FileToMeasure);

/** What a request is answered with, under the name of its question. */
export type SyntaxAnswer =
  | { readonly question: 'errors'; readonly value: number | ParseFailure }
  | { readonly question: 'functions'; readonly value: TreeMeasure | ParseFailure }
  | { readonly question: 'file'; readonly value: MeterAnswer };

/** A response; a worn thread is to be replaced before the next request. */
export interface SyntaxResponse {
  readonly answer: SyntaxAnswer;
  readonly worn: boolean;
}
