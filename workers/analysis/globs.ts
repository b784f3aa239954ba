/** Matches paths against globs in time that grows with both and no faster: globs come from callers and from the trees that are read. */

/** Whether a path with slashes, without one at either end, is what a glob means; the whole of it. */
export type GlobMatcher = (path: string) => boolean;

/** One step of a glob: a character, any one of a segment, one of a class, or a stretch of a kind. */
type Step =
  | { readonly kind: 'character'; readonly code: number }
  | { readonly kind: 'any' }
  | { readonly kind: 'class'; readonly matches: (code: number) => boolean }
  | { readonly kind: Stretch };

/** Within a segment; across segments; whole folders, none among them. */
type Stretch = 'segment' | 'deep' | 'folders';

/** Alternatives beyond these are taken for plain text: each pair of braces may double them. */
const MOST_ALTERNATIVES = 1_000;
const SLASH = 0x2f;
const NEVER: GlobMatcher = () => false;

/** As git classifies bytes: nothing beyond ASCII. */
const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};

/**
 * Compiles a glob by git's rules (gitignore(5), wildmatch): `*` and `?` keep within a segment, two stars between slashes stand for any
 * folders, `[...]` for a character of a class; what follows a backslash is plain. One that is not closed matches nothing.
 */
export function compileGlob(glob: string): GlobMatcher {
  const steps = stepsOf(glob);
  return steps === undefined ? NEVER : simulate(steps);
}

/** A glob for each choice that its braces leave, as `a.{c,h}` means `a.c` and `a.h`. */
export function withoutBraces(glob: string): string[] {
  let open = [glob];
  const done: string[] = [];
  while (open.length > 0) {
    if (open.length + done.length > MOST_ALTERNATIVES) return [glob];
    open = open.flatMap((one) => {
      const choices = choicesOf(one);
      if (choices === undefined) done.push(one);
      return choices ?? [];
    });
  }
  return done;
}

/** The globs in place of one whose first braces hold a comma; undefined where none do. */
function choicesOf(glob: string): string[] | undefined {
  const starts: number[] = [];
  const commas: number[][] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === '\\') at += 1;
    else if (character === '{') commas[starts.push(at) - 1] = [];
    else if (character === ',') commas[starts.length - 1]?.push(at);
    else if (character === '}' && starts.length > 0) {
      const start = starts.pop() ?? 0;
      const cuts = [start, ...(commas[starts.length] ?? []), at];
      if (cuts.length > 2) {
        const pieces = cuts.slice(1).map((end, i) => glob.slice((cuts[i] ?? 0) + 1, end));
        return pieces.map((piece) => glob.slice(0, start) + piece + glob.slice(at + 1));
      }
    }
  }
  return undefined;
}

function stepsOf(glob: string): Step[] | undefined {
  const steps: Step[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob[at] ?? '';
    if (character === '*') {
      const { step, end } = stretchAt(glob, at);
      steps.push(step);
      at = end;
    } else if (character === '?') steps.push({ kind: 'any' });
    else if (character === '[') {
      const found = classAt(glob, at);
      if (found === undefined) return undefined;
      steps.push(found.step);
      at = found.end;
    } else {
      if (character === '\\') at += 1;
      if (at === glob.length) return undefined;
      steps.push({ kind: 'character', code: glob.charCodeAt(at) });
    }
  }
  return steps;
}

/** Stars between slashes, or the ends, stand for folders, with the slash behind them; `end` is the last character taken. */
function stretchAt(glob: string, from: number): { readonly step: Step; readonly end: number } {
  let end = from;
  while (glob[end + 1] === '*') end += 1;
  const after = glob[end + 1];
  const isFree = end > from && (from === 0 || glob[from - 1] === '/');
  if (isFree && after === '/') return { step: { kind: 'folders' }, end: end + 1 };
  return { step: { kind: isFree && after === undefined ? 'deep' : 'segment' }, end };
}

