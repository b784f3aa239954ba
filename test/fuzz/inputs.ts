/** Makes inputs for the scanner: noise, broken real files, soups of marks, nests, endless lines, odd encodings, notebooks. */
import type { Language } from '../../workers/analysis/languages/language.js';
import { everyLanguage, nameFor, piecesOf, type Sample } from './corpus.js';
import type { Random } from './random.js';

/** A file to be measured, and how it was made. */
export interface Input {
  readonly kind: string;
  readonly name: string;
  readonly bytes: Buffer;
}

type Recipe = (random: Random, samples: readonly Sample[]) => Omit<Input, 'kind'>;

const NOTHING: Sample = { name: 'a.c', bytes: Buffer.from('int x;\n') };
const [FIRST_LANGUAGE = { name: 'C', extensions: 'c' }] = everyLanguage;

/** Names whose language only the content tells. */
const DOUBTFUL =
  'a.h a.m a.v a.ts a.tsx a.pl a.pm a.t a.d a.fs a.cls a.pro a.inc a.cl a.pp a.s a.asm a.mac a.mc a.inf a.e a.mod a.rs a.sc a.st a.tpl a.r a.i a.l a.ms a.as a.bs a.conf a.cfg tool Makefile.x'.split(
    ' ',
  );
const HEADS: readonly [string, ...string[]] = [
  ...([
    '#!/usr/bin/env -S -i A=B python3.11 -u\n',
    '#!',
    '#!/usr/bin/env ',
    '#! /bin/sh -',
    '<?xml ',
    '%',
    '(* ',
    'module ',
    'a.b:',
  ] as const),
  ...[
    '\n',
    ' ',
    '\t',
    '-*-',
    '-*- mode: ',
    ' vim: set ft=',
    ' vim:',
    '-',
    '@',
    '"',
    'x(',
    ')',
    '|',
    'use ',
    '.',
    ':- ',
    ': ',
    '=',
    '\r',
    '/*',
    '*',
  ],
];

const RECIPES: Readonly<Record<string, Recipe>> = {
  noise: (random) => ({ name: anyName(random), bytes: noise(random, 1 << random.below(14)) }),
  mutant: (random, samples) => {
    const { name, bytes } = random.pickOr(samples, NOTHING);
    return { name, bytes: mutate(random, bytes, samples) };
  },
  soup: (random) => {
    const language = anyLanguage(random);
    return { name: nameFor(language), bytes: soup(random, language, random.below(400)) };
  },
  nest: (random) => {
    const language = anyLanguage(random);
    const openers = soup(random, language, 1 + random.below(3));
    const inner = soup(random, language, random.below(6));
    const times = 1 << random.below(13);
    return {
      name: nameFor(language),
      bytes: Buffer.concat([repeat(openers, times), inner, repeat(openers, random.below(times))]),
    };
  },
  'same again': (random) => {
    const language = anyLanguage(random);
    return {
      name: nameFor(language),
      bytes: repeat(soup(random, language, 1 + random.below(4)), 1 << (10 + random.below(4))),
    };
  },
  'long line': (random) => {
    const language = anyLanguage(random);
    const line = Buffer.from(soup(random, language, 40).filter((byte) => byte !== 10 && byte !== 13));
    return { name: nameFor(language), bytes: repeat(line, 1 + random.below(400)) };
  },
  encoded: (random, samples) => {
    const { name, bytes } = random.pickOr(samples, NOTHING);
    return { name, bytes: encode(random, mutate(random, bytes, samples)) };
  },
  notebook: (random, samples) => ({ name: 'a.ipynb', bytes: notebook(random, samples) }),
  page: (random, samples) => ({
    name: random.pick(['a.md', 'a.html', 'a.vue', 'a.svelte', 'a.astro', 'a.php']),
    bytes: page(random, samples),
  }),
  head: (random) => ({
    name: random.pickOr(DOUBTFUL, 'a.h'),
    bytes: Buffer.from(pieces(random, HEADS, 1 + random.below(8)).repeat(1 << random.below(11))),
  }),
};
const KINDS = Object.entries(RECIPES);

/** The next input of a sequence. */
export function makeInput(random: Random, samples: readonly Sample[]): Input {
  const [kind, recipe] = KINDS[random.below(KINDS.length)] ?? ['noise', RECIPES.noise];
  if (recipe === undefined) throw new Error(`There is no recipe for ${kind}.`);
  return { kind, ...recipe(random, samples) };
}

/** Some marks of a language, one after the other. */
export function soup(random: Random, language: Language, count: number): Buffer {
  return Buffer.from(pieces(random, piecesOf(language), count));
}

function pieces(random: Random, list: readonly string[], count: number): string {
  return Array.from({ length: count }, () => random.pickOr(list, '\n')).join('');
}

function anyLanguage(random: Random): Language {
  return random.pickOr(everyLanguage, FIRST_LANGUAGE);
}

function anyName(random: Random): string {
  return random.below(4) === 0 ? random.pickOr(DOUBTFUL, 'a.h') : nameFor(anyLanguage(random));
}

