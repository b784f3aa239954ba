/** Puts the values back where a model kept the placeholders of secrets, and refuses where it did not. */

const PLACEHOLDER = /\[REDACTED:[a-z0-9_]+:[0-9a-f]+\]/g;

/** Whether every placeholder of a text stands in another as often, and no other; otherwise the first that does not. */
export function strayPlaceholder(redacted: string, answer: string): string | undefined {
  const [before, after] = [countsOf(redacted), countsOf(answer)];
  return [...before.keys(), ...after.keys()].find((one) => before.get(one) !== after.get(one));
}

/**
 * The answer with its values, as `original` has them where `redacted` has their placeholders; undefined if the two cannot be
 * laid side by side, or one placeholder stands for two values.
 */
export function restoreValues(original: string, redacted: string, answer: string): string | undefined {
  const values = valuesOf(original, redacted);
  return values && answer.replace(PLACEHOLDER, (placeholder) => values.get(placeholder) ?? placeholder);
}

function valuesOf(original: string, redacted: string): Map<string, string> | undefined {
  const values = new Map<string, string>();
  const [lines, hidden] = [original.split('\n'), redacted.split('\n')];
  if (lines.length !== hidden.length) return undefined;
  for (const [index, line] of hidden.entries()) {
    const own = lines[index] ?? '';
    const placeholders = line.match(PLACEHOLDER) ?? [];
    const found = placeholders.length === 0 ? (own === line ? [] : undefined) : valuesIn(own, line);
    if (found === undefined) return undefined;
    for (const [at, placeholder] of placeholders.entries()) {
      const value = found[at] ?? '';
      if ((values.get(placeholder) ?? value) !== value) return undefined;
      values.set(placeholder, value);
    }
  }
  return values;
}

/** The parts of a line that the placeholders stand for. */
function valuesIn(own: string, line: string): string[] | undefined {
  const between = line.split(PLACEHOLDER).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${between.join('(.+?)')}$`, 's').exec(own)?.slice(1);
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of text.match(PLACEHOLDER) ?? []) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}
