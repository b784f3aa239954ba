/** `npm run chaos -- --seed N --jobs N [--minutes M] [--lanes N] [--keep]`: exits 0 only if every assertion holds; the last line is the verdict. */
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.js';
import { odditiesOf, tablesOf, verdictOf, wrongsOf } from './report.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    jobs: { type: 'string', default: '1000' },
    minutes: { type: 'string', default: '30' },
    lanes: { type: 'string', default: '12' },
    keep: { type: 'boolean', default: false },
  },
});

function whole(name: 'seed' | 'jobs' | 'minutes' | 'lanes'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= (name === 'seed' ? 0 : 1)) return value;
  throw new Error(`--${name} takes a whole number, not ${values[name]}`);
}

const print = (text: string) => process.stdout.write(`${text}\n`);
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
const findings = await runChaos({
  seed: whole('seed'),
  jobs: whole('jobs'),
  minutes: whole('minutes'),
  lanes: whole('lanes'),
  keep: values.keep,
  signal: stopped.signal,
  say: print,
});
if (values.keep) print(odditiesOf(findings));
print(`\n${tablesOf(findings)}\n`);
if (findings.wrongs.length > 0) print(`${wrongsOf(findings)}\n`);
print(verdictOf(findings));
// Connections that a killed front end left half open would hold this process.
process.exit(findings.wrongs.length === 0 && findings.witnesses.length === findings.planned ? 0 : 1);
