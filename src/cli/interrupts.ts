/** Signals while a call runs: the first asks to cancel, the second ends this process at once. */

/** Names and numbers of the signals that end a command; the exit code is 128 and the number. */
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** A signal that ends a command. */
export type EndSignal = keyof typeof SIGNAL_NUMBERS;

/** Listens for signals until closed. */
export interface Interrupts {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** The first signal heard. */
  heard(): EndSignal | undefined;
  close(): void;
}

/** The exit code of a command that a signal ended. */
export function exitCodeOf(signal: EndSignal): number {
  return 128 + SIGNAL_NUMBERS[signal];
}

/** Starts to listen. At the second signal `onSecond` may clean up, synchronously, before the process exits. */
export function listenForInterrupts(onSecond: () => void): Interrupts {
  const controller = new AbortController();
  let first: EndSignal | undefined;
  const listener = (name: NodeJS.Signals) => {
    if (!isEndSignal(name)) return;
    if (first !== undefined) {
      onSecond();
      process.exit(exitCodeOf(first));
    }
    first = name;
    controller.abort();
  };
  const names = Object.keys(SIGNAL_NUMBERS).filter(isEndSignal);
  for (const name of names) process.on(name, listener);
  return {
    signal: controller.signal,
    heard: () => first,
    close: () => {
      for (const name of names) process.off(name, listener);
    },
  };
}

function isEndSignal(name: string): name is EndSignal {
  return Object.hasOwn(SIGNAL_NUMBERS, name);
}