function noise(random: Random, length: number): Buffer {
  const [from, width] = random.pick([
    [0, 256],
    [1, 255],
    [9, 118],
    [32, 32],
  ]);
  return Buffer.from(Array.from({ length }, () => from + random.below(width)));
}

function repeat(bytes: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => bytes)).subarray(0, 1 << 19);
}

type Mutation = (random: Random, bytes: Buffer, samples: readonly Sample[]) => Buffer;

const MUTATIONS: readonly [Mutation, ...Mutation[]] = [
  (random, bytes) => splice(random, bytes, Buffer.alloc(0)),
  (random, bytes) => splice(random, bytes, noise(random, 1 + random.below(8))),
  (random, bytes) => splice(random, bytes, soup(random, anyLanguage(random), 1 + random.below(4))),
  (random, bytes) => splice(random, bytes, slice(random, bytes)),
  (random, bytes, samples) => splice(random, bytes, slice(random, random.pickOr(samples, NOTHING).bytes)),
  (random, bytes) => bytes.subarray(0, random.below(bytes.length + 1)),
  (random, bytes) => bytes.subarray(random.below(bytes.length + 1)),
  (_random, bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
  (_random, bytes) => Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n/g, '\r'), 'latin1'),
  (_random, bytes) => Buffer.from(bytes.toString('latin1').replaceAll(/\n[ \t]*/g, '\n'), 'latin1'),
];

function mutate(random: Random, bytes: Buffer, samples: readonly Sample[]): Buffer {
  let mutant = bytes.subarray(0, 1 << 17);
  for (let times = random.below(6); times >= 0; times -= 1) mutant = random.pick(MUTATIONS)(random, mutant, samples);
  return Buffer.from(mutant);
}

/** Puts `piece` in the place of a part of `bytes`, often of none. */
function splice(random: Random, bytes: Buffer, piece: Buffer): Buffer {
  const from = random.below(bytes.length + 1);
  const to = random.below(2) === 0 ? from : Math.min(bytes.length, from + random.below(64));
  return Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(to)]);
}

function slice(random: Random, bytes: Buffer): Buffer {
  const from = random.below(bytes.length + 1);
  return bytes.subarray(from, from + random.below(512));
}

function encode(random: Random, bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
  const encodings: readonly [() => Buffer, ...(() => Buffer)[]] = [
    () => utf16,
    () => Buffer.from(utf16).swap16(),
    () => utf16.subarray(0, random.below(utf16.length)),
    () => Buffer.from(utf16).swap16().subarray(0, random.below(utf16.length)),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
    () => Buffer.from(text, 'latin1'),
    () => Buffer.concat([Buffer.alloc(8192, 'x\n'), Buffer.from([0]), bytes]),
    () => Buffer.concat([bytes, utf16, bytes]),
    () => Buffer.from([0xff, 0xfe, random.below(256)]),
  ];
  return random.pick(encodings)();
}

function notebook(random: Random, samples: readonly Sample[]): Buffer {
  const cells = Array.from({ length: random.below(6) }, () => ({
    cell_type: random.pick<unknown>(['code', 'markdown', 'raw', 'heading', 7]),
    source: random.pick<unknown>([
      mutate(random, random.pickOr(samples, NOTHING).bytes, samples).toString(),
      ['a\n', 3, 'b'],
      undefined,
      {},
    ]),
    language: random.pick<unknown>(['python', 'r', undefined, 5]),
  }));
  const metadata = random.pick<unknown>([
    { kernelspec: { language: 'julia' } },
    { language_info: { name: 'c++17' } },
    {},
    [],
    undefined,
  ]);
  const text = Buffer.from(
    JSON.stringify(
      random.pick<unknown>([{ cells, metadata }, { worksheets: [{ cells }, 3] }, { cells: 'none' }, cells]),
    ),
  );
  if (random.below(3) > 0) return text;
  return random.below(2) === 0
    ? mutate(random, text, samples)
    : repeat(Buffer.from(random.pick(['[', '{"cells":[', '{"cells":'])), 1 << random.below(15));
}

function page(random: Random, samples: readonly Sample[]): Buffer {
  const parts = Array.from({ length: 1 + random.below(6) }, () => {
    const language = anyLanguage(random);
    const body =
      random.below(2) === 0
        ? soup(random, language, random.below(40))
        : slice(random, random.pickOr(samples, NOTHING).bytes);
    const [open, close] = random.pick([
      [`\`\`\`${language.name.toLowerCase()}\n`, '\n```\n'],
      ['~~~~md\n', '\n~~~~~\n'],
      ['<script>\n', '\n</script>\n'],
      ['<style lang="scss">', '</style>'],
      ['<script type="text/html">\n', '</SCRIPT >\n'],
      ['<template lang=pug>\n', '\n</template>\n'],
      ['---\n', '\n---\n'],
      ['<!--', '-->'],
    ]);
    return Buffer.concat([Buffer.from(open), body, Buffer.from(random.below(5) === 0 ? '' : close)]);
  });
  return Buffer.concat(parts);
}
