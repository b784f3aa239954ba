/** Takes a model's thinking out of its answer: drafts within it are no answer. */

const TAG = /<(\/?)(?:think|thinking|thought|reasoning)>/gi;

/**
 * The text without its thinking. Templates of some models swallow the opening tag: what stands before a closing tag that
 * was never opened is thinking too. Thinking that was never closed reaches to the end. Linear in the length of the text.
 */
export function withoutThinking(text: string): string {
  let kept: string[] = [];
  let from = 0;
  let thinking = false;
  for (const tag of text.matchAll(TAG)) {
    const closes = tag[1] === '/';
    if (closes && !thinking) kept = [];
    if (!closes && !thinking) kept.push(text.slice(from, tag.index));
    thinking = !closes;
    from = tag.index + tag[0].length;
  }
  return thinking ? kept.join('\n') : [...kept, text.slice(from)].join('\n');
}
