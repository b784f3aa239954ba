/** The form of a text file that a model does not see and must not lose: byte order mark, line ends, final line break. */

/** A text in the plain form that is shown to a model, and the form to bring it back to. */
export interface PlainText {
  /** Lines end in `\n`; no byte order mark. */
  readonly body: string;
  readonly form: TextForm;
}

/** See `PlainText`. */
export interface TextForm {
  readonly mark: '' | '\uFEFF';
  readonly lineEnd: '\n' | '\r\n';
  /** Whether the last line is ended; a text of no lines is not. */
  readonly ended: boolean;
}

/** What a file's bytes hold, or why they cannot be rewritten and be in the same form again. */
export type ReadText = ({ readonly ok: true } & PlainText) | { readonly ok: false; readonly reason: string };

/** Reads UTF-8 with one kind of line ends. */
export function readText(bytes: Buffer): ReadText {
  if (bytes.includes(0)) return { ok: false, reason: 'binary' };
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return { ok: false, reason: 'not UTF-8' };
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const rest = text.slice(mark.length);
  const body = rest.replaceAll('\r\n', '\n');
  const pairs = rest.length - body.length;
  const breaks = body.split('\n').length - 1;
  if (body.includes('\r') || (pairs > 0 && pairs < breaks)) return { ok: false, reason: 'mixed line ends' };
  return { ok: true, body, form: { mark, lineEnd: pairs > 0 ? '\r\n' : '\n', ended: body.endsWith('\n') } };
}

/** An answer's text in plain form, its end as the file has it: models are careless about line ends and the last break. */
export function plainAnswer(answer: string, { ended }: TextForm): string {
  const body = answer.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const bare = body.replace(/\n+$/, '');
  if (!ended) return bare;
  return bare === '' ? '' : `${bare}\n`;
}

/** The bytes of a plain text in a file's form. */
export function bytesIn({ mark, lineEnd }: TextForm, body: string): Buffer {
  return Buffer.from(mark + (lineEnd === '\n' ? body : body.replaceAll('\n', lineEnd)));
}
