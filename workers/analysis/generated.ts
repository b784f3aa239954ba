/** Tells generated files: by their name, and by the marks generators leave in the head of their output. */
import type { TextRange } from './decode.js';
import { baseName } from './paths.js';

const HEAD_BYTES = 1024;
const MINIFIED = new Set(['JavaScript', 'CSS']);
const MINIFIED_BYTES = 4096;
const MINIFIED_LINE_BYTES = 500;

/** Names of lock files and of minified or compiled output. */
const NAMES = new Set(
  `package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock composer.lock Gemfile.lock Cargo.lock Pipfile.lock poetry.lock
  pdm.lock uv.lock pixi.lock flake.lock Gopkg.lock glide.lock go.sum go.work.sum mix.lock pubspec.lock Podfile.lock Package.resolved
  packages.lock.json gradle.lockfile deno.lock conan.lock .terraform.lock.hcl .pnp.cjs .pnp.loader.mjs`.split(/\s+/),
);
const ENDINGS =
  /(?:[.-]min\.(?:js|mjs|cjs|css)|\.(?:js|css|mjs|cjs)\.map|\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|\.pb\.(?:dart|swift)|\.(?:g|freezed)\.dart|\.designer\.(?:cs|vb)|\.g\.cs|\.generated\.\w+)$/i;
/** A mark counts only on a line that begins as a comment does: generators contain the same words as code. */
const MARK = /^[^\S\n]*(?:[^\w\s"'`][^\n]*|rem\b[^\n]*|dnl\b[^\n]*)?(?:@generated\b|\bDO NOT (?:EDIT|MODIFY)\b)/im;
const WORDS = ['@generated', 'DO NOT EDIT', 'DO NOT MODIFY', 'Do not edit', 'do not edit'];

/** Whether a file's name says that it was generated. */
export function generatedByName(path: string): boolean {
  const name = baseName(path);
  return NAMES.has(name) || ENDINGS.test(name);
}

/** Whether lines of this length were written by a minifier: longer on average than any hand's. */
export function generatedByShape(language: string, { bytes, lines }: { bytes: number; lines: number }): boolean {
  return MINIFIED.has(language) && bytes > MINIFIED_BYTES && bytes > MINIFIED_LINE_BYTES * lines;
}

/** Whether the head of a text bears a generator's mark. */
export function generatedByContent({ bytes, start, end }: TextRange): boolean {
  const head = bytes.toString('latin1', start, Math.min(end, start + HEAD_BYTES));
  return WORDS.some((word) => head.includes(word)) && isMarked(head);
}

function isMarked(head: string): boolean {
  // `@generated` alone is meant for tools; the sentence also stands over templates and must come with its reason.
  return MARK.test(head) && (head.includes('@generated') || /generated|autogen/i.test(head));
}
