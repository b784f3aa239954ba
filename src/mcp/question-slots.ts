/** Bounds how many questions lie with one client at a time, and shares its attention fairly among the calls that ask. */

/** A place for one question: granted at once, or when others are done. */
export interface Slot {
  isGranted(): boolean;
  /** Whether it is known to have to wait for others. */
  isWaiting(): boolean;
  /** Resolves once that is known. */
  readonly judged: Promise<void>;
  /** Resolves when it is granted, with whether it had to wait; never, if it is freed before. */
  readonly granted: Promise<'at_once' | 'in_turn'>;
  /** Gives the place, or the wait for it, up; harmless twice. */
  free(): void;
}

/** See `createQuestionSlots`. */
export interface QuestionSlots {
  /** Asks for a place on behalf of a call; `name` is the question's, the same at all front ends. */
  request(call: object, name: string): Slot;
  /** Places may have become free elsewhere. */
  look(): void;
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
      const granted = createPromise<'at_once' | 'in_turn'>();
      let state: 'waiting' | 'granted' | 'freed' = 'waiting';
      let isAtOnce = true;
      const wait: Wait = {
        grant() {
          state = 'granted';
          granted.resolve(isAtOnce ? 'at_once' : 'in_turn');
        },
      };
      waits.set(call, [...(waits.get(call) ?? []), wait]);
      grantNext();
      isAtOnce = false;
      return {
        granted: granted.promise,
        judged: Promise.resolve(),
        isGranted: () => state === 'granted',
        isWaiting: () => state === 'waiting',
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
    look: () => undefined,
  };
}

/** A promise that is kept from without. */
export function createPromise<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve: (value) => resolve(value) };
}