/** A class in brackets; undefined if it does not end, or names what there is not. */
function classAt(glob: string, from: number): { readonly step: Step; readonly end: number } | undefined {
  const negated = glob[from + 1] === '!' || glob[from + 1] === '^';
  const ranges: [number, number][] = [];
  const named: RegExp[] = [];
  let at = from + (negated ? 2 : 1);
  do {
    const word = /^\[:([^\]]*):\]/.exec(glob.slice(at, at + 12))?.[1];
    if (word !== undefined) {
      const found = Object.hasOwn(CLASSES, word) ? CLASSES[word] : undefined;
      if (found === undefined) return undefined;
      named.push(found);
      at += word.length + 4;
    } else {
      const low = memberAt(glob, at);
      const isRange = glob[low.next] === '-' && glob[low.next + 1] !== ']' && low.next + 1 < glob.length;
      const high = isRange ? memberAt(glob, low.next + 1) : low;
      // A range the wrong way round holds its first member alone.
      ranges.push([low.code, Math.max(low.code, high.code)]);
      at = high.next;
    }
    if (at >= glob.length) return undefined;
  } while (glob[at] !== ']');
  const holds = (code: number) =>
    ranges.some(([low, high]) => code >= low && code <= high) ||
    named.some((pattern) => pattern.test(String.fromCharCode(code)));
  return { step: { kind: 'class', matches: (code) => code !== SLASH && holds(code) !== negated }, end: at };
}

function memberAt(glob: string, at: number): { readonly code: number; readonly next: number } {
  const place = glob[at] === '\\' ? at + 1 : at;
  return { code: glob.charCodeAt(place), next: place + 1 };
}

/** Goes through a path once, with all steps at which a match may be. */
function simulate(steps: readonly Step[]): GlobMatcher {
  const last = steps.at(-1);
  const count = steps.length;
  let here = createPlaces(count);
  let next = createPlaces(count);

  function enter(places: Places, at: number): void {
    for (let step = at; places.add(step) && isStretch(steps[step]); ) step += 1;
  }

  function advance(at: number, code: number): void {
    const step = steps[at];
    if (step === undefined) return;
    if (step.kind === 'folders') {
      next.stay(at);
      if (code === SLASH) enter(next, at + 1);
    } else if (step.kind === 'deep' || (step.kind === 'segment' && code !== SLASH)) enter(next, at);
    else if (takes(step, code)) enter(next, at + 1);
  }

  return (path) => {
    // Most paths end otherwise than the glob.
    if (last?.kind === 'character' && path.charCodeAt(path.length - 1) !== last.code) return false;
    here.clear();
    enter(here, 0);
    for (let i = 0; i < path.length && here.size() > 0; i += 1) {
      next.clear();
      const code = path.charCodeAt(i);
      for (let place = 0; place < here.size(); place += 1) advance(here.at(place), code);
      [here, next] = [next, here];
    }
    return here.has(count);
  };
}

function isStretch(step: Step | undefined): boolean {
  return step?.kind === 'segment' || step?.kind === 'deep' || step?.kind === 'folders';
}

function takes(step: Step, code: number): boolean {
  if (step.kind === 'character') return step.code === code;
  if (step.kind === 'any') return code !== SLASH;
  return step.kind === 'class' && step.matches(code);
}

/** A set of steps, each held once. */
interface Places {
  /** Whether the step was not entered before. */
  add(step: number): boolean;
  /** Holds a step without entering what follows it. */
  stay(step: number): void;
  has(step: number): boolean;
  at(index: number): number;
  size(): number;
  clear(): void;
}

function createPlaces(count: number): Places {
  const steps = new Uint32Array(count + 1);
  const held = new Uint8Array(count + 1);
  const entered = new Uint8Array(count + 1);
  let size = 0;

  function stay(step: number): void {
    if (held[step] === 1) return;
    held[step] = 1;
    steps[size] = step;
    size += 1;
  }

  return {
    add(step) {
      if (entered[step] === 1) return false;
      entered[step] = 1;
      stay(step);
      return true;
    },
    stay,
    has: (step) => held[step] === 1,
    at: (index) => steps[index] ?? 0,
    size: () => size,
    clear() {
      for (let i = 0; i < size; i += 1) {
        held[steps[i] ?? 0] = 0;
        entered[steps[i] ?? 0] = 0;
      }
      size = 0;
    },
  };
}
