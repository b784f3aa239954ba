/** Loads one source file after another: its text and language, or the reason why it is none to measure. */
import type { Stats } from 'node:fs';
import type { SkipReason } from './counts.js';
import { decodeText, isBinaryHead, type TextRange } from './decode.js';
import { detectLanguage } from './detect.js';
import { generatedByContent } from './generated.js';
import type { Language } from './languages/language.js';
import { createTextMemory } from './lexer/text-memory.js';
import { baseName, encodePath } from './paths.js';
import { createFileReader, type Seen } from './read-file.js';

/** A loaded file; its text is valid until the next one is loaded. */
export interface LoadedFile {
  readonly text: TextRange;
  readonly language: Language;
  readonly name: string;
  readonly bytes: number;
  /** Of the opened file, from before it was read. */
  readonly stats: Stats;
}

/** Which file to load. */
export interface FileToLoad extends Seen {
  readonly root: string;
  /** Relative to the root, with slashes; stray bytes escaped as by `decodePath`. */
  readonly path: string;
  /** Whether to take the file at its word though its content is marked as generated. */
  readonly handwritten: boolean;
  /** The language that .gitattributes declares, whatever the name and the content say. */
  readonly declared?: Language | undefined;
}

/** Why a file is none to measure; with the stats of the opened file, from before it was read, where its content said so. */
export type Unloaded =
  | { readonly skip: SkipReason; readonly stats?: undefined }
  | { readonly skip: 'binary' | 'generated'; readonly stats: Stats };

/** Loads files into one buffer. */
export interface FileLoader {
  load(file: FileToLoad): LoadedFile | Unloaded;
}

/** Creates a loader that passes over files larger than `maxFileBytes`. */
export function createFileLoader(maxFileBytes: number): FileLoader {
  const reader = createFileReader(maxFileBytes, { room: createTextMemory().room, suffices: isBinaryHead });

  function load(file: FileToLoad): LoadedFile | Unloaded {
    const { root, path, handwritten, declared } = file;
    const read = reader.read(encodePath(`${root}/${path}`), file);
    if ('skip' in read) return read;
    const { stats } = read;
    const text = decodeText(read.buffer, read.length);
    if (text === undefined) return { skip: 'binary', stats };
    if (!handwritten && generatedByContent(text)) return { skip: 'generated', stats };
    const name = baseName(path);
    const language = declared ?? detectLanguage(name, text.bytes.subarray(text.start, text.end));
    return { text, language, name, bytes: read.length, stats };
  }

  return { load };
}
