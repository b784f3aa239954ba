/** The shape of a language row; the rows themselves stand in the tables beside this file. */
import type { Syntax } from '../lexer/syntax.js';

/** One language: how its files are told and how its lines are counted. */
export interface Language {
  readonly name: string;
  /** Space-separated endings without their first dot, such as `d.ts ts`; matched exactly, then in lower case. */
  readonly extensions?: string;
  /** Space-separated whole file names; matched exactly, then in lower case. */
  readonly filenames?: string;
  /** Space-separated interpreters of a shebang line, without version. */
  readonly interpreters?: string;
  /** Absent where only blank lines are told from others. */
  readonly syntax?: Syntax;
}
