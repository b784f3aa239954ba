/** Records where a scan met comments and literals, for those who read the code between them. */

/** The span is a comment. */
export const COMMENT_SPAN = 0;
/** The span is a literal: a string, a character, a regular expression, the body of a here-document. */
export const LITERAL_SPAN = 1;

/** The spans of one text in ascending order, none within another; memory is kept from text to text. */
export interface Spans {
  readonly count: number;
  /** Forgets what was recorded. */
  clear(): void;
  add(kind: number, start: number, end: number): void;
  kind(index: number): number;
  start(index: number): number;
  end(index: number): number;
}

const FIRST_CAPACITY = 1024;
const FIELDS = 3;

/** Creates an empty record. */
export function createSpans(): Spans {
  let fields = new Uint32Array(FIRST_CAPACITY * FIELDS);
  let count = 0;

  function add(kind: number, start: number, end: number): void {
    if (end <= start) return;
    if ((count + 1) * FIELDS > fields.length) {
      const grown = new Uint32Array(2 * fields.length);
      grown.set(fields);
      fields = grown;
    }
    const at = count * FIELDS;
    fields[at] = kind;
    fields[at + 1] = start;
    fields[at + 2] = end;
    count += 1;
  }

  return {
    get count() {
      return count;
    },
    clear() {
      count = 0;
    },
    add,
    kind: (index) => fields[index * FIELDS] ?? COMMENT_SPAN,
    start: (index) => fields[index * FIELDS + 1] ?? 0,
    end: (index) => fields[index * FIELDS + 2] ?? 0,
  };
}
