/** Bounds how many questions lie with one client at a time, and shares its attention fairly among the calls that ask. */

/** A place for one question: granted at once, or when others are done. */
export interface Slot {
  isGranted(): boolean;
  /** Resolves when it is granted; never, if it is freed before. */
  readonly granted: Promise<void>;
  /** Gives the place, or the wait for it, up; harmless twice. */
  free(): void;
}

/** See `createQuestionSlots`. */
export interface QuestionSlots {
  /** Asks for a place on behalf of a call. */
  request(call: object): Slot;
}

interface Wait {
  grant(): void;
}

/** Builds the places of one client. Calls take turns, so that one with many questions does not keep out one with few. */
export function createQuestionSlots(limit: number): QuestionSlots {
  // The order of the map is the order of turns: a call that was served goes to its end.
  const waits = new Map<object, Wait[]>();
  let taken = 0;
  const grantNext = (): void => {
    const [next] = waits;
    if (!next || taken >= limit) return;
    const [call, [wait, ...rest]] = next;
    waits.delete(call);
    if (rest.length > 0) waits.set(call, rest);
    taken += 1;
    wait?.grant();
  };
  const leave = (call: object, wait: Wait): void => {
    const rest = (waits.get(call) ?? []).filter((other) => other !== wait);
    if (rest.length > 0) waits.set(call, rest);
    else waits.delete(call);
  };
  return {
    request(call) {
      let state: 'waiting' | 'granted' | 'freed' = 'waiting';
      let resolve: () => void = () => undefined;
      const granted = new Promise<void>((done) => {
        resolve = done;
      });
      const wait: Wait = {
        grant() {
          state = 'granted';
          resolve();
        },
      };
      waits.set(call, [...(waits.get(call) ?? []), wait]);
      grantNext();
      return {
        granted,
        isGranted: () => state === 'granted',
        free() {
          const before = state;
          state = 'freed';
          if (before === 'waiting') leave(call, wait);
          if (before !== 'granted') return;
          taken -= 1;
          grantNext();
        },
      };
    },
  };
}
