/** The bounded fuzzing of every run: a minute of one core, from a fixed seed; `npm run fuzz` goes on for as long as wished. */
import { describe, expect, it } from 'vitest';
import { type FuzzOptions, fuzz } from './fuzz.js';
import { superLinear } from './growth.js';
import { faultsOf } from './target.js';

/** Of one core. `npm run fuzz -- --seconds 3600 --seed N` tries more, and other inputs. */
const CPU_SECONDS = 60;
/** Where others take the core away it is left off after this long: fewer inputs then, each tried as hard. */
const MOST_MS = 300_000;
const SEED = 5;

/** Inputs that fuzzing has found, each wrong or too slow before it was mended. */
const FOUND: readonly (readonly [symptom: string, name: string, piece: string, times: number])[] = [
  ['each element on a long line looked to the end of that line', 'a.erb', '<script lang=ts></script>', 2500],
];

const report = async (options: FuzzOptions) => {
  const { findings, ...ran } = await fuzz(options);
  const faults = findings.map(
    ({ index, kind, name, faults: [fault] }) => `input ${index} (${kind}, ${name}): ${fault}`,
  );
  return { faults, ran };
};

describe('what reads source files', () => {
  it('neither fails nor hangs nor miscounts nor takes more than linear time, whatever the bytes', {
    timeout: 3 * MOST_MS,
  }, async () => {
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), MOST_MS);
    const { faults, ran } = await report({ seed: SEED, cpuSeconds: CPU_SECONDS, signal: stop.signal });
    clearTimeout(late);
    process.stderr.write(
      `fuzz: seed ${SEED}, ${ran.inputs} inputs, ${ran.megabytes.toFixed(0)} MB, ${ran.cpuSeconds.toFixed(0)} s of processor, slowest input ${ran.slowestMs.toFixed(0)} ms\n`,
    );

    expect(faults).toEqual([]);
    expect(Object.values(ran.byKind).filter((inputs) => inputs < 10)).toEqual([]);
  });

  it('is fuzzed with the same inputs whenever the seed is the same', async () => {
    const [once, again] = [await report({ seed: 3, inputs: 50 }), await report({ seed: 3, inputs: 50 })];

    expect(again.ran.megabytes).toBe(once.ran.megabytes);
    expect(again.ran.byKind).toEqual(once.ran.byKind);
  });

  it.each(FOUND)('has been mended where %s (%s)', (_symptom, name, piece, times) => {
    const bytes = Buffer.from(piece.repeat(times));

    expect(faultsOf(name, bytes)).toEqual([]);
    expect(superLinear(name, bytes)).toBeUndefined();
  });
});
