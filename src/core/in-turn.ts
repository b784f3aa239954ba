/** Runs acts that must not overlap one after the other. */

/** Builds a row of turns: each act begins when the one before has settled, whatever became of that. */
export function createTurns(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => undefined);
    return mine;
  };
}
