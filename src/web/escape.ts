/** Foreign text inside an HTML page. */

/** Text for between tags and inside quoted attributes; control characters, which HTML forbids, are replaced. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '\u{fffd}')
    .replace(/[&<>"'`]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** JSON for inside a script element: nothing in it can end the element, open a comment or break a line of a script. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
