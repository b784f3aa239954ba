/** `npm run fuzz -- --seconds N --seed S [--from I] [--inputs N] [--keep FOLDER]`: fuzzes by hand and reports what was found. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    inputs: { type: 'string' },
    keep: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
process.stdout.write(`fuzz: seed ${seed}\n`);

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());

const { findings, byKind, ...report } = await fuzz({
  seed,
  from: Number(values.from ?? 0),
  inputs: values.inputs === undefined ? Number.POSITIVE_INFINITY : Number(values.inputs),
  cpuSeconds: Number(values.seconds ?? (values.inputs ? Number.POSITIVE_INFINITY : 60)),
  signal: stopping.signal,
  onFinding({ index, kind, name, bytes, faults }) {
    process.stdout.write(`input ${index} (${kind}, ${name}, ${bytes.length} bytes): ${faults.join('; ')}\n`);
    if (values.keep === undefined) return;
    mkdirSync(values.keep, { recursive: true });
    writeFileSync(join(values.keep, `${seed}-${index}-${name}`), bytes);
  },
});
process.stdout.write(`${JSON.stringify({ ...report, byKind }, undefined, 1)}\n${findings.length} findings\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
