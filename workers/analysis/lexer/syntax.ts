/** The vocabulary a language row uses to describe its comments, strings and other line-crossing constructs. */

/** Where a mark holds. `alone` means nothing else stands on its line; `spaced` that white space or a separator precedes; `start` that the text begins with it; `prose` that nothing but white space stands before it and no `>` at the start of the line. */
export type Place =
  | 'prose'
  | 'anywhere'
  | 'start'
  | 'column0'
  | 'column6'
  | 'indent'
  | 'alone'
  | 'spaced'
  | 'word'
  | 'nondigit';

/** A mark with the conditions on its surroundings; sets of characters are written as plain strings. */
export interface Mark {
  readonly place?: Place;
  readonly ignoreCase?: boolean;
  /** The character after the mark must not be one of these. */
  readonly notBefore?: string;
  /** The character before the mark must not be one of these. */
  readonly notAfter?: string;
}

/** A comment up to the end of its line; `continues` when a trailing backslash carries it on to the next line. */
export interface LineMark extends Mark {
  readonly mark: string;
  readonly continues?: boolean;
  /** The lines below that are indented further belong to the comment. */
  readonly indented?: boolean;
}

/** A comment between two marks; with `closePlace` the closing mark counts only there and its whole line is comment. */
export interface BlockMark extends Mark {
  readonly open: string;
  readonly close: string;
  readonly nests?: boolean;
  readonly closePlace?: 'column0' | 'indent' | 'alone';
}

/** A string literal. */
export interface TextMark extends Mark {
  readonly open: string;
  readonly close: string;
  /** The escape character, usually a backslash; absent when there is none. One of several bytes guards the closing mark alone. */
  readonly escape?: string;
  /** The closing mark written twice stands for itself. */
  readonly doubled?: boolean;
  readonly multiline?: boolean;
  /** A literal that is a whole statement is documentation and counts as comment. */
  readonly doc?: boolean;
  /** What opens an embedded expression, such as `${`; its own closing bracket ends it. */
  readonly interpolate?: string;
  /** A closing mark counts only where this holds: PowerShell's `"@` stands at the start of a line. */
  readonly closePlace?: 'column0' | 'indent';
}

/** A raw string whose closing mark repeats the fence of its opening: Rust `r#"…"#`, Lua `[==[…]==]`. */
export interface FenceMark extends Mark {
  readonly open: string;
  readonly fence: string;
  readonly quote: string;
  readonly close: string;
  /** What ends the closing mark, after the fence. */
  readonly tail?: string;
  readonly comment?: boolean;
  readonly minimum?: number;
}

/** A raw string whose closing mark repeats a word of its opening: C++ `R"x(…)x"`, PostgreSQL `$x$…$x$`. */
export interface TagMark extends Mark {
  readonly open: string;
  readonly quote: string;
  readonly close: string;
  readonly tail: string;
}

/** How a here-document is announced: the mark, then flags, then a word that may be quoted. */
export interface HeredocMark {
  readonly mark: string;
  /** Characters that may stand between mark and word, such as `-~`. */
  readonly flags: string;
  /** Whether white space may stand between mark and word. */
  readonly spaces?: boolean;
  /** Whether the closing word may be indented without a flag. */
  readonly indented?: boolean;
  /** Whether an unquoted word must begin with a capital or underscore unless a flag was given. */
  readonly capital?: boolean;
}

/** An element whose body is written in another language, named by its `lang` or `type`. */
export interface ElementMark {
  readonly tag: string;
  /** The language where the element names none; without it such an element is no part of its own. */
  readonly label?: string;
  /** Its tags count only at the start of a line, so that those of the same name within it do not. */
  readonly place?: 'column0';
}

/** A block between rows of at least three marks, each alone on its line; the word behind the first names the language. */
export interface CodeBlockMark {
  readonly mark: string;
  /** The language where no word names one. */
  readonly label?: string;
  readonly place?: Place;
}

/** Everything the scanner must know of a language; a language with none of it has no comments. */
export interface Syntax {
  readonly line?: readonly (string | LineMark)[];
  readonly block?: readonly BlockMark[];
  readonly text?: readonly TextMark[];
  readonly fences?: readonly FenceMark[];
  readonly tags?: readonly TagMark[];
  readonly heredoc?: HeredocMark;
  /** Marks of a literal of exactly one character, told from a lone apostrophe by its end. */
  readonly chars?: string;
  /** Characters that take the next one along, outside any string. */
  readonly escapes?: string;
  /** Slash-delimited regular expressions where an operand may stand. */
  readonly regex?: 'script' | 'ruby';
  /** Quote-like operators with a free choice of delimiter. */
  readonly quotes?: 'perl' | 'ruby';
  /** YAML's literal and folded scalars, whose body is told by indentation. */
  readonly scalars?: boolean;
  readonly elements?: readonly ElementMark[];
  readonly codeBlocks?: readonly CodeBlockMark[];
  /** A line of exactly this word ends the program; what follows is comment. */
  readonly ends?: readonly string[];
  /** All other characters are comment; where a place is given, each line that begins with one there. */
  readonly remarks?: { readonly code: string; readonly place?: Place };
  /** A character before every line of the text that is no part of it, as exports have it. */
  readonly margin?: string;
}
