/** Reads the replies of our own scripts; anything unexpected is a fault of ours and throws. */

/** The reply as one of the words the script can answer with. */
export function oneOf<const Word extends string>(words: readonly Word[], reply: unknown): Word {
  const found = words.find((word) => word === reply);
  if (found === undefined)
    throw new Error(`a script answered ${JSON.stringify(reply)}; expected one of ${words.join(', ')}`);
  return found;
}

/** The parts of a reply that is a list, as text. */
export function texts(reply: unknown): string[] {
  if (!Array.isArray(reply)) throw new Error(`a script answered ${JSON.stringify(reply)}; expected a list`);
  return reply.map(String);
}
