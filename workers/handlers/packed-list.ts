/** A list of files as the journal and the queue carry it: in pieces, each packed for itself, so that what a part counts is packed once. */
import type { FileList, ListSummary } from '../analysis/scan.js';
import { packLarge, unpackLarge } from './packed.js';

/** Neighbours in a list. */
export interface ListPiece {
  /** Their paths as JSON, packed: see `packLarge`. */
  readonly files: string;
  readonly count: number;
  /** Those of them that are declared not to be generated. */
  readonly handwritten: readonly string[];
}

/** A list in the order of its files; plain JSON. */
export interface PackedList {
  readonly pieces: readonly ListPiece[];
  readonly summary: ListSummary;
}

/** Packs a list in pieces of so many files, the last of them of what is left. */
export async function packList({ files, handwritten, ...summary }: FileList, pieceFiles: number): Promise<PackedList> {
  const exempt = new Set(handwritten);
  const starts = Array.from({ length: Math.ceil(files.length / pieceFiles) }, (_, index) => index * pieceFiles);
  const pieces = starts.map(async (start): Promise<ListPiece> => {
    const piece = files.slice(start, start + pieceFiles);
    const declared = exempt.size === 0 ? [] : piece.filter((path) => exempt.has(path));
    return { files: await packLarge(piece), count: piece.length, handwritten: declared };
  });
  return { pieces: await Promise.all(pieces), summary };
}

/** The list that was packed. */
export async function unpackList({ pieces, summary }: PackedList): Promise<FileList> {
  const files = await Promise.all(pieces.map(async (piece) => (await unpackLarge(piece.files)) as string[]));
  return { ...summary, files: files.flat(), handwritten: pieces.flatMap(({ handwritten }) => handwritten) };
}
