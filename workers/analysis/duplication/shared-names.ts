/** Keeps the paths of all files where every thread can read them without a copy of its own. */

/** The paths of all files, and the numbers of those that are declared not to be generated. */
export interface SharedNames {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly handwritten: ReadonlySet<number>;
}

/** Puts all paths where every thread can read them. */
export function shareNames(files: readonly string[], handwritten: readonly string[]): SharedNames {
  const trusted = new Set(handwritten);
  const offsets = new Uint32Array(new SharedArrayBuffer(4 * (files.length + 1)));
  let total = 0;
  files.forEach((path, file) => {
    total += 2 * path.length;
    offsets[file + 1] = total;
  });
  const bytes = new Uint8Array(new SharedArrayBuffer(total));
  // UTF-16 keeps the lone surrogates in which stray bytes of names travel.
  files.forEach((path, file) => {
    bytes.set(Buffer.from(path, 'utf16le'), offsets[file]);
  });
  return { bytes, offsets, handwritten: new Set(files.flatMap((path, file) => (trusted.has(path) ? [file] : []))) };
}

/** The path of a file. */
export function nameAt({ bytes, offsets }: SharedNames, file: number): string {
  return Buffer.from(bytes.slice(offsets[file], offsets[file + 1])).toString('utf16le');
}
