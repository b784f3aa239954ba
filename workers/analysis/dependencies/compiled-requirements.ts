/** Reads the comments that pip-compile and uv leave in the requirements they pin: who needs what. */
import { shortLines } from '../formats/short-lines.js';

const COMPILED = /^#.*\b(?:pip-compile|uv pip compile|uv export)\b/m;
/** A need of the project itself is named by the file that states it. */
const NAMED_BY_PROJECT = /-[rc] \S|\((?:pyproject\.toml|setup\.(?:py|cfg))\)/;

/** The numbers of the lines whose requirement only others need; none in a file that was written by hand. */
export function transitiveLines(text: string): Set<number> {
  const transitive = new Set<number>();
  if (!COMPILED.test(text)) return transitive;
  let requirement: { line: number; comment: string } | undefined;
  const settle = () => {
    if (requirement === undefined || !/\bvia\b/.test(requirement.comment)) return;
    if (!NAMED_BY_PROJECT.test(requirement.comment)) transitive.add(requirement.line);
  };
  shortLines(text).forEach((raw, index) => {
    const at = raw.search(/(?:^|\s)#/);
    const comment = at < 0 ? '' : raw.slice(at);
    if (/^[A-Za-z0-9]/.test(raw)) {
      settle();
      requirement = { line: index + 1, comment };
    } else if (requirement !== undefined) requirement.comment += comment;
  });
  settle();
  return transitive;
}
